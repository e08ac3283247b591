# SPDX-License-Identifier: Apache-2.0
"""Apps that cut windows from a stream, with planted faults, in NumPy with their own buffer and without code of the search."""
import numpy as np

# rows, hop, columns, and whether values are codes.
STREAMS = {"motion": (128, 64, 3, False), "dense": (100, 20, 6, False), "sound": (800, 400, 1, True), "features": (49, 10, 40, False), "codes": (96, 32, 8, True)}


def stream_of(name, seed=0, blocks=30):
    """Rows of a synthetic stream, long enough for this number of hops; the sound contains silence."""
    rows, hop, columns, codes = STREAMS[name]
    rng = np.random.default_rng([seed, len(name)])
    n = rows + hop * (blocks + 8)
    t = np.arange(n)[:, None]
    x = sum(rng.normal(size=columns) * np.sin(2 * np.pi * rng.uniform(.003, .11) * t + 6 * rng.random(columns)) for _ in range(5))
    x = x + .15 * rng.normal(size=(n, columns))
    if name == "sound":
        x[(t[:, 0] // 3000) % 4 == 3] = 0
    return (np.round(x * 20) if codes else x).astype(np.float32)


def right(stream, name, blocks=30):
    rows, hop, _, _ = STREAMS[name]
    return np.stack([stream[i * hop:i * hop + rows] for i in range(blocks)])


class Ring:
    """The buffer of a device: the last rows that arrived."""

    def __init__(self, first):
        self.rows = first.copy()

    def push(self, block):
        self.rows = np.concatenate([self.rows, block])[-len(self.rows):]


def pushed(stream, name, blocks, order):
    """Windows of an app that pushes these blocks, one or several a step; `order[i]`: the blocks of step i."""
    rows, hop, _, _ = STREAMS[name]
    ring, out = Ring(stream[:rows]), []
    for i in range(blocks):
        for b in order[i]:
            ring.push(stream[rows + (b - 1) * hop:rows + b * hop])
        out.append(ring.rows.copy())
    return np.stack(out)


def faults(name, blocks=30):
    """(name, kind that may be named, rows, first wrong window, function from the stream to the app's windows)"""
    rows, hop, columns, _ = STREAMS[name]
    usual = [[]] + [[i] for i in range(1, blocks)]

    def ordered(**changes):
        order = [list(o) for o in usual]
        for step, what in changes.items():
            order[int(step[1:])] = what
        return lambda s: pushed(s, name, blocks, order)

    def cut(begin):
        return lambda s: np.stack([s[max(0, begin(i)):max(0, begin(i)) + rows] for i in range(blocks)])

    def edited(edit):
        def make(s):
            out = right(s, name, blocks).copy()
            edit(out, s)
            return out
        return make

    yield "hop shorter", "hop", hop - hop // 4, 1, cut(lambda i: i * (hop - hop // 4))
    yield "hop a row longer", "hop", hop + 1, 1, cut(lambda i: i * (hop + 1))
    yield "no overlap", "hop", rows, 1, lambda s: np.stack([s[min(i * rows, len(s) - rows):][:rows] for i in range(blocks)])
    yield "one window late", "late", -hop, 1, cut(lambda i: (i - 1) * hop)
    yield "three rows late", "late", -3, 1, cut(lambda i: i * hop - 3)
    yield "one window early", "late", hop, 0, cut(lambda i: (i + 1) * hop)
    yield "stale once", "stale", -hop, 9, cut(lambda i: (i - (i == 9)) * hop)
    yield "stale every fifth", "stale", -hop, 5, cut(lambda i: (i - (i % 5 == 0 and i > 0)) * hop)
    yield "two windows stale", "stale", -2 * hop, 12, cut(lambda i: (i - 2 * (i == 12)) * hop)
    yield "block not pushed", "dropped", hop, 8, ordered(s8=[])
    yield "block lost, windows by count", "dropped", hop, None, lambda s: right(np.delete(s, np.arange(rows + 6 * hop, rows + 7 * hop), 0), name, blocks)
    yield "17 rows lost", "dropped", 17, None, lambda s: right(np.delete(s, np.arange(rows + 6 * hop, rows + 6 * hop + 17), 0), name, blocks)
    yield "block pushed twice", "repeated", -hop, 11, ordered(s11=[11, 11])
    yield "block twice in the stream", "repeated", -hop, None, lambda s: right(np.insert(s, rows + 6 * hop, s[rows + 5 * hop:rows + 6 * hop], 0), name, blocks)
    yield "blocks exchanged", "exchanged", hop, 10, ordered(s10=[11], s11=[10])
    yield "windows exchanged", "exchanged", hop, 14, cut(lambda i: {14: 15, 15: 14}.get(i, i) * hop)

    def half_before(out, s):
        out[13][rows // 2:] = s[12 * hop:12 * hop + rows][rows // 2:]

    def half_next(out, s):
        out[13][:rows // 3] = s[14 * hop:14 * hop + rows][:rows // 3]

    def no_context(out, s):
        out[1:, :rows - hop] = 0

    yield "tail of the window before", "half_written", -hop, 13, edited(half_before)
    yield "head of the next window", "half_written", hop, 13, edited(half_next)
    yield "context zero", "no_context", 0, 1, edited(no_context)


def foreign(name, stream, blocks=30, seed=0):
    """Changes that no position in the stream explains."""
    rng = np.random.default_rng(seed)
    good = right(stream, name, blocks)
    n = good.shape[1]
    yield "noise", (good + good.std() * .2 * rng.normal(size=good.shape)).astype(np.float32)
    yield "gain", good * np.float32(1.3)
    yield "another stream", right(stream_of(name, 91), name, blocks)
    yield "backwards", good[:, ::-1]
    yield "moving average", np.apply_along_axis(lambda v: np.convolve(v, np.ones(5) / 5, "same"), 1, good).astype(np.float32)
    yield "mixed with the window before", (.5 * good + .5 * np.concatenate([good[:1], good[:-1]])).astype(np.float32)
    yield "every second row", np.repeat(good[:, ::2], 2, 1)[:, :n]
    yield "clipped", np.clip(good, -.3 * np.abs(good).max(), .3 * np.abs(good).max())
    if good.shape[2] > 1:
        yield "columns exchanged", good[:, :, ::-1]
    yield "shuffled", good[:, rng.permutation(n)]
