# benchmarks/python/beside_python.py: the same steps by mottle, NumPy, numba and py-pde, as far as they are installed, in one run
"""Gray-Scott, Brusselator and Cahn-Hilliard in f64 on periodic planes: million cell updates per second, Python included.

The states after some steps must agree before anything is timed. Ways take turns, round by round, so that whatever disturbs the machine disturbs
all alike; the figure is the median of the rounds, or the best of many short ones (--best), for a machine that others use.

    PYTHONPATH=build/release/python python3 benchmarks/python/beside_python.py [--sizes 512 1024] [--rounds 7] [--threads 2] [--best] [--json FILE]
"""
from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time

import numpy as np

import mottle

try:
    import numba
except ImportError:
    numba = None
try:
    import pde
except ImportError:
    pde = None

SECONDS, SHORT = 0.4, 0.02  # of a round, about


# ---- plain NumPy: slices of padded arrays, no memory taken in a step

class Padded:
    """A field with a rim of wrapped cells, and the 5-point Laplacian without new arrays."""

    def __init__(self, values):
        self.all = np.pad(values, 1, mode="wrap")
        self.inside = self.all[1:-1, 1:-1]
        self.lap = np.empty_like(values)

    def wrap(self):
        a = self.all
        a[0], a[-1] = a[-2], a[1]
        a[:, 0], a[:, -1] = a[:, -2], a[:, 1]

    def laplacian(self):
        self.wrap()
        a, out = self.all, self.lap
        np.add(a[:-2, 1:-1], a[2:, 1:-1], out=out)
        out += a[1:-1, :-2]
        out += a[1:-1, 2:]
        out -= 4 * self.inside
        return out


def numpy_two(reaction, Du, Dv, dt):
    """Steps of two fields; `reaction` gives both rates."""
    def run(state, steps):
        u, v = Padded(state[0]), Padded(state[1])
        for _ in range(steps):
            lap_u, lap_v = u.laplacian(), v.laplacian()
            rate_u, rate_v = reaction(u.inside, v.inside)
            lap_u *= Du
            lap_v *= Dv
            lap_u += rate_u
            lap_v += rate_v
            lap_u *= dt
            lap_v *= dt
            u.inside += lap_u
            v.inside += lap_v
        return [u.inside.copy(), v.inside.copy()]
    return run


def gray_scott_rates(u, v, F=0.037, k=0.06):
    uvv = u * v
    uvv *= v
    return F * (1 - u) - uvv, uvv - (F + k) * v


def brusselator_rates(u, v, a=1.0, b=3.0):
    uuv = u * u
    uuv *= v
    return a - (b + 1) * u + uuv, b * u - uuv


def numpy_cahn_hilliard(dt=0.01, gamma=0.5):
    def run(state, steps):
        c, mu = Padded(state[0]), Padded(np.zeros_like(state[0]))
        for _ in range(steps):
            lap = c.laplacian()
            np.multiply(c.inside, c.inside, out=mu.inside)
            mu.inside -= 1
            mu.inside *= c.inside
            lap *= gamma
            mu.inside -= lap
            rate = mu.laplacian()
            rate *= dt
            c.inside += rate
        return [c.inside.copy()]
    return run


# ---- numba: loops over the cells of padded arrays, rows on all threads, so that the loop over x has no branch and becomes vectors

def numba_ways():
    from numba import njit, prange

    @njit
    def wrap(a):
        a[0, :] = a[-2, :]
        a[-1, :] = a[1, :]
        for y in range(a.shape[0]):
            a[y, 0] = a[y, -2]
            a[y, -1] = a[y, 1]

    @njit(inline="always")
    def lap(a, y, x):
        return a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1] - 4 * a[y, x]

    @njit(parallel=True)
    def gray_scott(u, v, u2, v2, Du, Dv, F, k, dt):
        for y in prange(1, u.shape[0] - 1):
            for x in range(1, u.shape[1] - 1):
                a, b = u[y, x], v[y, x]
                uvv = a * b * b
                u2[y, x] = a + dt * (Du * lap(u, y, x) - uvv + F * (1 - a))
                v2[y, x] = b + dt * (Dv * lap(v, y, x) + uvv - (F + k) * b)

    @njit(parallel=True)
    def brusselator(u, v, u2, v2, Du, Dv, p, q, dt):
        for y in prange(1, u.shape[0] - 1):
            for x in range(1, u.shape[1] - 1):
                a, b = u[y, x], v[y, x]
                uuv = a * a * b
                u2[y, x] = a + dt * (Du * lap(u, y, x) + p - (q + 1) * a + uuv)
                v2[y, x] = b + dt * (Dv * lap(v, y, x) + q * a - uuv)

    @njit(parallel=True)
    def potential(c, mu, gamma):
        for y in prange(1, c.shape[0] - 1):
            for x in range(1, c.shape[1] - 1):
                a = c[y, x]
                mu[y, x] = a * a * a - a - gamma * lap(c, y, x)

    @njit(parallel=True)
    def flow(c, mu, dt):
        for y in prange(1, c.shape[0] - 1):
            for x in range(1, c.shape[1] - 1):
                c[y, x] += dt * lap(mu, y, x)

    def padded(values):
        return np.pad(values, 1, mode="wrap")

    def inside(values):
        return values[1:-1, 1:-1].copy()

    def two(kernel, *numbers):
        def run(state, steps):
            u, v = padded(state[0]), padded(state[1])
            u2, v2 = np.empty_like(u), np.empty_like(v)
            for _ in range(steps):
                wrap(u)
                wrap(v)
                kernel(u, v, u2, v2, *numbers)
                u, v, u2, v2 = u2, v2, u, v
            return [inside(u), inside(v)]
        return run

    def cahn_hilliard(state, steps):
        c, mu = padded(state[0]), padded(state[0])
        for _ in range(steps):
            wrap(c)
            potential(c, mu, 0.5)
            wrap(mu)
            flow(c, mu, 0.01)
        return [inside(c)]

    return {"Gray-Scott": two(gray_scott, 0.2, 0.1, 0.037, 0.06, 1.0), "Brusselator": two(brusselator, 1.0, 8.0, 1.0, 3.0, 0.01),
            "Cahn-Hilliard": cahn_hilliard}


# ---- the cases

CASES = {
    "Gray-Scott": dict(
        text='equations.u = "0.2*lap(u) - u*v^2 + 0.037*(1 - u)"\nequations.v = "0.1*lap(v) + u*v^2 - 0.097*v"\ninitial = {u = 0, v = 0}\ntime.dt = 1\n',
        names=["u", "v"], dt=1.0, start=lambda rng, n: [1 - 0.5 * rng.random((n, n)), 0.25 * rng.random((n, n))],
        numpy=numpy_two(gray_scott_rates, 0.2, 0.1, 1.0),
        pde={"u": "0.2*laplace(u) - u*v**2 + 0.037*(1 - u)", "v": "0.1*laplace(v) + u*v**2 - 0.097*v"}),
    "Brusselator": dict(
        text='equations.u = "lap(u) + 1 - 4*u + u^2*v"\nequations.v = "8*lap(v) + 3*u - u^2*v"\ninitial = {u = 0, v = 0}\ntime.dt = 0.01\n',
        names=["u", "v"], dt=0.01, start=lambda rng, n: [1 + 0.1 * rng.random((n, n)), 3 + 0.1 * rng.random((n, n))],
        numpy=numpy_two(brusselator_rates, 1.0, 8.0, 0.01), pde={"u": "laplace(u) + 1 - 4*u + u**2*v", "v": "8*laplace(v) + 3*u - u**2*v"}),
    "Cahn-Hilliard": dict(
        text='equations.c = "lap(c^3 - c - 0.5*lap(c))"\ninitial.c = 0\ntime.dt = 0.01\n',
        names=["c"], dt=0.01, start=lambda rng, n: [0.2 * rng.random((n, n)) - 0.1],
        numpy=numpy_cahn_hilliard(), pde={"c": "laplace(c**3 - c - 0.5*laplace(c))"}),
}


def mottle_way(case, n, threads):
    sim = mottle.Simulation(case["text"], size=(n, n), precision="f64", threads=threads)

    def run(state, steps):
        for name, values in zip(case["names"], state):
            sim[name] = values
        sim.advance(steps)
        return [sim[name] for name in case["names"]]
    return run


def pde_way(case, n):
    grid = pde.UnitGrid([n, n], periodic=True)
    equation = pde.PDE(case["pde"])

    def run(state, steps):
        fields = [pde.ScalarField(grid, values) for values in state]
        start = fields[0] if len(fields) == 1 else pde.FieldCollection(fields)
        end = equation.solve(start, t_range=steps * case["dt"], dt=case["dt"], solver="explicit", tracker=None)
        return [end.data] if len(fields) == 1 else list(end.data)
    return run


def ways_of(name, n, threads):
    case = CASES[name]
    ways = {"mottle": mottle_way(case, n, threads), "NumPy": case["numpy"]}
    if numba:
        ways["numba"] = numba_ways()[name]
    if pde:
        ways["py-pde"] = pde_way(case, n)
    return ways


def measure(name, n, rounds, threads, best):
    start = CASES[name]["start"](np.random.default_rng(1), n)
    ways = ways_of(name, n, threads)
    expected = None
    steps = {}
    for way, run in ways.items():
        run(start, 1)  # compiles
        fields = run(start, 20)
        expected = fields if expected is None else expected
        for ours, theirs in zip(expected, fields):
            np.testing.assert_allclose(theirs, ours, rtol=1e-9, atol=1e-11, err_msg=f"{name}: {way}")
        count = 20
        while True:
            began = time.perf_counter()
            run(start, count)
            seconds = time.perf_counter() - began
            if seconds > SECONDS / 4:
                break
            count *= 2
        steps[way] = max(1, int(count * (SHORT if best else SECONDS) / seconds))
    rates = {way: [] for way in ways}
    for _ in range(10 * rounds if best else rounds):
        for way, run in ways.items():
            began = time.perf_counter()
            run(start, steps[way])
            rates[way].append(n * n * steps[way] / (time.perf_counter() - began) / 1e6)
    return {way: max(values) if best else statistics.median(values) for way, values in rates.items()}


def calls(rounds):
    """Microseconds of advance(steps=1) beside the step, on a plane of 8 x 8 cells, whose step takes next to nothing, and on 512 x 512."""
    small = mottle.Simulation("gray-scott", size=(8, 8), threads=1)
    large = mottle.Simulation("gray-scott", size=(512, 512))
    figures = {}
    for name, sim in (("8x8", small), ("512x512", large)):
        beside = []
        for _ in range(rounds):
            inside, began = sim.facts["seconds"]["simulate"], time.perf_counter()
            for _ in range(1000):
                sim.advance(steps=1)
            seconds = time.perf_counter() - began
            beside.append((seconds - (sim.facts["seconds"]["simulate"] - inside)) * 1e3)
        figures[name] = statistics.median(beside)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[512, 1024])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="of each way (NumPy takes one)")
    parser.add_argument("--best", action="store_true", help="the best of rounds of 20 ms, ten times as many")
    arguments = parser.parse_args()
    if numba:
        numba.set_num_threads(arguments.threads)
    found = ["mottle " + mottle.__version__, "NumPy " + np.__version__] + (["numba " + numba.__version__] if numba else []) + (
        ["py-pde " + pde.__version__] if pde else [])
    print(", ".join(found), "on Python", platform.python_version(), "with", arguments.threads, "threads;", "best of short rounds" if arguments.best else "median of rounds")
    results = {"versions": found, "rates": {}}
    print(f"{'million cell updates per second, f64':40s}" + "".join(f"{way:>10s}" for way in ways_of("Gray-Scott", 16, arguments.threads)))
    for name in CASES:
        for n in arguments.sizes:
            rates = measure(name, n, arguments.rounds, arguments.threads, arguments.best)
            results["rates"][f"{name} {n}"] = rates
            print(f"{name + f', {n} x {n}':40s}" + "".join(f"{rate:10.4g}" for rate in rates.values()))
            sys.stdout.flush()
    results["call"] = calls(arguments.rounds)
    print("a call of advance(steps=1) beside the step: " + ", ".join(f"{value:.2f} us ({name})" for name, value in results["call"].items()))
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
