# SPDX-License-Identifier: Apache-2.0
"""Computes with NumPy, from the input pictures of a page, the expected heat map and curve:
page_numbers_test.py SAMPLES_PROGRAM."""

import base64
import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

FEWEST, CELLS = 4, 64  # Minimum pixels for a drawn median, and cells on a side of the plot.


def pictures(html):
    """(alt, pixels) of each picture, in order."""
    found = re.findall(r'<img alt="([^"]*)" width="\d+" height="\d+" src="data:image/png;base64,([^"]*)">', html)
    return [(alt, np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")).astype(int)) for alt, data in found]


def levels_of(picture, palette):
    """Indices of the pixels in the palette."""
    codes = {tuple(color): level for level, color in enumerate(palette)}
    assert len(codes) == 256
    return np.array([[codes[tuple(pixel)] for pixel in row] for row in picture])


def check_heat(target, reference, heat, palette, caption):
    luminance = palette @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(luminance) > 0).all() and tuple(palette[0]) == (0, 0, 0), "ever lighter from black"
    difference = np.abs(target - reference).max(axis=2)
    end, largest = (int(re.search(pattern, caption)[1]) for pattern in (r"> (\d+) gray levels", r"largest: (\d+)"))
    assert largest == difference.max() and ("or more" in caption) == (largest > end), caption
    # The end of the scale covers at least 95 % of the differing pixels; half of it would not.
    differing = difference[difference > 0]
    assert (differing <= end).mean() >= 0.95 and (end == 4 or (differing <= end / 2).mean() <= 0.96)
    shown = levels_of(heat, palette) * end / 255
    assert np.abs(shown - np.minimum(difference, end)).max() <= end / 255 / 2 + 1e-9
    return end


def check_curve(pairs, plot, palette, svg):
    lines = re.findall(r'<polyline class="median (\w+)" points="([^"]*)"', svg)
    for channel, name in enumerate(("red", "green", "blue")):
        drawn = {}
        for _, points in (line for line in lines if line[0] == name):
            for point in points.split():
                x, y = point.split(",")
                drawn[int(x)] = 255 - float(y)
        reference = np.concatenate([r[..., channel].ravel() for _, r in pairs])
        target = np.concatenate([t[..., channel].ravel() for t, _ in pairs])
        wanted = {v: np.median(target[reference == v]) for v in range(256) if (reference == v).sum() >= FEWEST}
        assert drawn == wanted, (name, {v: (drawn.get(v), wanted.get(v)) for v in drawn | wanted if drawn.get(v) != wanted.get(v)})
    reference = np.concatenate([r.ravel() for _, r in pairs])
    target = np.concatenate([t.ravel() for t, _ in pairs])
    counts, _, _ = np.histogram2d(target, reference, bins=CELLS, range=((0, 256), (0, 256)))
    shown = levels_of(plot, palette)[::-1]  # Larger values are up.
    assert ((shown == 0) == (counts == 0)).all() and shown.max() == 255
    order = np.argsort(counts, axis=None)
    assert (np.diff(shown.ravel()[order]) >= 0).all(), "more pixels are lighter"
    share = np.log1p(counts[counts > 0]) / np.log1p(counts.max())
    assert np.abs(shown[counts > 0] - (40 + 215 * share)).max() <= 0.5 + 1e-9


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        html = (Path(folder) / "unknown_input.html").read_text()
    section = re.search(r'<section id="difference">.*?</section>', html, re.S)[0]
    top = pictures(section)
    assert [alt for alt, _ in top] == ["target: what the model saw", "reference", "difference", "colours from dark to light",
                                       "how often a value of the reference, across, became a value of the app, up"]
    (target, reference, heat, scale, plot) = (picture for _, picture in top)
    palette = scale[0]
    end = check_heat(target, reference, heat, palette, section[section.index("colours from"):])
    # Of the other samples, the one that differs counts for the curve; the equal one does not.
    rows = dict(pictures(html[html.index('<section id="pictures">'):]))
    others = [(rows[f"{name}.png, target: what the model saw"], rows[f"{name}.png, reference"]) for name in "abc"
              if f"{name}.png, reference" in rows]
    assert len(others) == 2 and (others[0][0] == others[0][1]).all()
    check_curve([(target, reference), others[1]], plot, palette, section)
    print(f"heat map to {end} gray levels and curve: as NumPy has them")


if __name__ == "__main__":
    main()
