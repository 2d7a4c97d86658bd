#!/usr/bin/env python3
# benchmarks/plot_sizes.py: an SVG of `bench_mesh_step --sections sizes --json FILE`: time per vertex and step over the size of a plane
import json
import sys

LEFT, TOP, WIDTH, HEIGHT = 60, 30, 640, 300
COLOURS = {"f32": "#1b7f79", "f64": "#c8553d"}


def main(source, target):
    rows = [row for row in json.load(open(source))["results"] if row["section"] == "sizes"]
    most_vertices = max(row["vertices"] for row in rows)
    most_time = max(max(row[name] for name in COLOURS) for row in rows)
    ceiling = int(most_time) + 1

    def x(vertices):
        return LEFT + WIDTH * vertices / most_vertices

    def y(time):
        return TOP + HEIGHT * (1 - time / ceiling)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 60} {TOP + HEIGHT + 60}" font-family="sans-serif" font-size="13">',
           '<rect width="100%" height="100%" fill="white"/>']
    for time in range(ceiling + 1):
        out.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y(time):.1f}" y2="{y(time):.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y(time) + 4:.1f}" text-anchor="end">{time}</text>')
    for part in range(0, 11, 2):
        vertices = most_vertices * part / 10
        out.append(f'<text x="{x(vertices):.1f}" y="{TOP + HEIGHT + 20}" text-anchor="middle">{vertices / 1000:,.0f} k</text>')
    for name, colour in COLOURS.items():
        points = " ".join(f"{x(row['vertices']):.1f},{y(row[name]):.1f}" for row in rows)
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out.append(f'<text x="{LEFT + WIDTH + 8}" y="{y(rows[-1][name]) + 4:.1f}" fill="{colour}">{name}</text>')
    out.append(f'<text x="{LEFT}" y="{TOP - 12}">nanoseconds per vertex and step</text>')
    out.append(f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 45}" text-anchor="middle">vertices of the plane</text>')
    out.append("</svg>")
    open(target, "w").write("\n".join(out) + "\n")


if len(sys.argv) != 3:
    sys.exit("usage: plot_sizes.py sizes.json plot.svg")
main(sys.argv[1], sys.argv[2])
