# benchmarks/python/gpu_peers.py: the same Gray-Scott steps by PyTorch and by Triton kernels, on the card that bench_gpu_rate measures
"""Gray-Scott in f32 on periodic planes, 5-point Laplacian: thousand million cell updates per second of what people write for a card.

- torch: array operations (torch.roll), a launch for each.
- triton, 3 launches: two Laplacians and an update in place, as the Triton article's program has them.
- triton, fused: one launch for a step that reads every field once from memory, the best of several shapes of a block.

Every way must give the states of a plain NumPy loop in f64 before anything is timed. Launches are recorded into a CUDA graph, so that no time of
Python is counted; the figure is the median of the rounds, timed by events of the card.

    python3 benchmarks/python/gpu_peers.py [--sizes 512 1024 4096 16384] [--rounds 5] [--json FILE]
"""
from __future__ import annotations

import argparse
import json
import statistics
import sys

import numpy as np
import torch
import triton
import triton.language as tl

F, K, DU, DV, DT = 0.037, 0.06, 0.16, 0.08, 1.0


def start(n):
    """A square of v in u = 1, with noise: values that differ from cell to cell."""
    noise = np.random.default_rng(7)
    u, v = np.ones((n, n)), np.zeros((n, n))
    a, b = n // 2 - n // 16, n // 2 + n // 16
    u[a:b, a:b], v[a:b, a:b] = 0.5, 0.25
    return (u - 0.02 * noise.random((n, n))).astype(np.float32), (v + 0.02 * noise.random((n, n))).astype(np.float32)


def plain(u, v, steps):
    def lap(a):
        return np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4 * a

    u, v = u.astype(np.float64), v.astype(np.float64)
    for _ in range(steps):
        rate = u * v * v
        u, v = u + DT * (DU * lap(u) - rate + F * (1 - u)), v + DT * (DV * lap(v) + rate - (F + K) * v)
    return u, v


@triton.jit
def laplacian(source, target, N: tl.constexpr, BY: tl.constexpr, BX: tl.constexpr):
    y = tl.program_id(1) * BY + tl.arange(0, BY)[:, None]
    x = tl.program_id(0) * BX + tl.arange(0, BX)[None, :]
    up, down, left, right = (y + N - 1) % N, (y + 1) % N, (x + N - 1) % N, (x + 1) % N
    inside = (y < N) & (x < N)
    total = tl.load(source + up * N + x, mask=inside) + tl.load(source + down * N + x, mask=inside)
    total += tl.load(source + y * N + left, mask=inside) + tl.load(source + y * N + right, mask=inside)
    tl.store(target + y * N + x, total - 4 * tl.load(source + y * N + x, mask=inside), mask=inside)


@triton.jit
def update(u_at, v_at, lu_at, lv_at, F, K, DU, DV, DT, COUNT: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    inside = i < COUNT
    u, v = tl.load(u_at + i, mask=inside), tl.load(v_at + i, mask=inside)
    lu, lv = tl.load(lu_at + i, mask=inside), tl.load(lv_at + i, mask=inside)
    rate = u * v * v
    tl.store(u_at + i, u + DT * (DU * lu - rate + F * (1 - u)), mask=inside)
    tl.store(v_at + i, v + DT * (DV * lv + rate - (F + K) * v), mask=inside)


@triton.jit
def fused(u_at, v_at, u_to, v_to, F, K, DU, DV, DT, N: tl.constexpr, BY: tl.constexpr, BX: tl.constexpr):
    y = tl.program_id(1) * BY + tl.arange(0, BY)[:, None]
    x = tl.program_id(0) * BX + tl.arange(0, BX)[None, :]
    up, down, left, right = (y + N - 1) % N, (y + 1) % N, (x + N - 1) % N, (x + 1) % N
    inside = (y < N) & (x < N)
    here = y * N + x
    u, v = tl.load(u_at + here, mask=inside), tl.load(v_at + here, mask=inside)
    lu = tl.load(u_at + up * N + x, mask=inside) + tl.load(u_at + down * N + x, mask=inside)
    lu += tl.load(u_at + y * N + left, mask=inside) + tl.load(u_at + y * N + right, mask=inside) - 4 * u
    lv = tl.load(v_at + up * N + x, mask=inside) + tl.load(v_at + down * N + x, mask=inside)
    lv += tl.load(v_at + y * N + left, mask=inside) + tl.load(v_at + y * N + right, mask=inside) - 4 * v
    rate = u * v * v
    tl.store(u_to + here, u + DT * (DU * lu - rate + F * (1 - u)), mask=inside)
    tl.store(v_to + here, v + DT * (DV * lv + rate - (F + K) * v), mask=inside)


class Torch:
    name = "torch"

    def __init__(self, u, v):
        self.u, self.v = u.clone(), v.clone()

    def two_steps(self):
        for _ in range(2):
            u, v = self.u, self.v
            lu, lv = (torch.roll(a, 1, 0) + torch.roll(a, -1, 0) + torch.roll(a, 1, 1) + torch.roll(a, -1, 1) - 4 * a for a in (u, v))
            rate = u * v * v
            new = u + DT * (DU * lu - rate + F * (1 - u)), v + DT * (DV * lv + rate - (F + K) * v)
            u.copy_(new[0])
            v.copy_(new[1])


class ThreeLaunches:
    name = "triton, 3 launches"

    def __init__(self, u, v):
        self.u, self.v, self.lu, self.lv, self.n = u.clone(), v.clone(), torch.empty_like(u), torch.empty_like(v), u.shape[0]

    def two_steps(self):
        n, count = self.n, self.n * self.n
        for _ in range(2):
            grid = (triton.cdiv(n, 32), triton.cdiv(n, 32))
            laplacian[grid](self.u, self.lu, n, 32, 32)
            laplacian[grid](self.v, self.lv, n, 32, 32)
            update[(triton.cdiv(count, 1024),)](self.u, self.v, self.lu, self.lv, F, K, DU, DV, DT, count, 1024)


class Fused:
    def __init__(self, u, v, rows, columns, warps):
        self.name = f"triton, fused, {rows}x{columns}, {warps} warps"
        self.u, self.v, self.u2, self.v2, self.n = u.clone(), v.clone(), torch.empty_like(u), torch.empty_like(v), u.shape[0]
        self.shape, self.warps = (rows, columns), warps

    def two_steps(self):
        rows, columns = self.shape
        grid = (triton.cdiv(self.n, columns), triton.cdiv(self.n, rows))
        fused[grid](self.u, self.v, self.u2, self.v2, F, K, DU, DV, DT, self.n, rows, columns, num_warps=self.warps)
        fused[grid](self.u2, self.v2, self.u, self.v, F, K, DU, DV, DT, self.n, rows, columns, num_warps=self.warps)


def ways(u, v):
    yield lambda: Torch(u, v)
    yield lambda: ThreeLaunches(u, v)
    for rows, columns, warps in ((1, 512, 4), (1, 1024, 4), (4, 128, 4), (8, 128, 4), (4, 256, 8), (2, 512, 4)):
        yield lambda rows=rows, columns=columns, warps=warps: Fused(u, v, rows, columns, warps)


def check():
    n, steps = 192, 20
    u, v = start(n)
    wanted = plain(u, v, steps)
    for make in ways(torch.from_numpy(u).cuda(), torch.from_numpy(v).cuda()):
        way = make()
        for _ in range(steps // 2):
            way.two_steps()
        for field, right in zip((way.u, way.v), wanted):
            error = np.abs(field.double().cpu().numpy() - right).max()
            if not error < 1e-5:
                sys.exit(f"{way.name}: wrong by {error}")


def rate(make, n, rounds):
    way = make()
    for _ in range(3):
        way.two_steps()
    torch.cuda.synchronize()
    pairs = max(1, min(100, int(4e9 / (n * n * 2 * 20))))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(pairs):
            way.two_steps()
    graph.replay()
    seconds = []
    for _ in range(rounds):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        repeats = max(1, min(50, int(2e8 / (n * n * pairs))))
        begin.record()
        for _ in range(repeats):
            graph.replay()
        end.record()
        torch.cuda.synchronize()
        seconds.append(begin.elapsed_time(end) * 1e-3 / (repeats * pairs * 2))
    return way.name, 1 / statistics.median(seconds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", type=int, nargs="+", default=[512, 1024, 4096, 16384])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json")
    options = parser.parse_args()
    check()
    print(torch.cuda.get_device_name(), "torch", torch.__version__, "triton", triton.__version__, flush=True)
    results = []
    for n in options.sizes:
        u, v = (torch.from_numpy(a).cuda() for a in start(n))
        for make in ways(u, v):
            name, steps = rate(make, n, options.rounds)
            print(f"{n}x{n}, {name}: {steps * n * n * 1e-9:.4g} Gcell/s, {steps:.5g} steps/s", flush=True)
            results.append({"size": n, "way": name, "steps_per_second": steps, "cells_per_second": steps * n * n})
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"device": torch.cuda.get_device_name(), "results": results}, file, indent=1)


if __name__ == "__main__":
    main()
