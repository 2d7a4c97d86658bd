# tests/python/test_memory_slow.py: memory stays what it is over ten thousand simulations made and dropped, and over as many errors
import gc

import numpy as np

import mottle
from conftest import GRAY_SCOTT

ROUNDS = 10_000


def resident():
    with open("/proc/self/status", encoding="ascii") as file:
        return int(next(line for line in file if line.startswith("VmRSS")).split()[1]) * 1024


def growth(work, rounds, warm):
    """Bytes by which `rounds` calls let this process grow, after `warm` calls that fill caches."""
    for _ in range(warm):
        work()
    gc.collect()
    before = resident()
    for _ in range(rounds):
        work()
    gc.collect()
    return resident() - before


def test_simulations_leave_nothing_behind():
    F = np.full((16, 24), 0.035)

    def round_():
        sim = mottle.Simulation(GRAY_SCOTT, F=F, threads=1)
        sim.advance(2)
        sim["u"] = sim["v"]
        sim.k = 0.05

    # A simulation of this size takes some 50 kB: a leak of one in a hundred would show.
    assert growth(round_, ROUNDS, 300) < 4 * 2**20


def test_threads_pictures_copies_and_errors_leave_nothing_behind():
    sim = mottle.Simulation(GRAY_SCOTT)

    def round_():
        sim.copy().image().png()
        try:
            mottle.Simulation(GRAY_SCOTT, size="x")
        except mottle.InputError:
            pass
        try:
            sim["u"] = np.full((16, 24), np.nan)
        except mottle.InputError:
            pass

    assert growth(round_, ROUNDS // 10, 200) < 4 * 2**20


def test_meshes_leave_nothing_behind():
    ball = mottle.Mesh.read("sphere:2")
    vertices, faces = ball.vertices, ball.faces

    def round_():
        mesh = mottle.Mesh(vertices, faces)
        mesh.rows()
        mottle.Simulation("gray-scott", mesh=mesh, threads=1).advance(1)

    assert growth(round_, ROUNDS // 20, 100) < 4 * 2**20
