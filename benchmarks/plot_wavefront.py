#!/usr/bin/env python3
# benchmarks/plot_wavefront.py: an SVG that explains the skewed wavefront: which rows of which step two bands of a grid have computed
import sys

ROWS, STEPS, BLOCK = 16, 6, 4  # rows of a band, steps of the pass, rows of one call
CELL, HEIGHT, LEFT, TOP = 17, 24, 70, 34
DONE, NOW, LATER = "#1b7f79", "#f2a541", "#e3e8e8"


def main(target):
    columns = 2 * ROWS + STEPS
    width, height = LEFT + CELL * columns + 20, TOP + HEIGHT * (STEPS + 1) + 62
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
           '<rect width="100%" height="100%" fill="white"/>']

    def line(step):
        return TOP + HEIGHT * (STEPS - step)

    def box(row, step, colour):
        out.append(f'<rect x="{LEFT + CELL * row}" y="{line(step)}" width="{CELL - 2}" height="{HEIGHT - 4}" rx="2" fill="{colour}"/>')

    for step in range(STEPS + 1):
        out.append(f'<text x="{LEFT - 10}" y="{line(step) + 15}" text-anchor="end">{"before" if step == 0 else f"step {step}"}</text>')
    for row in range(2 * ROWS):
        box(row, 0, DONE)
    for first, front in ((0, 12), (ROWS, ROWS + 13)):
        for step in range(1, STEPS + 1):
            now = front - (step - 1)  # a step is one row behind the step before it
            for row in range(first + step, first + ROWS + step):  # and begins one row further on
                box(row, step, DONE if row < now else NOW if row < now + BLOCK else LATER)
    edge = LEFT + CELL * ROWS - 1
    out.append(f'<path d="M{edge} {line(0) + HEIGHT - 2}V{line(0)}'
               + "".join(f'h{CELL}v{-HEIGHT}' for _ in range(STEPS)) + '" fill="none" stroke="#c8553d" stroke-width="2.5"/>')
    for name, first in (("band of thread 1", 0), ("band of thread 2", ROWS)):
        out.append(f'<text x="{LEFT + CELL * (first + ROWS / 2)}" y="{line(0) + HEIGHT + 18}" text-anchor="middle">{name}</text>')
    out.append(f'<text x="{LEFT}" y="{TOP - 14}">rows of the grid, from the first to the last</text>')
    x, y = LEFT, line(0) + HEIGHT + 48
    for colour, text, room in ((DONE, "computed", 110), (NOW, "the four rows of one call", 215), (LATER, "not yet computed", 0)):
        out.append(f'<rect x="{x}" y="{y - 13}" width="{CELL - 2}" height="{HEIGHT - 6}" rx="2" fill="{colour}"/>')
        out.append(f'<text x="{x + CELL + 5}" y="{y + 1}">{text}</text>')
        x += room
    out.append("</svg>")
    open(target, "w").write("\n".join(out) + "\n")


if len(sys.argv) != 2:
    sys.exit("usage: plot_wavefront.py wavefront.svg")
main(sys.argv[1])
