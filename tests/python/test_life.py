# tests/python/test_life.py: threads, Ctrl-C, forks, the end of the interpreter: each in a process of its own where it may take the process along
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import mottle
from conftest import GRAY_SCOTT


def python(code, **more):
    """Runs `code` in an interpreter of its own."""
    prelude = f"import mottle, numpy as np, os, signal, sys, threading, time\nTEXT = {GRAY_SCOTT!r}\n"
    return subprocess.run([sys.executable, "-c", prelude + textwrap.dedent(code)], capture_output=True, text=True, timeout=120, **more)


def test_ctrl_c_ends_an_advance_and_the_simulation_goes_on():
    sim = mottle.Simulation(GRAY_SCOTT, size=(256, 256))
    timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        sim.advance(10**9)
    assert time.monotonic() - began < 30
    reached = sim.step
    assert 0 < reached < 10**9 and np.isfinite(sim["u"]).all()
    sim.advance(5)
    assert sim.step == reached + 5
    other = mottle.Simulation(GRAY_SCOTT, size=(256, 256))
    other.advance(reached + 5)
    np.testing.assert_array_equal(other["v"], sim["v"])


def test_ctrl_c_ends_what_prepares_and_runs():
    for work in (lambda: mottle.Simulation("gray-scott", mesh="sphere:8"), lambda: mottle.run(GRAY_SCOTT, size=(512, 512), steps=10**8),
                 lambda: mottle.sweep(GRAY_SCOTT, over={"F": [0.03, 0.04]}, size=(256, 256), steps=10**8)):
        timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            work()
            time.sleep(10)  # the work was fast: the signal is still to come
        assert time.monotonic() - began < 60
    mottle.Simulation(GRAY_SCOTT).advance(3)


def test_handlers_of_signals_run_meanwhile():
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(sim.closed))
    try:
        sim = mottle.Simulation(GRAY_SCOTT, size=(256, 256))
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1))
        timer.start()
        while not seen:
            sim.advance(500)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [False]


def test_many_simulations_run_side_by_side():
    expected = {}
    for F in (0.03, 0.035, 0.04, 0.045):
        expected[F] = mottle.Simulation(GRAY_SCOTT, F=F).advance(200)["v"]
    failures = []

    def work(F):
        try:
            for _ in range(5):
                sim = mottle.Simulation(GRAY_SCOTT, F=F, threads=1)
                for _ in range(20):
                    sim.advance(10)
                np.testing.assert_array_equal(sim["v"], expected[F])
        except BaseException as error:  # noqa: BLE001: reported below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(F,)) for F in expected for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_one_simulation_is_used_by_one_thread_at_a_time():
    sim = mottle.Simulation(GRAY_SCOTT)

    def work():
        for _ in range(200):
            sim.advance(1)
            assert np.isfinite(sim["u"]).all()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sim.step == 800
    np.testing.assert_array_equal(sim["v"], mottle.Simulation(GRAY_SCOTT).advance(800)["v"])


def test_others_run_while_a_simulation_does():
    sim, counts = mottle.Simulation(GRAY_SCOTT, size=(128, 128), threads=1), [0]
    thread = threading.Thread(target=sim.advance, args=(50_000,))
    thread.start()
    while thread.is_alive():
        counts[0] += 1
        time.sleep(0.001)
    assert counts[0] > 10  # the lock of the interpreter was free


def test_closing_while_another_thread_advances():
    sim = mottle.Simulation(GRAY_SCOTT, size=(128, 128))
    thread = threading.Thread(target=sim.advance, args=(20_000,))
    thread.start()
    time.sleep(0.05)
    sim.close()
    thread.join()
    with pytest.raises(mottle.InputError, match="closed"):
        sim.advance(1)


def test_a_fork_has_no_simulation_of_its_parent():
    done = python("""
        sim = mottle.Simulation(TEXT)
        sim.advance(10)
        mesh = mottle.Mesh.read("sphere:2")
        child = os.fork()
        if child == 0:
            try:
                sim.advance(1)
            except mottle.InputError as error:
                assert "forked" in str(error), error
                sim.close()
                mesh.mass
                other = mottle.Simulation(TEXT)
                other.advance(10)
                sys.exit(7)  # by the ordinary way out
            sys.exit(8)
        _, status = os.waitpid(child, 0)
        sim.advance(5)
        print(os.waitstatus_to_exitcode(status), sim.step)
    """)
    assert done.stdout.split() == ["7", "15"], done.stderr


def test_processes_of_a_pool_take_pickles():
    done = python("""
        import multiprocessing
        def work(sim):
            return sim.advance(10)["v"].sum()
        if __name__ == "__main__":
            sim = mottle.Simulation(TEXT, threads=1)
            sim.advance(10)
            with multiprocessing.get_context("fork").Pool(2) as pool:
                sums = pool.map(work, [sim, sim, sim])
            expected = sim.advance(10)["v"].sum()
            assert sums == [expected] * 3
            print("same")
    """)
    assert done.stdout.strip() == "same", done.stderr


@pytest.mark.parametrize("end", ["", "sys.exit(3)", "raise KeyError('end')", "os.kill(os.getpid(), signal.SIGINT); time.sleep(5)"])
def test_the_interpreter_ends_while_a_thread_runs(end):
    done = python(f"""
        sim = mottle.Simulation(TEXT, size=(256, 256))
        def forever():
            while True:
                sim.advance(1000)
        threading.Thread(target=forever, daemon=True).start()
        def looks():
            other = mottle.Simulation(TEXT)
            while True:
                other.advance(1)
                other["u"]
        threading.Thread(target=looks, daemon=True).start()
        time.sleep(0.5)
        {end}
    """)
    expected = {"": 0, "sys.exit(3)": 3}.get(end)
    assert done.returncode == expected if expected is not None else done.returncode in (1, 130, -signal.SIGINT), (done.returncode, done.stderr)
    assert "terminate" not in done.stderr and "Fatal" not in done.stderr, done.stderr


def test_the_interpreter_ends_while_a_thread_prepares():
    done = python("""
        def work():
            while True:
                mottle.Simulation("gray-scott", size=(64, 64), F=str(np.random.random()) + "*X")
        for _ in range(3):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.5)
    """)
    assert done.returncode == 0, (done.returncode, done.stderr)


def test_simulations_may_outlive_the_interpreter():
    done = python("""
        sim = mottle.Simulation(TEXT)
        frames = sim.frames(every=3)
        next(frames)
        recording = sim.record("/tmp/mottle_left_open_%d.csv" % os.getpid())
        recording.frame()
        sys.keep = [sim, frames, recording]  # no longer there when they end
        loop = [sim]; loop.append(loop)
    """)
    assert (done.returncode, done.stderr) == (0, "")


def test_threads_of_several_interpreters_of_time():
    """A thread that ends leaves nothing that the next one stumbles over."""
    for _ in range(20):
        thread = threading.Thread(target=lambda: mottle.Simulation(GRAY_SCOTT).advance(2))
        thread.start()
        thread.join()
