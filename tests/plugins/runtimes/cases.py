# SPDX-License-Identifier: Apache-2.0
"""Writes what a runtime's own Python computes, for runtimes_test.py: nothing of edgeprobe is imported."""
import json
import pathlib

import numpy as np


class Cases:
    """A folder per model: the model, its inputs, and the results that the program has to give."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.random = np.random.default_rng(7)

    def home(self, name):
        (self.folder / name).mkdir(parents=True)
        return self.folder / name

    def normal(self, *shape):
        return self.random.normal(size=shape).astype(np.float32)

    def write(self, home, model, samples, answers, layers=None, flags=(), options="", near=None, hidden=True):
        """`samples`: a dict by input for each; `answers`: a list of (name, array) for each; `layers`: a list of (name, type, array) for each.

        Without `layers` the program shows none; with `hidden` false it shows some, which are not compared. `near` is another route's answers to the
        same samples, which agree up to rounding: a mistake that two ways of one API share shows there.
        """
        for answer, other in zip(answers, near or []):
            for (name, array), second in zip(answer, other):
                np.testing.assert_allclose(np.asarray(array, np.float64).reshape(-1), np.asarray(second, np.float64).reshape(-1), rtol=2e-4, atol=2e-5,
                                           err_msg=f"{home.name}: {name}")
        np.savez(home / "data.npz", **{name: np.stack([sample[name] for sample in samples]) for name in samples[0]})
        kept = {}
        for i, one in enumerate(answers):
            for j, (_, array) in enumerate(one):
                kept[f"out {i} {j}"] = _plain(array)
        for i, one in enumerate(layers or []):
            for j, (_, _, array) in enumerate(one):
                kept[f"layer {i} {j}"] = _plain(array)
        np.savez(home / "expected.npz", **kept)
        described = {"model": str(pathlib.Path(model).relative_to(home) if pathlib.Path(model).is_absolute() else model), "flags": list(flags),
                     "options": options, "samples": len(samples),
                     "inputs": [[name, array.dtype.name, list(array.shape)] for name, array in samples[0].items()],
                     "outputs": [[name, array.dtype.name, list(array.shape)] for name, array in answers[0]],
                     "layers": [[name, kind, array.dtype.name, list(array.shape)] for name, kind, array in layers[0]] if layers else None if hidden else []}
        (home / "case.json").write_text(json.dumps(described))


def _plain(array):
    """bfloat16 has no place in .npz: its bits stand for it."""
    return array.view(np.uint16) if array.dtype.name == "bfloat16" else array
