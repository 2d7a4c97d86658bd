#!/usr/bin/env python3
# benchmarks/work_precision.py: error at the end against seconds, for all methods, with steps of one dt and with tolerances, beside SUNDIALS; drawn as SVG
"""Usage: work_precision.py [--quick] [--mottle build/release/bin/mottle] [--peers build/release/benchmarks/bench_peers] [--out FOLDER] [PROBLEM ...]

The error of a run is the root mean square of its first field against a reference, by the standard deviation. On planes the reference is computed by bench_peers,
by short steps of rk4 in plain loops that include nothing of Mottle; on meshes by its CVODE with a tolerance of 1e-9 (without SUNDIALS: by Mottle's rkl2 and a
tolerance of 1e-6). Each is computed a second time, by steps twice as long or ten times the tolerance, and the difference of both is its error.
Seconds are those of the time steps alone, the least of some turns. Peers: CVODE (BDF) and ARKODE (implicit diffusion, explicit rest) with GMRES, without and with a
preconditioner, on as many threads (Debian's libsundials-dev; without it they are left out). Writes PROBLEM.svg, PROBLEM.json and table.md; needs nothing but Python.
Meshes are looked for in MOTTLE_TEST_MESHES.
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
from array import array
from pathlib import Path

WAVES = "(cos(2*pi*(3*X + Y)) + cos(2*pi*(2*Y - X + 0.2)) + cos(2*pi*(4*X - 3*Y)))"
SCHNAKENBERG = "equations = { u = 'lap(u) + 0.1 - u + u^2*v', v = '40*lap(v) + 0.9 - u^2*v' }\nfields = { u = { range = [0, 5] }, v = { range = [0, 2] } }\n"
GRAY_SCOTT = ("equations = { u = '0.16*lap(u) - u*v^2 + 0.037*(1 - u)', v = '0.08*lap(v) + u*v^2 - 0.097*v' }\n"
              "fields = { u = { range = [0, 1] }, v = { range = [0, 1] } }\n")
SMOOTH = "initial = { u = '1 + 0.2*sin(x)*cos(0.5*y)', v = '0.9 + 0.1*cos(y + 0.3*z)' }\n"
PROBLEMS = {
    "gray-scott": dict(
        equations="gray-scott", fields=2, size=256, time=400, rate=1.5,
        model=GRAY_SCOTT + "define.s = '0.5 + 0.5*tanh(6*(cos(6*pi*X) + cos(6*pi*Y) - 0.8))'\ninitial = { u = '1 - 0.5*s', v = '0.25*s' }\n"),
    "schnakenberg": dict(
        equations="schnakenberg", fields=2, size=256, time=30, rate=330,
        model=SCHNAKENBERG + f"initial = {{ u = '1 + 0.05*{WAVES}', v = '0.9 + 0.05*{WAVES}' }}\n"),
    "cahn-hilliard": dict(
        equations="cahn-hilliard", fields=1, size=128, time=100, rate=80,
        model=f"equations.u = 'lap(u^3 - u) - bilap(u)'\ninitial.u = '0.1*{WAVES}'\nfields.u.range = [-1, 1]\n"),
    "kuramoto-sivashinsky": dict(
        equations="kuramoto-sivashinsky", fields=1, size=256, spacing=0.5, time=20, rate=1000,
        model=f"equations.u = '-lap(u) - bilap(u) - 0.5*norm2(grad(u))'\ninitial.u = '{WAVES}'\nfields.u.range = [-30, 10]\n"),
    "fitzhugh-nagumo": dict(
        equations="fitzhugh-nagumo", fields=2, size=256, time=20, rate=25,
        model="equations = { u = 'lap(u) + 5*(u - u^3/3 - v)', v = '0.2*(u + 0.7 - 0.5*v)' }\n"
              "initial = { u = '2*tanh(4*cos(2*pi*X))', v = '0.8*tanh(4*cos(2*pi*(Y - X)))' }\n"
              "fields = { u = { range = [-2.5, 2.5] }, v = { range = [-2, 2] } }\n"),
    "sphere": dict(equations="schnakenberg", fields=2, mesh="sphere:5", scale=20, time=20, model=SCHNAKENBERG + SMOOTH),
    "spot": dict(equations="schnakenberg", fields=2, mesh="spot.obj", scale=20, time=20, model=SCHNAKENBERG + SMOOTH),
    "human_man": dict(
        equations="gray-scott", fields=2, mesh="human_man.obj", scale=38.4, time=400,
        model=GRAY_SCOTT + "define.s = '0.5 + 0.5*tanh(4*(sin(0.4*x) + sin(0.4*y) + sin(0.4*z) - 0.5))'\ninitial = { u = '1 - 0.5*s', v = '0.25*s' }\n"),
}
COLOURS = {"euler": "#777777", "heun": "#b07000", "rk4": "#2ca02c", "rkl1": "#d62728", "rkl2": "#1f77b4", "sts1": "#ff9896", "sts2": "#74b9e8", "imex": "#9467bd", "imex2": "#c5a3e0", "etdrk4": "#bcbd22", "auto": "#000000",
           "cvode": "#17a2b8", "cvode-diagonal": "#0d6e7d", "cvode-fft": "#084c57", "arkode-diagonal": "#e377c2", "arkode-fft": "#a03a86"}
OTHER = "#8c564b"
TABLE_METHODS = ("euler", "heun", "rk4")
TOLERANCES = ("1e-1", "3e-2", "1e-2", "3e-3", "1e-3", "3e-4", "1e-4")
PEER_TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)


def load(file):
    """The numbers of a .npy."""
    data = Path(file).read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    numbers = array("d" if "f8" in header["descr"] else "f")
    numbers.frombytes(data[10 + length:])
    if len(numbers) != math.prod(header["shape"]):
        sys.exit(f"{file} does not hold what it says")
    return numbers


def error_of(values, exact):
    mean = math.fsum(exact) / len(exact)
    deviation = math.fsum((x - mean)**2 for x in exact)
    return math.sqrt(math.fsum((a - b)**2 for a, b in zip(values, exact)) / deviation)


def mesh_of_ply(file):
    """The bytes that bench_peers reads, of a .ply that Mottle wrote."""
    data = Path(file).read_bytes()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    words = [line.split() for line in data[:end].decode().splitlines()]
    vertices, faces = (int(w[2]) for w in words if w[0] == "element")
    sizes = {"double": 8, "float": 4, "uchar": 1}
    stride = sum(sizes[w[1]] for w in words if w[0] == "property" and w[1] != "list")
    places = b"".join(data[end + i * stride:end + i * stride + 24] for i in range(vertices))
    at = end + vertices * stride
    return vertices, faces, places, b"".join(data[at + 13 * i + 1:at + 13 * i + 13] for i in range(faces))


class Bench:
    """One problem, in a folder of its own."""

    def __init__(self, args, folder, problem):
        self.args, self.folder, self.problem = args, Path(folder), problem
        self.time = problem["time"]
        self.model = self.folder / "model.toml"
        self.model.write_text(problem["model"])
        mesh = problem.get("mesh")
        if mesh:
            where = os.path.join(os.environ.get("MOTTLE_TEST_MESHES", ""), mesh) if mesh.endswith(".obj") else mesh
            self.flags = ["--mesh", where, "--scale", str(problem["scale"])]
        else:
            self.size = problem["size"] // 2 if args.quick else problem["size"]
            self.flags = ["--size", f"{self.size}x{self.size}", "--spacing", str(problem.get("spacing", 1))]
        file = self.folder / "start.npy"
        self.mottle(["--steps", "0", "-o", str(file)], required=True)
        start = load(file)  # field after field
        (self.folder / "start.raw").write_bytes(start.tobytes())
        self.count = len(start) // problem["fields"]
        self.space = self.write_mesh() if mesh else str(self.size)

    def write_mesh(self):
        self.mottle(["--steps", "0", "-o", str(self.folder / "start.ply")], required=True)
        vertices, faces, places, corners = mesh_of_ply(self.folder / "start.ply")
        scaled = array("d")
        scaled.frombytes(places)
        scaled = array("d", (x * self.problem["scale"] for x in scaled))
        file = self.folder / "mesh.raw"
        file.write_bytes(struct.pack("<ii", vertices, faces) + scaled.tobytes() + corners)
        return str(file)

    def mottle(self, more, required=False):
        """The JSON of a run, or None where it is refused or diverges."""
        command = [self.args.mottle, "run", str(self.model), "--precision", "f64", "--threads", str(self.args.threads), "--json"] + self.flags + more
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            return json.loads(done.stdout)
        if required:
            sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        return None

    def run(self, more):
        """(seconds, values), or None."""
        out = self.folder / "end.npy"
        told = self.mottle(["--time", repr(self.time), "-o", str(out)] + more)
        return (told["seconds"]["simulate"], load(out)[:self.count]) if told else None

    def peer(self, solver, number):
        out = self.folder / "peer.raw"
        command = [self.args.peers, self.problem["equations"], solver, repr(number), repr(self.time), str(self.args.threads), str(self.folder / "start.raw"),
                   str(out), self.space]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=self.args.longest * 20,
                                  env={**os.environ, "OMP_NUM_THREADS": str(self.args.threads), "OMP_WAIT_POLICY": "passive"})
        except (subprocess.TimeoutExpired, FileNotFoundError):
            return None
        if done.returncode != 0:
            return None
        values = array("d")
        values.frombytes(out.read_bytes())
        return json.loads(done.stdout)["seconds"], values[:self.count]

    def reference(self):
        """(values, its error, how)."""
        if "rate" in self.problem:
            steps = math.ceil(self.time * self.problem["rate"] / 2.785 / 0.8)
            runs, how, order = [self.peer("rk4", steps), self.peer("rk4", 2 * steps)], f"rk4 in plain loops, {2 * steps} steps", 15
        else:
            runs, how, order = [self.peer("cvode-diagonal", 1e-8), self.peer("cvode-diagonal", 1e-9)], "CVODE, tolerance 1e-9", 1
            if None in runs:
                runs, how = [self.run(["--method", "rkl2", "--tolerance", t]) for t in ("1e-5", "1e-6")], "rkl2, tolerance 1e-6"
        if None in runs:
            sys.exit("the reference does not run; build bench_peers")
        return runs[1][1], error_of(runs[0][1], runs[1][1]) / order, how

    def lines(self):
        """(label, points from the cheapest on), a point being (name, function that runs it)."""
        quick, by_tolerance = self.args.quick, False
        for method in TABLE_METHODS:
            told = self.mottle(["--method", method, "--steps", "0"])
            if not told or told["dt"] * self.args.most_steps < self.time:
                continue
            first = math.ceil(self.time / told["dt"])
            yield method, [self.point(["--method", method, "--dt", repr(self.time / (first * k))]) for k in ((1, 4) if quick else (1, 2, 4, 8))]
            by_tolerance = method == "rk4" and first < 1e4
        for method in ("rkl1", "rkl2", "sts1", "sts2", "imex", "imex2", "etdrk4"):
            counts = range(2, 12, 2) if quick else range(2, 13)
            yield method, [self.point(["--method", method, "--dt", repr(self.time / 2**k)]) for k in counts]
        for method in ("rkl1", "rkl2", "sts2") + (("rk4",) if by_tolerance else ()):
            tolerances = TOLERANCES[::2] if quick else TOLERANCES
            yield method + " by tolerance", [self.point(["--method", method, "--tolerance", t]) for t in tolerances]
        for solver in ("cvode", "cvode-diagonal", "cvode-fft", "arkode-diagonal", "arkode-fft"):
            tolerances = PEER_TOLERANCES[:4] if quick else PEER_TOLERANCES
            yield solver, [(f"{solver} {t:g}", lambda s=solver, t=t: self.peer(s, t)) for t in tolerances]

    def point(self, flags):
        return " ".join(flags), lambda: self.run(flags)


def measure(name, problem, args):
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(args, folder, problem)
        exact, exactness, how = bench.reference()
        print(f"{name}: reference by {how}, its error {exactness:.1e}", flush=True)
        points = []
        for label, line in bench.lines():
            for flags, run in line:
                results = [run()]
                if results[0] is None:  # refused, or diverged: other points of the line may not
                    continue
                while len(results) < args.turns and results[0][0] < 1:
                    results.append(run())
                seconds = min(r[0] for r in results)
                point = dict(method=label, flags=flags, seconds=seconds, error=error_of(results[0][1], exact))
                if math.isfinite(point["error"]) and 0 < point["error"] < 10 and seconds > 0:
                    points.append(point)
                    print(f"{name:16} {label:20} {flags:44} {seconds:9.4f} s  error {point['error']:.2e}", flush=True)
                if seconds > args.longest:
                    break
        return points, dict(reference=how, reference_error=exactness, cells=bench.count)


def seconds_to(points, error):
    """The least seconds of points with that error or less, between points by powers; None where none is."""
    best = None
    for p in points:
        if p["error"] <= error and (best is None or p["seconds"] < best):
            best = p["seconds"]
    for p, q in zip(points, points[1:]):
        if p["error"] > error > q["error"] and q["seconds"] > p["seconds"]:
            share = math.log(p["error"] / error) / math.log(p["error"] / q["error"])
            between = p["seconds"] * (q["seconds"] / p["seconds"])**share
            best = between if best is None else min(best, between)
    return best


def table_row(name, points):
    cells = []
    for label in dict.fromkeys(p["method"] for p in points):
        own = [p for p in points if p["method"] == label]
        times = [seconds_to(own, error) for error in (1e-2, 1e-3)]
        if any(times):
            cells.append((label, times))
    text = lambda t: "" if t is None else f"{t:.3g}"
    return [f"| {name} | {label} | {text(times[0])} | {text(times[1])} |" for label, times in cells]


def draw(name, points, told):
    """Both axes by decades; the legend on the right has room for its longest word and all its lines."""
    labels = list(dict.fromkeys(p["method"] for p in points))
    left, bottom, right = 70, 50, 60 + 7 * max(len(label) for label in labels)
    width, height = 540 + left + right, max(520, 75 + 20 * len(labels) + bottom)
    xs, ys = [math.log10(p["seconds"]) for p in points], [math.log10(p["error"]) for p in points]
    low_x, high_x, low_y, high_y = math.floor(min(xs)), math.ceil(max(xs)), math.floor(min(ys)), math.ceil(max(ys))
    x_of = lambda v: left + (v - low_x) / max(1, high_x - low_x) * (width - left - right)
    y_of = lambda v: height - bottom - (v - low_y) / max(1, high_y - low_y) * (height - bottom - 60)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>', f'<text x="{left}" y="22" font-size="15">{name}: error at the end against seconds</text>',
           f'<text x="{left}" y="40" fill="#666">{told["cells"]:,} cells, f64; reference: {told["reference"]}, error {told["reference_error"]:.0e}</text>']
    for k in range(low_x, high_x + 1):
        out.append(f'<path d="M{x_of(k):.1f} {y_of(low_y):.1f}V{y_of(high_y):.1f}" stroke="#ddd"/>'
                   f'<text x="{x_of(k):.1f}" y="{height - bottom + 18}" text-anchor="middle">{10.0**k:g} s</text>')
    for k in range(low_y, high_y + 1):
        out.append(f'<path d="M{x_of(low_x):.1f} {y_of(k):.1f}H{x_of(high_x):.1f}" stroke="#ddd"/><text x="{left - 8}" y="{y_of(k) + 4:.1f}" text-anchor="end">1e{k}</text>')
    for i, label in enumerate(labels):
        own = [p for p in points if p["method"] == label]
        peer = label.startswith(("cvode", "arkode"))
        colour = COLOURS.get(label.split()[0], OTHER)
        dash = ' stroke-dasharray="7 3"' if "tolerance" in label else ' stroke-dasharray="2 3"' if peer else ""
        places = [(x_of(math.log10(p["seconds"])), y_of(math.log10(p["error"]))) for p in own]
        out.append(f'<path d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in places)}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        for x, y in places:
            out.append(f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6" fill="{colour}"/>' if peer else
                       f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
        out.append(f'<path d="M{width - right + 15} {75 + 20 * i}h24" stroke="{colour}" stroke-width="2"{dash}/><text x="{width - right + 45}" y="{79 + 20 * i}">{label}</text>')
    return "\n".join(out + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", help=", ".join(PROBLEMS))
    parser.add_argument("--mottle", default="build/release/bin/mottle")
    parser.add_argument("--peers", default="build/release/benchmarks/bench_peers")
    parser.add_argument("--out", default="work-precision")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--longest", type=float, help="seconds after which a line is not made any longer (8; with --quick 3)")
    parser.add_argument("--most-steps", type=float, default=1e6, help="explicit methods that need more are left out")
    parser.add_argument("--quick", action="store_true", help="planes of half the size, fewer points, one turn: some minutes in all")
    args = parser.parse_args()
    args.longest = args.longest or (3 if args.quick else 8)
    args.turns = 1 if args.quick else args.turns
    unknown = [name for name in args.problems if name not in PROBLEMS]
    if unknown:
        parser.error(f"no problem is called {unknown[0]}; there are {', '.join(PROBLEMS)}")
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in args.problems or PROBLEMS:
        points, told = measure(name, PROBLEMS[name], args)
        (out / f"{name}.svg").write_text(draw(name, points, told))
        (out / f"{name}.json").write_text(json.dumps(dict(told, points=points), indent=1) + "\n")
        rows += table_row(name, points)
    (out / "table.md").write_text("\n".join(["| problem | method | seconds to 1e-2 | to 1e-3 |", "|---|---|---|---|"] + rows) + "\n")


if __name__ == "__main__":
    main()
