#!/usr/bin/env python3
# benchmarks/work_precision.py: error at the end against seconds, for every method with steps of one dt and with tolerances, drawn as SVG
"""Usage: work_precision.py [--mottle build/release/bin/mottle] [--out FOLDER] [--turns 3] [PROBLEM ...]

For each problem a reference is computed by short steps of rk4 in f64; tests/physics compares such runs with plain loops. The error of a run is the root mean square
of its first field against the reference, by the standard deviation. Seconds are those of the time steps alone, the least of some turns, in which the runs
take turns. Writes PROBLEM.svg and PROBLEM.json; needs nothing but Python. Meshes are looked for in MOTTLE_TEST_MESHES.
"""
import argparse
import ast
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

WAVES = "(cos(2*pi*(3*X + Y)) + cos(2*pi*(2*Y - X + 0.2)) + cos(2*pi*(4*X - 3*Y)))"
SCHNAKENBERG = "equations = { u = 'lap(u) + 0.1 - u + u^2*v', v = '40*lap(v) + 0.9 - u^2*v' }\n"
FIELDS = "fields = { u = { range = [0, 5] }, v = { range = [0, 2] } }\n"
PROBLEMS = {
    "schnakenberg": dict(
        model=SCHNAKENBERG + FIELDS + f"initial = {{ u = '1 + 0.05*{WAVES}', v = '0.9 + 0.05*{WAVES}' }}\n",
        flags=["--size", "256x256", "--time", "30"], time=30, reference=0.005),
    "gray-scott": dict(
        model="equations = { u = '0.16*lap(u) - u*v^2 + 0.037*(1 - u)', v = '0.08*lap(v) + u*v^2 - 0.097*v' }\n"
              "define.s = '0.5 + 0.5*tanh(6*(cos(6*pi*X) + cos(6*pi*Y) - 0.8))'\ninitial = { u = '1 - 0.5*s', v = '0.25*s' }\n"
              "fields = { u = { range = [0, 1] }, v = { range = [0, 1] } }\n",
        flags=["--size", "256x256", "--time", "400"], time=400, reference=0.2),
    "fitzhugh-nagumo": dict(
        model="equations = { u = 'lap(u) + 5*(u - u^3/3 - v)', v = '0.2*(u + 0.7 - 0.5*v)' }\n"
              "initial = { u = '2*tanh(4*cos(2*pi*X))', v = '0.8*tanh(4*cos(2*pi*(Y - X)))' }\n"
              "fields = { u = { range = [-2.5, 2.5] }, v = { range = [-2, 2] } }\n",
        flags=["--size", "256x256", "--time", "20"], time=20, reference=0.01),
    "cahn-hilliard": dict(
        model=f"equations.u = 'lap(u^3 - u) - bilap(u)'\ninitial.u = '0.1*{WAVES}'\nfields.u.range = [-1, 1]\n",
        flags=["--size", "128x128", "--time", "100"], time=100, reference=0.01),
    "sphere": dict(
        model=SCHNAKENBERG + FIELDS + "initial = { u = '1 + 0.2*sin(x)*cos(0.5*y)', v = '0.9 + 0.1*cos(y + 0.3*z)' }\n",
        flags=["--mesh", "sphere:5", "--scale", "20", "--time", "20"], time=20, reference=None),
    "spot": dict(
        model=SCHNAKENBERG + FIELDS + "initial = { u = '1 + 0.2*sin(x)*cos(0.5*y)', v = '0.9 + 0.1*cos(y + 0.3*z)' }\n",
        flags=["--mesh", "spot.obj", "--scale", "20", "--time", "20"], time=20, reference=None),
}
COLOURS = {"euler": "#777777", "midpoint": "#c49c00", "heun": "#b07000", "rk4": "#2ca02c", "rkl1": "#d62728", "rkl2": "#1f77b4"}


def load(file):
    """The numbers of a .npy."""
    data = Path(file).read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    count = math.prod(header["shape"])
    return struct.unpack(f"<{count}{'d' if 'f8' in header['descr'] else 'f'}", data[10 + length:10 + length + count * (8 if "f8" in header["descr"] else 4)])


def error_of(values, exact):
    mean = math.fsum(exact) / len(exact)
    deviation = math.fsum((x - mean)**2 for x in exact)
    return math.sqrt(math.fsum((a - b)**2 for a, b in zip(values, exact)) / deviation)


class Bench:
    def __init__(self, mottle, folder, problem):
        self.mottle, self.folder = mottle, Path(folder)
        self.model = self.folder / "model.toml"
        self.model.write_text(problem["model"])
        self.flags = problem["flags"]

    def run(self, more):
        """(seconds, values), or None where the run is refused or diverges."""
        out = self.folder / "end.npy"
        done = subprocess.run([self.mottle, "run", str(self.model), "--precision", "f64", "--field", "u", "--json", "-o", str(out)] + self.flags + more,
                              capture_output=True, text=True)
        if done.returncode != 0:
            return None
        return json.loads(done.stdout)["seconds"]["simulate"], load(out)


def runs_of(problem):
    """Label -> the flags of each point of a line."""
    lines = {}
    for method in ("euler", "midpoint", "heun", "rk4"):
        lines[method] = [["--method", method, "--dt", repr(problem["time"] / n)] for n in counts(problem)]
    for method in ("rkl1", "rkl2"):
        lines[method] = [["--method", method, "--dt", repr(problem["time"] / n)] for n in (16, 32, 64, 128, 256, 512, 1024)]
    for method in ("rkl1", "rkl2", "rk4"):
        lines[method + " by tolerance"] = [["--method", method, "--tolerance", t] for t in ("3e-2", "1e-2", "3e-3", "1e-3", "3e-4", "1e-4")]
    return lines


def counts(problem):
    return [2**k for k in range(8, 15)]


def measure(name, problem, mottle, turns):
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(mottle, folder, problem)
        fine = ["--method", "rk4", "--dt", repr(problem["reference"])] if problem["reference"] else ["--method", "rkl2", "--tolerance", "1e-7"]
        reference = bench.run(fine)
        if reference is None:
            sys.exit(f"{name}: the reference does not run")
        exact = reference[1]
        points = []
        for label, line in runs_of(problem).items():
            for flags in line:
                points.append(dict(method=label, flags=flags, seconds=math.inf, error=None))
        for _ in range(turns):
            for point in points:
                if point["seconds"] == 0:
                    continue
                result = bench.run(point["flags"])
                if result is None:  # a dt beyond the limit
                    point["seconds"] = 0
                    continue
                point["seconds"] = min(point["seconds"], result[0])
                point["error"] = error_of(result[1], exact)
        return [p for p in points if p["error"] is not None and p["error"] > 0 and math.isfinite(p["error"]) and p["error"] < 10]


def draw(name, points):
    """Both axes by decades."""
    width, height, left, bottom = 720, 480, 70, 50
    xs, ys = [math.log10(p["seconds"]) for p in points], [math.log10(p["error"]) for p in points]
    low_x, high_x, low_y, high_y = math.floor(min(xs)), math.ceil(max(xs)), math.floor(min(ys)), math.ceil(max(ys))
    x_of = lambda v: left + (v - low_x) / max(1, high_x - low_x) * (width - left - 190)
    y_of = lambda v: height - bottom - (v - low_y) / max(1, high_y - low_y) * (height - bottom - 40)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>', f'<text x="{left}" y="22" font-size="15">{name}: error at the end against seconds</text>']
    for k in range(low_x, high_x + 1):
        out.append(f'<path d="M{x_of(k):.1f} {y_of(low_y):.1f}V{y_of(high_y):.1f}" stroke="#ddd"/><text x="{x_of(k):.1f}" y="{height - bottom + 18}" text-anchor="middle">1e{k} s</text>')
    for k in range(low_y, high_y + 1):
        out.append(f'<path d="M{x_of(low_x):.1f} {y_of(k):.1f}H{x_of(high_x):.1f}" stroke="#ddd"/><text x="{left - 8}" y="{y_of(k) + 4:.1f}" text-anchor="end">1e{k}</text>')
    for i, label in enumerate(dict.fromkeys(p["method"] for p in points)):
        own = [p for p in points if p["method"] == label]
        colour, dash = COLOURS[label.split()[0]], ' stroke-dasharray="6 3"' if "tolerance" in label else ""
        places = [f"{x_of(math.log10(p['seconds'])):.1f} {y_of(math.log10(p['error'])):.1f}" for p in own]
        out.append(f'<path d="M{"L".join(places)}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        for place in places:
            out.append(f'<circle cx="{place.split()[0]}" cy="{place.split()[1]}" r="3" fill="{colour}"/>')
        out.append(f'<path d="M{width - 175} {45 + 20 * i}h24" stroke="{colour}" stroke-width="2"{dash}/><text x="{width - 145}" y="{49 + 20 * i}">{label}</text>')
    return "\n".join(out + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", help=", ".join(PROBLEMS))
    parser.add_argument("--mottle", default="build/release/bin/mottle")
    parser.add_argument("--out", default="work-precision")
    parser.add_argument("--turns", type=int, default=3)
    args = parser.parse_args()
    unknown = [name for name in args.problems if name not in PROBLEMS]
    if unknown:
        parser.error(f"no problem is called {unknown[0]}; there are {', '.join(PROBLEMS)}")
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    for name in args.problems or PROBLEMS:
        problem = dict(PROBLEMS[name])
        meshes = os.environ.get("MOTTLE_TEST_MESHES", "")
        problem["flags"] = [os.path.join(meshes, flag) if flag.endswith(".obj") else flag for flag in problem["flags"]]
        points = measure(name, problem, args.mottle, args.turns)
        (out / f"{name}.svg").write_text(draw(name, points))
        (out / f"{name}.json").write_text(json.dumps(points, indent=1) + "\n")
        for p in points:
            print(f"{name:16} {p['method']:20} {' '.join(p['flags'][2:]):30} {p['seconds']:9.4f} s  error {p['error']:.2e}")


if __name__ == "__main__":
    main()
