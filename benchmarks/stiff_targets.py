#!/usr/bin/env python3
# benchmarks/stiff_targets.py: stiff problems on surfaces: seconds of each method beside Euler's, with errors or measures that are checked in the same run
"""Usage: stiff_targets.py [--mottle build/release/bin/mottle] [--peers build/release/benchmarks/bench_peers] [--out FOLDER] [--references] PROBLEM ...

human_man: Gray-Scott on human_man.obj from a smooth start to t = 400, f32. The error is the root mean square of u against CVODE (tolerance 1e-9, f64) by the standard
deviation. --references computes that alone, and keeps it in the folder.
kaa: Murray's chemotaxis on the mesh of the surface paper to t = 400, f32. Where a pattern forms from noise, cells cannot be compared for so long: mean, standard deviation and
extremes of both fields are, with Euler's run.
Seconds are those of the time steps alone. On planes: bench_stabilised.
"""
import argparse
import json
import subprocess
import sys
from array import array
from pathlib import Path

from work_precision import PROBLEMS, Bench, error_of, load

HUMAN_MAN = [("euler", None)] + [(m, dt) for m in ("rkl1", "sts1") for dt in (1, 2)] + [(m, dt) for m in ("rkl2", "sts2") for dt in (2, 4, 8)]
KAA = [("sts1", 0.05), ("sts1", 0.1), ("sts1", 0.2), ("sts2", 0.1), ("sts2", 0.2), ("sts2", 0.4), ("rkl2", 0.2), ("euler", None)]


def flags_of(method, dt):
    return ["--method", method] + (["--dt", repr(dt)] if dt else [])


def run(args, more):
    command = [args.mottle, "run"] + more + ["--threads", str(args.threads), "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{' '.join(more)}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.returncode}", flush=True)
        return None
    return json.loads(done.stdout)


def human_man(args):
    folder = args.out / "human_man"
    folder.mkdir(parents=True, exist_ok=True)
    bench, kept = Bench(args, folder, PROBLEMS["human_man"]), folder / "exact.raw"
    if args.references or not kept.exists():
        exact, exactness, how = bench.reference()
        kept.write_bytes(exact.tobytes())
        print(f"reference by {how}, its error {exactness:.1e}", flush=True)
        if args.references:
            return
    exact = array("d")
    exact.frombytes(kept.read_bytes())
    euler = None
    for method, dt in HUMAN_MAN:
        end, best, told = folder / "end.npy", None, None
        for _ in range(1 if method == "euler" else 3):
            told = run(args, [str(bench.model)] + bench.flags + ["--time", str(bench.time), "-o", str(end)] + flags_of(method, dt))
            if told and (best is None or told["seconds"]["simulate"] < best):
                best = told["seconds"]["simulate"]
        if best is None:
            continue
        euler = euler or best
        error = error_of(load(end)[:bench.count], exact)
        print(f"human_man {method:6} dt {told['dt']:<10.4g} {told['stages']:4} stages {told['steps']:8} steps {best:8.3f} s  Euler's by it {euler / best:6.1f}  error {error:.2e}",
              flush=True)


def kaa(args):
    for method, dt in KAA:
        told = run(args, ["chemotaxis", "--mesh", "kaa", "--time", "400"] + flags_of(method, dt))
        if told:
            measures = "  ".join(f"{name} " + " ".join(f"{field[key]:.4g}" for key in ("min", "max", "mean", "std")) for name, field in told["fields"].items())
            print(f"kaa {method:6} dt {told['dt']:<10.4g} {told['stages']:4} stages {told['steps']:8} steps {told['seconds']['simulate']:8.3f} s  {measures}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="+", help="human_man, kaa")
    parser.add_argument("--mottle", default="build/release/bin/mottle")
    parser.add_argument("--peers", default="build/release/benchmarks/bench_peers")
    parser.add_argument("--out", type=Path, default="stiff-targets")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--references", action="store_true")
    args = parser.parse_args()
    args.quick, args.longest = False, 60  # of Bench
    for name in args.problems:
        if name not in ("human_man", "kaa"):
            sys.exit(f"no problem is called {name}; there are human_man and kaa")
        {"human_man": human_man, "kaa": kaa}[name](args)


if __name__ == "__main__":
    main()
