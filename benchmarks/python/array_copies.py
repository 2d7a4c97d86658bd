# benchmarks/python/array_copies.py: fields out of a simulation and into it, beside a copy of the same array by NumPy
"""Prints the best time of each way, the ways in turn, and its ratio to numpy.copyto into an array that is there ("out", "in") or to array.copy() ("new").

    PYTHONPATH=build/release/python python3 benchmarks/python/array_copies.py [--threads N] [--rounds N]
"""
import argparse
import time

import numpy as np

import mottle

PAGE = 4096
SIZES = ((256, 256), (512, 512), (1000, 1000), (1024, 1024), (2048, 2048), (4096, 4096))


def placed(shape, dtype, place):
    """An array that begins `place` bytes into a page. Copies between arrays that begin 16 bytes apart in their pages may take ten times as long
    (256 KiB on a Zen 3: 88 us in place of 7), which would flatter every other way."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + 2 * PAGE, np.uint8)
    first = -memory.ctypes.data % PAGE + place
    return memory[first:first + size].view(dtype).reshape(shape)


def measure(size, precision, threads, rounds):
    """The best seconds of each way."""
    simulation = mottle.Simulation("gray-scott", size=size, precision=precision, threads=threads)
    dtype = {"f32": np.float32, "f64": np.float64}[precision]
    values, buffer = placed(size[::-1], dtype, 0), placed(size[::-1], dtype, 1024)
    values[...] = np.random.default_rng(0).random(size[::-1])
    ways = {
        "copyto": lambda: np.copyto(buffer, values),
        "out": lambda: simulation.read("u", buffer),
        "copy": lambda: values.copy(),
        "new": lambda: simulation["u"],
        "in": lambda: simulation.write("u", values),
    }
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, way in ways.items():
            start = time.perf_counter()
            kept = way()  # given back outside of the time
            best[name] = min(best[name], time.perf_counter() - start)
            del kept
    np.testing.assert_array_equal(simulation["u"], values)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args()
    print(f"{options.threads} threads, best of {options.rounds}: microseconds, and the ratio to the copy")
    print(f"{'':>18} {'copyto':>9} {'out':>9} {'in':>9} {'copy':>9} {'new':>9} | {'out':>5} {'in':>5} {'new':>5}")
    for size in SIZES:
        for precision in ("f32", "f64"):
            best = measure(size, precision, options.threads, options.rounds)
            times = " ".join(f"{best[name] * 1e6:9.1f}" for name in ("copyto", "out", "in", "copy", "new"))
            ratios = " ".join(f"{best[name] / best[copy]:5.2f}" for name, copy in (("out", "copyto"), ("in", "copyto"), ("new", "copy")))
            print(f"{size[0]:>6} x {size[1]:<4} {precision} {times} | {ratios}", flush=True)


if __name__ == "__main__":
    main()
