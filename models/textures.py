# SPDX-License-Identifier: Apache-2.0
"""Backgrounds: seeded textures with detail down to one pixel, so that every resize kernel leaves its mark.

Each painter takes a numpy Generator and a size and returns a float32 array (height, width, 3) in 0..255.
"""

import numpy as np
from PIL import Image, ImageDraw

# (dark, light) pairs of natural surfaces; none is tied to a class.
_SURFACES = [
    ((92, 58, 44), (176, 112, 82)),    # brick
    ((58, 74, 38), (150, 164, 92)),    # leaves
    ((70, 78, 92), (150, 166, 190)),   # slate
    ((86, 84, 80), (172, 168, 158)),   # concrete
    ((104, 86, 56), (204, 180, 134)),  # sand, wood
    ((52, 88, 130), (168, 200, 232)),  # sky, water
    ((120, 60, 60), (206, 128, 120)),  # painted door
]


def _resized(field, height, width):
    image = Image.fromarray(field.astype(np.float32))
    return np.asarray(image.resize((width, height), Image.BICUBIC))


def fractal(rng, height, width, roughness=0.62):
    """Sum of octaves of smooth noise, about 0..1, one channel."""
    total = np.zeros((height, width), np.float32)
    amplitude, norm = 1.0, 0.0
    cells = 3
    while cells < max(height, width):
        total += amplitude * _resized(rng.random((cells, cells)), height, width)
        norm += amplitude
        amplitude *= roughness
        cells *= 2
    total += amplitude * rng.random((height, width), dtype=np.float32)
    total /= norm + amplitude
    return np.clip((total - 0.5) * 2.2 + 0.5, 0, 1)


def _palette(rng):
    dark, light = _SURFACES[rng.integers(len(_SURFACES))]
    jitter = rng.normal(0, 10, (2, 3))
    return np.array(dark, np.float32) + jitter[0], np.array(light, np.float32) + jitter[1]


def _tinted(field, dark, light):
    field = field[..., None]
    return (dark + (light - dark) * field).astype(np.float32)


def plain(rng, height, width):
    """Sand, plaster, clouds: fractal noise between two tones."""
    return _tinted(fractal(rng, height, width, rng.uniform(0.5, 0.8)), *_palette(rng))


def bricks(rng, height, width):
    """Rows of stones with joints one or two pixels wide."""
    dark, light = _palette(rng)
    row, length = int(rng.integers(7, 14)), int(rng.integers(14, 30))
    joint = int(rng.integers(1, 3))
    y, x = np.mgrid[0:height, 0:width]
    course = (y + int(rng.integers(row))) // row
    shifted = x + (course % 2) * (length // 2) + int(rng.integers(length))
    tone = rng.random((course.max() + 1, shifted.max() // length + 1))[course, shifted // length]
    field = 0.35 * tone + 0.65 * fractal(rng, height, width, 0.75)
    is_joint = ((y + 0) % row < joint) | (shifted % length < joint)
    out = _tinted(field, dark, light)
    out[is_joint] = 0.5 * out[is_joint] + 0.5 * (light + 30 if rng.random() < 0.5 else dark - 25)
    return out


def planks(rng, height, width):
    """Boards with a fine grain along one axis."""
    dark, light = _palette(rng)
    period = rng.uniform(2.2, 4.5)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    upright = rng.random() < 0.6
    across, along = (x, y) if upright else (y, x)
    warp = 6 * fractal(rng, height, width, 0.4)
    grain = 0.5 + 0.5 * np.sin(2 * np.pi * (across + warp + 0.05 * along) / period)
    field = 0.4 * grain + 0.6 * fractal(rng, height, width, 0.6)
    out = _tinted(field, dark, light)
    gap = int(rng.integers(16, 30))
    out[(across.astype(int) % gap) == 0] *= 0.55
    return out


def leaves(rng, height, width):
    """Many small overlapping blades."""
    dark, light = _palette(rng)
    base = _tinted(0.6 * fractal(rng, height, width, 0.7), dark, light)
    image = Image.fromarray(np.clip(base, 0, 255).astype(np.uint8))
    draw = ImageDraw.Draw(image)
    for _ in range(int(height * width / 70)):
        cx, cy = rng.random() * width, rng.random() * height
        angle, size = rng.random() * np.pi, rng.uniform(2, 6)
        dx, dy = np.cos(angle) * size, np.sin(angle) * size
        mix = rng.random() ** 1.3
        color = tuple(int(v) for v in np.clip(dark + (light - dark) * mix + rng.normal(0, 8, 3), 0, 255))
        draw.polygon([(cx - dx, cy - dy), (cx + dy * .4, cy - dx * .4), (cx + dx, cy + dy), (cx - dy * .4, cy + dx * .4)], fill=color)
    return np.asarray(image).astype(np.float32)


def facade(rng, height, width):
    """A wall with a grid of windows and thin bars."""
    out = _tinted(0.3 + 0.7 * fractal(rng, height, width, 0.7), *_palette(rng))
    dark, light = _palette(rng)
    step_x, step_y = int(rng.integers(16, 30)), int(rng.integers(18, 34))
    x0, y0 = int(rng.integers(step_x)), int(rng.integers(step_y))
    for top in range(y0 - step_y, height, step_y):
        for left in range(x0 - step_x, width, step_x):
            box = (slice(max(top, 0), max(top + step_y * 2 // 3, 0)), slice(max(left, 0), max(left + step_x * 3 // 5, 0)))
            out[box] = dark + (light - dark) * rng.random()
            middle = left + step_x * 3 // 10
            if 0 <= middle < width:
                out[box[0], middle] = light
    return out


_PAINTERS = [plain, bricks, planks, leaves, facade]


def background(rng, height, width):
    """One texture, or two that meet at a slanted edge, under uneven light."""
    out = _PAINTERS[rng.integers(len(_PAINTERS))](rng, height, width)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    if rng.random() < 0.5:
        other = _PAINTERS[rng.integers(len(_PAINTERS))](rng, height, width)
        angle = rng.random() * 2 * np.pi
        side = np.cos(angle) * (x / width - rng.uniform(.3, .7)) + np.sin(angle) * (y / height - rng.uniform(.3, .7))
        out = np.where(side[..., None] > 0, out, other)
    return out
