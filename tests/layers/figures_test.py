# SPDX-License-Identifier: Apache-2.0
"""Jump, local error, floor and share of every layer of a model with a fault, recomputed with NumPy only:
no engine, no cut model files. figures_test.py EDGEPROBE"""
import pathlib
import sys
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "cli"), str(ROOT / "bench" / "layer_matrix")]

import quant_faults  # noqa: E402
import tool  # noqa: E402
from model_file import Model  # noqa: E402
from tool import MODELS, RECIPE, run, verdict_of  # noqa: E402

RELU6 = 3
FRAMES = 8


def patches(x, kernel, stride):
    """The shifted views of x [N,H,W,C] under SAME padding, row by row."""
    outs = [-(-n // stride) for n in x.shape[1:3]]
    total = [max((o - 1) * stride + k - n, 0) for o, k, n in zip(outs, kernel, x.shape[1:3])]
    x = np.pad(x, [(0, 0)] + [(t // 2, t - t // 2) for t in total] + [(0, 0)])
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            yield i, j, x[:, i : i + (outs[0] - 1) * stride + 1 : stride, j : j + (outs[1] - 1) * stride + 1 : stride]


class Net:
    """A file's operators, computed in real numbers."""

    def __init__(self, path):
        self.model = Model(path)

    def constant(self, tensor):
        scales, _ = self.model.scales(tensor)
        values = self.model.constant(tensor).astype(np.float64)
        if scales is None:
            return values
        shape = [1] * values.ndim
        if len(scales) > 1:
            shape[self.model.axis(tensor)] = -1
        return values * scales.reshape(shape)

    def reads(self, op):
        """The input tensors that are computed or fed."""
        inputs = [int(t) for t in self.model.ops[op].inputs]
        return inputs if self.model.types[op] == "ADD" else inputs[:1]

    def compute(self, op, inputs, weights=None):
        """The real output of an operator, before it is stored. inputs: [N, ...]."""
        kind, layer = self.model.types[op], self.model.ops[op]
        options = layer.builtinOptions
        if kind in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"):
            w = self.constant(int(layer.inputs[1])) if weights is None else weights
            bias = self.constant(int(layer.inputs[2]))
            if kind == "FULLY_CONNECTED":
                out = inputs[0].reshape(len(inputs[0]), -1) @ w.T + bias
            else:
                depthwise = kind == "DEPTHWISE_CONV_2D"
                out = bias + sum(x * w[0, i, j] if depthwise else x @ w[:, i, j].T for i, j, x in patches(inputs[0], w.shape[1:3], options.strideH))
        elif kind == "ADD":
            out = inputs[0] + inputs[1]
        elif kind == "MEAN":
            return inputs[0].mean(axis=(1, 2))
        elif kind == "SOFTMAX":
            e = np.exp(inputs[0] - inputs[0].max(-1, keepdims=True))
            return e / e.sum(-1, keepdims=True)
        else:
            raise ValueError(kind)
        return np.clip(out, 0, 6) if options.fusedActivationFunction == RELU6 else out

    def rounded(self, tensor, values):
        return self.model.real(tensor, self.model.stored(tensor, values))


def rms(difference):
    return float(np.sqrt(np.mean(difference**2)))


class FiguresTest(tool.ToolTest):

    def tensors(self, net, trace):
        """Every recorded tensor of the target in real numbers, by tensor index."""
        npz = self.folder / "all.npz"
        run("trace", "export", trace, "--npz", npz, "--force", expect=0)
        arrays = np.load(npz)
        found = {}
        for t in [int(net.model.graph.inputs[0])] + [net.model.output(k) for k in net.model.order()]:
            for stage in ("model_input/", "layer/", "model_output/"):
                if stage + net.model.name(t) in arrays.files:
                    values = net.model.real(t, arrays[stage + net.model.name(t)])
                    found[t] = values.reshape((len(values),) + tuple(values.shape[2:]) if values.shape[1] == 1 and values.ndim > 2 else values.shape)
        return found

    def test_every_figure_is_numpys(self):
        source, edited = MODELS / "signs_int8.tflite", self.folder / "edited.tflite"
        quant_faults.edit("act_d4", source, 6).save(edited)
        verdict = verdict_of("check", edited, "--recipe", RECIPE + " | quantize(model)", "--reference", MODELS / "signs_float.tflite", "--reference-recipe",
                             RECIPE, "--data", MODELS / "data" / "test", "--frames", FRAMES, "--keep-traces", self.folder, expect=3)
        self.assertEqual(verdict["culprits"]["frames"], FRAMES)
        rows = {row["index"]: row for row in verdict["layers"] if row["index"] >= 0}
        target, reference = Net(edited), Net(MODELS / "signs_float.tflite")
        order = target.model.order()
        self.assertEqual(order, reference.model.order())

        t = self.tensors(target, self.folder / "target.mcap")
        partner = {reference.model.output(k): target.model.output(k) for k in order}
        partner[int(reference.model.graph.inputs[0])] = int(target.model.graph.inputs[0])
        t = {r: t[o] for r, o in partner.items() if o in t}  # Keyed by the reference's tensor from here on.
        r = {int(reference.model.graph.inputs[0]): t[int(reference.model.graph.inputs[0])]}
        for k in order:
            r[reference.model.output(k)] = reference.compute(k, [r[i] for i in reference.reads(k)])
        logits = reference.model.logits()
        gap = lambda values: rms(values - r[logits]) / r[logits].std()
        self.assertAlmostEqual(verdict["culprits"]["gap"], gap(t[logits]), delta=1e-3)

        nse = {i: rms(t[i] - r[i]) ** 2 / r[i].var() for i in r if i in t}
        before, checked = 0.0, 0
        for k in order:
            if target.model.types[k] == "SOFTMAX":  # Layers after the logits.
                continue
            row, out = rows[k], reference.model.output(k)
            with self.subTest(layer=k, type=row["type"]):
                self.assertAlmostEqual(row["jump"] / (nse[out] / (max(nse[i] for i in reference.reads(k)) + 4e-4)), 1, delta=0.01)

                fed = [target.rounded(partner[i], r[i]) for i in reference.reads(k)]
                own = target.rounded(partner[out], target.compute(k, fed))
                deviation = r[out].std()
                # Kernels may also round differently by up to one step.
                step = target.model.scales(partner[out])[0][0] / deviation
                self.assertAlmostEqual(row["local_error"], rms(own - r[out]) / deviation, delta=0.02 * row["local_error"] + 0.15 * step)

                needed = (max(0, r[out].max()) - min(0, r[out].min())) / 255
                e_in, e_w = rms(reference.compute(k, fed) - r[out]), 0
                if target.model.types[k] in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"):
                    w = reference.constant(int(reference.model.ops[k].inputs[1]))
                    axes = (0, 1, 2) if target.model.types[k] == "DEPTHWISE_CONV_2D" else tuple(range(1, w.ndim))
                    ideal = np.maximum(np.abs(w).max(axis=axes, keepdims=True), 1e-30) / 127
                    e_w = rms(reference.compute(k, [r[i] for i in reference.reads(k)], np.rint(w / ideal) * ideal) - r[out])
                self.assertAlmostEqual(row["floor"] * deviation / np.sqrt(needed**2 / 12 + e_in**2 + e_w**2), 1, delta=0.01)

                taken = {i: t[i] for i in t if i not in [reference.model.output(j) for j in order if j > k]}
                for j in order:
                    if j > k:
                        taken[reference.model.output(j)] = reference.compute(j, [taken[i] for i in reference.reads(j)])
                reached = gap(taken[logits])
                self.assertAlmostEqual(row["share"], (reached**2 - before**2) / gap(t[logits]) ** 2, delta=0.01)
                before = reached
                checked += 1
        self.assertEqual(checked, 18)


if __name__ == "__main__":
    tool.main()
