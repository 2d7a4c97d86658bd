#!/usr/bin/env python3
# benchmarks/stiff_targets.py: stiff problems: seconds of each method beside Euler's, with errors or measures that are checked in the same run
"""Usage: stiff_targets.py [--mottle build/release/bin/mottle] [--peers build/release/benchmarks/bench_peers] [--out FOLDER] [--references] PROBLEM ...

human_man: Gray-Scott on human_man.obj from a smooth start to t = 400, f32. The error is the root mean square of u against CVODE (tolerance 1e-9, f64) by the standard
deviation. --references computes that alone, and keeps it in the folder.
kaa: Murray's chemotaxis on the mesh of the surface paper to t = 400, f32. The pattern forms from noise and never rests, so cells cannot be compared for so long, nor one moment's
measures: the averages over t = 200 to 400 of mean and standard deviation of both fields are, with Euler's run.
inhibitor: an activator and an inhibitor that diffuses 500 times as fast, 2048^2, f32, to t = 20 from waves that repeat after 64 cells, whose errors are those against rk4 in plain
loops on 64^2.
kuramoto: the Kuramoto-Sivashinsky equation on 128^2 cells of side 1/2 from a smooth start to t = 20, f64; errors as of inhibitor.
Seconds are those of the time steps alone. Schnakenberg's model on planes: bench_stabilised.
"""
import argparse
import json
import subprocess
import sys
from array import array
from pathlib import Path

from work_precision import PROBLEMS, Bench, error_of, load

TILE = 64  # cells, after which the waves of inhibitor repeat
WAVES = "(cos(2*pi*(3*x + y)/64) + cos(2*pi*(2*y - x)/64 + 0.4*pi) + cos(2*pi*(4*x - 3*y)/64))"
INHIBITOR = dict(equations="fast-inhibitor", fields=2, size=TILE, time=20, rate=4010,
                 model="equations = { u = 'lap(u) + u - u^3 - v', v = '500*lap(v) + 3*u - 2*v' }\n"
                       f"initial = {{ u = '0.05*{WAVES}', v = '0.05*{WAVES}' }}\nfields = {{ u = {{ range = [-2, 2] }}, v = {{ range = [-2, 2] }} }}\n")
INHIBITOR_WAYS = [("euler", None)] + [(m, dt) for m in ("sts1", "sts2", "rkl2") for dt in (0.25, 0.5, 1, 2)]
KURAMOTO_WAYS = ([("euler", None), ("euler", 0.0005)] + [(m, None) for m in ("heun", "rk4")] + [("rkl2", dt) for dt in (0.02, 0.01, 0.005)] +
                 [("etdrk4", dt) for dt in (0.2, 0.1, 0.05, 0.025)])

HUMAN_MAN = [("euler", None)] + [(m, dt) for m in ("rkl1", "sts1") for dt in (1, 2)] + [(m, dt) for m in ("rkl2", "sts2") for dt in (2, 4, 8)]
KAA = [("sts1", 0.05), ("sts1", 0.1), ("sts1", 0.2), ("sts2", 0.1), ("sts2", 0.2), ("sts2", 0.4), ("sts2", 0.8), ("euler", None)]


def flags_of(method, dt):
    return ["--method", method] + (["--dt", repr(dt)] if dt else [])


def run(args, more):
    command = [args.mottle, "run"] + more + ["--threads", str(args.threads), "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{' '.join(more)}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.returncode}", flush=True)
        return None
    return json.loads(done.stdout)


def race(args, name, ways, flags, end, error_at_end):
    """Prints seconds, and the error of the cells at the end, of each way: the least of some turns; Euler's method has one."""
    euler = None
    for method, dt in ways:
        best, told = None, None
        for _ in range(1 if method == "euler" else args.turns):
            told = run(args, flags + ["-o", str(end)] + flags_of(method, dt))
            if told and (best is None or told["seconds"]["simulate"] < best):
                best = told["seconds"]["simulate"]
        if best is None:
            continue
        euler = euler or best
        print(f"{name} {method:6} dt {told['dt']:<10.4g} {told['stages']:4} stages {told['steps']:8} steps {best:8.3f} s  Euler's by it {euler / best:6.1f}  "
              f"error {error_at_end(load(end)):.2e}", flush=True)


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
    race(args, "human_man", HUMAN_MAN, [str(bench.model)] + bench.flags + ["--time", str(bench.time)], folder / "end.npy",
         lambda cells: error_of(cells[:bench.count], exact))


def plane(name, problem, ways, size, precision):
    """Errors of the first tile of a plane of size^2 cells against rk4 in plain loops on that tile."""
    def measure(args):
        folder = args.out / name
        folder.mkdir(parents=True, exist_ok=True)
        bench, tile = Bench(args, folder, problem), problem["size"]
        exact, exactness, how = bench.reference()
        print(f"{name}: reference by {how}, its error {exactness:.1e}", flush=True)
        flags = ["--size", f"{size}x{size}", "--spacing", str(problem.get("spacing", 1)), "--precision", precision, "--time", str(bench.time)]
        race(args, name, ways, [str(bench.model)] + flags, folder / "end.npy",
             lambda cells: error_of([x for row in range(tile) for x in cells[row * size:row * size + tile]], exact))
    return measure


def averages_of(file, after):
    """{column: its mean over the rows of a .csv from the time `after` on}."""
    lines = Path(file).read_text().splitlines()
    names = lines[0].split(",")
    rows = [[float(x) for x in line.split(",")] for line in lines[1:]]
    rows = [row for row in rows if row[names.index("time")] >= after]
    return {name: sum(row[i] for row in rows) / len(rows) for i, name in enumerate(names)}


def kaa(args):
    series = args.out / "kaa.csv"
    args.out.mkdir(parents=True, exist_ok=True)
    for method, dt in KAA:
        told = run(args, ["chemotaxis", "--mesh", "kaa", "--time", "400", "--frames", "400", "-o", str(series)] + flags_of(method, dt))
        if told:
            means = averages_of(series, 200)
            measures = "  ".join(f"{name} " + " ".join(f"{means[f'{name}.{key}']:.4g}" for key in ("mean", "std")) for name in ("n", "c"))
            print(f"kaa {method:6} dt {told['dt']:<10.4g} {told['stages']:4} stages {told['steps']:8} steps {told['seconds']['simulate']:8.3f} s  {measures}", flush=True)


PROBLEM_OF = {
    "human_man": human_man,
    "kaa": kaa,
    "inhibitor": plane("inhibitor", INHIBITOR, INHIBITOR_WAYS, 2048, "f32"),
    "kuramoto": plane("kuramoto", dict(PROBLEMS["kuramoto-sivashinsky"], size=128), KURAMOTO_WAYS, 128, "f64"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="+", help=", ".join(PROBLEM_OF))
    parser.add_argument("--mottle", default="build/release/bin/mottle")
    parser.add_argument("--peers", default="build/release/benchmarks/bench_peers")
    parser.add_argument("--out", type=Path, default="stiff-targets")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=3, help="of which the least seconds count; Euler's method has one")
    parser.add_argument("--references", action="store_true")
    args = parser.parse_args()
    args.quick, args.longest = False, 60  # of Bench
    for name in args.problems:
        if name not in PROBLEM_OF:
            sys.exit(f"no problem is called {name}; there are {', '.join(PROBLEM_OF)}")
        PROBLEM_OF[name](args)


if __name__ == "__main__":
    main()
