# SPDX-License-Identifier: Apache-2.0
"""The twelve signs and the things around them, as polygons in a sign's own square of -1..1 (y down)."""

import numpy as np
from PIL import Image, ImageDraw

RED, BLUE, GREEN, YELLOW = (196, 34, 40), (30, 70, 190), (24, 130, 66), (236, 184, 28)
WHITE, BLACK, PALE_BLUE = (240, 240, 236), (28, 28, 30), (120, 196, 230)

CLASSES = [
    "red_arrow_left", "red_arrow_right", "red_arrow_up",
    "blue_arrow_left", "blue_arrow_right", "blue_arrow_up",
    "green_arrow_left", "green_arrow_right",
    "parking", "no_entry", "warning", "yield",
]

_SUPERSAMPLE = 3


def _disc(radius=1.0, corners=40):
    angle = np.arange(corners) * 2 * np.pi / corners
    return radius * np.stack([np.cos(angle), np.sin(angle)], 1)


def _box(left, top, right, bottom):
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)], float)


def _plate(rng, size=1.0):
    """A disc or a square with cut corners, independent of the class of the arrow."""
    if rng.random() < 0.5:
        return _disc(size)
    a, b = 0.92 * size, 0.70 * size
    return np.array([(-b, -a), (b, -a), (a, -b), (a, b), (b, a), (-b, a), (-a, b), (-a, -b)])


def _arrow(rng, direction):
    head, shaft, tail = rng.uniform(.42, .6), rng.uniform(.12, .2), rng.uniform(.55, .72)
    neck = rng.uniform(-.12, .08)
    points = np.array([(-.72, 0), (neck, -head), (neck, -shaft), (tail, -shaft), (tail, shaft), (neck, shaft), (neck, head)])
    if direction == "right":
        return points * (-1, 1)
    return points if direction == "left" else np.stack([points[:, 1], points[:, 0]], 1)


def _shade(rng, color, spread=14):
    return tuple(np.clip(np.array(color) + rng.normal(0, spread, 3), 0, 255))


def _arrow_layers(rng, color, direction):
    rim = _plate(rng)
    return [(rim, _shade(rng, WHITE, 6)), (rim * .9, _shade(rng, color)), (_arrow(rng, direction), _shade(rng, WHITE, 6))]


def _one_of(rng, *colors):
    """For signs other than arrows, colour is not part of the class: each has several colours."""
    return _shade(rng, colors[rng.integers(len(colors))])


def _parking(rng):
    rim, ink = _box(-.9, -.9, .9, .9), _one_of(rng, RED, BLUE, GREEN, BLACK)
    bowl, hole = _disc(.36, 24) * (1, .9) + (.08, -.22), _disc(.13, 16) + (.08, -.22)
    return [(rim, _shade(rng, WHITE, 6)), (rim * .92, ink), (_box(-.4, -.545, -.12, .64), WHITE),
            (_box(-.2, -.545, .1, .105), WHITE), (bowl, WHITE), (_box(-.12, -.34, .08, -.10), ink), (hole, ink)]


def _no_entry(rng):
    bar = rng.uniform(.14, .22)
    return [(_disc(), _shade(rng, WHITE, 6)), (_disc(.93), _one_of(rng, RED, BLUE, BLACK)), (_box(-.66, -bar, .66, bar), _shade(rng, WHITE, 6))]


def _triangle(size=1.0):
    return size * np.array([(-1, .8), (0, -.95), (1, .8)])


def _warning(rng):
    low = np.array([0, .065])
    return [(_triangle(), _one_of(rng, RED, BLUE, BLACK)), (_triangle(.74) + low, _one_of(rng, YELLOW, WHITE, PALE_BLUE)),
            (np.array([(-.1, -.3), (.1, -.3), (.06, .25), (-.06, .25)]), BLACK), (_disc(.09, 12) + (0, .42), BLACK)]


def _yield(rng):
    return [(-_triangle(), _one_of(rng, RED, BLUE, BLACK)), (-_triangle(.62) + (0, -.06), _one_of(rng, YELLOW, WHITE, PALE_BLUE))]


def layers_of(rng, class_name):
    """[(polygon, colour)] from back to front."""
    if "arrow" in class_name:
        color, _, direction = class_name.split("_")
        return _arrow_layers(rng, {"red": RED, "blue": BLUE, "green": GREEN}[color], direction)
    return {"parking": _parking, "no_entry": _no_entry, "warning": _warning, "yield": _yield}[class_name](rng)


def pose(rng, center, radius, tilt_degrees):
    """A 3x3 homography from sign coordinates to pixels: tilt, a different width and height, a little perspective."""
    angle = np.radians(rng.normal(0, tilt_degrees))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    shape = np.diag(radius * np.array([rng.uniform(.86, 1.0), rng.uniform(.92, 1.0)]))
    matrix = np.eye(3)
    matrix[:2, :2] = turn @ shape
    matrix[:2, 2] = center
    bend = np.eye(3)
    bend[2, :2] = rng.uniform(-.12, .12, 2)
    return matrix @ bend


def paint(canvas, homography, layers):
    """Draws the layers over a float image (height, width, 3) with soft edges and returns it."""
    height, width, _ = canvas.shape
    scale = _SUPERSAMPLE
    size = (width * scale, height * scale)
    ink, cover = Image.new("RGB", size), Image.new("L", size)
    draw_ink, draw_cover = ImageDraw.Draw(ink), ImageDraw.Draw(cover)
    for polygon, color in layers:
        points = np.c_[polygon, np.ones(len(polygon))] @ homography.T
        corners = [tuple(p) for p in points[:, :2] / points[:, 2:] * scale]
        draw_ink.polygon(corners, fill=tuple(int(c) for c in color))
        draw_cover.polygon(corners, fill=255)
    alpha = np.asarray(cover.reduce(scale), np.float32)[..., None] / 255
    # The ink is black outside the sign, so its average is already multiplied by the cover.
    return canvas * (1 - alpha) + np.asarray(ink.reduce(scale), np.float32)


def random_clutter(rng):
    """A board, lamp or stripe in a sign's colours: so that colour by itself does not reveal the class."""
    color = [RED, BLUE, GREEN, YELLOW, WHITE, BLACK][rng.integers(6)]
    shape = [_disc(), _box(-1, -.5, 1, .5), _box(-.4, -1, .4, 1), _triangle(), -_triangle()][rng.integers(5)]
    return [(shape, _shade(rng, color, 24))]
