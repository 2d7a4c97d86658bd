#!/usr/bin/env python3
# benchmarks/plot_rates.py: an SVG of the first two tables of docs/performance.md: rate of Gray-Scott over the side of the grid, beside other programs
import math
import re
import sys

WIDTH, HEIGHT, LEFT, TOP, GAP = 250, 260, 60, 44, 62
COLOURS = ["#9aa5a5", "#6b4e9b", "#7a7a3a", "#3d7dc8", "#c8553d", "#e0a030"]


def tables(text):
    """Lists of rows; a row is a list of cells."""
    found, rows = [], []
    for line in text.split("\n") + [""]:
        if line.startswith("|"):
            rows.append([cell.strip().strip("*") for cell in line.strip().strip("|").split("|")])
        elif rows:
            found.append(rows)
            rows = []
    return found


def rates(table, threads):
    """(name, [(side, Gcell/s)]) for each row; '23727 (13049)' is the rate of two threads, and of one."""
    sides = [int(re.match(r"\d+", cell).group()) for cell in table[0][1:]]
    lines = []
    for name, *cells in table[2:]:
        points = []
        for side, cell in zip(sides, cells):
            match = re.fullmatch(r"([\d,]*)[- ]*(?:\(([\d,]+)\))?", cell)
            if match and match.group(3 - threads):
                points.append((side, int(match.group(3 - threads).replace(",", "")) / 1000))
        if points and not name.startswith("ratio"):
            lines.append((name, points))
    return lines


def main(source, target):
    text = open(source).read()
    epyc, xeon = tables(text[text.index("## Gray-Scott on the CPU"):])[:2]
    panels = [("EPYC, 1 thread", rates(epyc, 1)), ("EPYC, 2 threads", rates(epyc, 2)), ("Xeon, 2 threads", rates(xeon, 2))]
    names = [list(dict.fromkeys(name for _, lines in part for name, _ in lines if name[:6] != "Mottle")) for part in (panels[:2], panels[2:])]
    height = TOP + HEIGHT + 60 + 20 * (max(len(part) for part in names) + 1)
    width = LEFT + 3 * WIDTH + 2 * GAP + 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
           '<rect width="100%" height="100%" fill="white"/>']

    def key(left, line, colour, thick, name):
        y = TOP + HEIGHT + 62 + 20 * line
        out.append(f'<line x1="{left}" x2="{left + 26}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="{thick}"/>')
        out.append(f'<text x="{left + 34}" y="{y + 4}">{name}</text>')

    for index, (title, lines) in enumerate(panels):
        left = LEFT + index * (WIDTH + GAP)
        most = max(rate for _, points in lines for _, rate in points)
        part = 5 if most > 12 else 2
        ceiling = math.ceil(most / part) * part

        def x(side):
            return left + WIDTH * (0.04 + 0.92 * math.log2(side / 512) / 4)

        def y(rate):
            return TOP + HEIGHT * (1 - rate / ceiling)

        out.append(f'<text x="{left}" y="{TOP - 24}" font-weight="bold">{title}</text>')
        out.append(f'<text x="{left}" y="{TOP - 8}">billion cell updates per second</text>')
        for rate in range(0, ceiling + 1, part):
            out.append(f'<line x1="{left}" x2="{left + WIDTH}" y1="{y(rate):.1f}" y2="{y(rate):.1f}" stroke="#ddd"/>')
            out.append(f'<text x="{left - 8}" y="{y(rate) + 4:.1f}" text-anchor="end">{rate}</text>')
        for side in (512, 1024, 2048, 4096, 8192):
            out.append(f'<text x="{x(side):.1f}" y="{TOP + HEIGHT + 20}" text-anchor="middle">{side}</text>')
        out.append(f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 38}" text-anchor="middle">side of the grid, cells</text>')
        for name, points in lines:
            own = name.startswith("Mottle")
            colour = "#1b7f79" if own else COLOURS[names[index // 2].index(name)]
            out.append(f'<polyline points="{" ".join(f"{x(s):.1f},{y(r):.1f}" for s, r in points)}" fill="none" stroke="{colour}" stroke-width="{4 if own else 2}"/>')
            out.extend(f'<circle cx="{x(s):.1f}" cy="{y(r):.1f}" r="{4 if own else 2.5}" fill="{colour}"/>' for s, r in points)
    for part, left in enumerate((LEFT, LEFT + 2 * (WIDTH + GAP))):
        key(left, 0, "#1b7f79", 4, "Mottle")
        for line, name in enumerate(names[part]):
            key(left, line + 1, COLOURS[line], 2, name)
    out.append("</svg>")
    open(target, "w").write("\n".join(out) + "\n")


if len(sys.argv) != 3:
    sys.exit("usage: plot_rates.py docs/performance.md docs/images/plane_rates.svg")
main(sys.argv[1], sys.argv[2])
