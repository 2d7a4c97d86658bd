#!/usr/bin/env python3
# mottle/frame/palette_table.py: prints palette_table.inc: the maps of matplotlib as bytes, and Mottle's own "lagoon"
# viridis, magma, inferno (Stefan van der Walt and Nathaniel Smith, CC0) and turbo (Anton Mikhailov, Google, Apache-2.0) are taken from
# matplotlib's tables, times 255, rounded to nearest. "lagoon" is made here: its anchors are joined in OKLab, and OKLab lightness rises
# by the same amount from each entry to the next, so equal steps of a field look equally large.
import numpy
from matplotlib import colormaps
from scipy.interpolate import PchipInterpolator

LAGOON = ["060822", "0c2656", "0a527c", "0b7f8c", "3fa58d", "a6b87c", "e9b877", "ffbd9b", "ffdcd0"]

# Bjorn Ottosson, "A perceptual color space for image processing" (2020).
TO_CONES = numpy.array([[0.4122214708, 0.5363325363, 0.0514459929],
                        [0.2119034982, 0.6806995451, 0.1073969566],
                        [0.0883024619, 0.2817188376, 0.6299787005]])
TO_LAB = numpy.array([[0.2104542553, 0.7936177850, -0.0040720468],
                      [1.9779984951, -2.4285922050, 0.4505937099],
                      [0.0259040371, 0.7827717662, -0.8086757660]])


def oklab(srgb):
    linear = numpy.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return numpy.cbrt(linear @ TO_CONES.T) @ TO_LAB.T


def srgb(lab):
    linear = numpy.clip((lab @ numpy.linalg.inv(TO_LAB).T) ** 3 @ numpy.linalg.inv(TO_CONES).T, 0, 1)
    return numpy.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def lagoon():
    anchors = numpy.array([oklab(numpy.array([int(text[i:i + 2], 16) / 255 for i in (0, 2, 4)])) for text in LAGOON])
    lightness = numpy.linspace(anchors[0, 0], anchors[-1, 0], 256)
    channels = [PchipInterpolator(anchors[:, 0], anchors[:, k])(lightness) for k in (1, 2)]
    return srgb(numpy.stack([lightness, *channels], axis=1))


def table(name, colours):
    rows = numpy.clip(numpy.floor(numpy.asarray(colours) * 255 + 0.5), 0, 255).astype(int)
    assert rows.shape == (256, 3)
    entries = [f"{{{r}, {g}, {b}}}" for r, g, b in rows]
    lines = ["    " + ", ".join(entries[i:i + 8]) + "," for i in range(0, 256, 8)]
    return f"constexpr Palette k{name.capitalize()} = {{{{\n" + "\n".join(lines) + "\n}};"


print("// mottle/frame/palette_table.inc: palettes as bytes, printed by palette_table.py (sources and licences there)")
for name in ("viridis", "magma", "inferno"):
    print(table(name, colormaps[name].colors))
print(table("turbo", colormaps["turbo"].colors))
print(table("lagoon", lagoon()))
