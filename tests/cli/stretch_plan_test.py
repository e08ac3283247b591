# SPDX-License-Identifier: Apache-2.0
"""stretch plan, search and explain, and the engine stretch:PLAN: what runs in pieces is what ONNX Runtime's own Python computes, whole and piece by piece."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

import numpy as np
import onnx
import onnxruntime
from mcap.reader import make_reader

import tool
from tool import MODELS, ROOT, run

sys.path.insert(0, str(ROOT / "bench" / "stretch"))
import nets  # noqa: E402

INCEPTION = MODELS / "inception_like.onnx"
CPUS = sorted(os.sched_getaffinity(0))
TWO = unittest.skipIf(len(CPUS) < 2, "one CPU: a second processor cannot be had here")


def sessions(plan, model, folder):
    """The pieces of a plan, cut out by ONNX's own tool, by name."""
    made = {}
    for piece in plan["pieces"]:
        path = folder / f"{len(made)}.onnx"
        onnx.utils.extract_model(str(model), str(path), piece["inputs"], piece["outputs"], check_model=False)
        made[piece["name"]] = alone(path)
    return made


def alone(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def in_sequence(plan, pieces, inputs):
    """All tensors, with one piece after the other in an order that the plan allows."""
    values, left = dict(inputs), list(plan["pieces"])
    while left:
        for merge in plan.get("merges", []):
            names = [one["tensor"] for one in merge["slices"]]
            if merge["tensor"] not in values and all(name in values for name in names):
                values[merge["tensor"]] = np.concatenate([values[name] for name in names], axis=1)
        ready = next(piece for piece in left if all(name in values for name in piece["inputs"]))
        left.remove(ready)
        values.update(zip(ready["outputs"], pieces[ready["name"]].run(ready["outputs"], {name: values[name] for name in ready["inputs"]})))
    return values


def outputs_of(trace):
    """Float outputs by frame and name, read by the official MCAP reader."""
    frames = {}
    with open(trace, "rb") as file:
        for _, channel, message in make_reader(file).iter_messages():
            if channel.topic.startswith("/model_output/"):
                frames.setdefault(message.sequence, {})[channel.topic.split("/", 2)[2]] = np.frombuffer(message.data, np.float32)
    return frames


@TWO
class Plans(tool.ToolTest):
    def model(self, name):
        path = self.folder / f"{name}.onnx"
        onnx.save(nets.NETS[name](), path)
        return path

    def plan_of(self, model, *more):
        path = self.folder / f"{pathlib.Path(model).stem}.json"
        run("stretch", "plan", model, "--output", path, "--cpus", f"{CPUS[0]},{CPUS[1]}", "--force", *more, expect=0)
        return path

    def data_of(self, model, count):
        """Random inputs as .npz, and the same as arrays."""
        rng = np.random.default_rng(2)
        file = self.folder / f"{pathlib.Path(model).stem}.npz"
        arrays = {one.name: rng.random((count, *one.shape), dtype=np.float32) for one in alone(model).get_inputs()}
        np.savez(file, **arrays)
        return file, [{name: values[i] for name, values in arrays.items()} for i in range(count)]

    def test_pieces_at_once_are_pieces_in_sequence_and_the_whole_model(self):
        for model in (INCEPTION, self.model("towers_64"), self.model("ensemble_4"), self.model("sensors")):
            with self.subTest(model=model.name):
                path = self.plan_of(model)
                plan = json.loads(path.read_text())
                self.assertGreater(len(plan["programs"]), 1)
                pieces, whole = sessions(plan, model, self.folder), alone(model)
                data, drawn = self.data_of(model, 20)
                trace = self.folder / f"{model.stem}.mcap"
                run("run", model, "--engine", f"stretch:{path}", "--data", data, "--trace", trace, expect=0)
                recorded = outputs_of(trace)
                self.assertEqual(len(recorded), 20)
                for frame, inputs in enumerate(drawn):
                    expected = dict(zip((one.name for one in whole.get_outputs()), whole.run(None, inputs)))
                    sequence = in_sequence(plan, pieces, inputs)
                    for name, value in expected.items():
                        got = recorded[frame][name].reshape(value.shape)
                        self.assertTrue(np.array_equal(got, sequence[name]), name)
                        self.assertLessEqual(np.abs(got - value).max(), 1e-6 * np.abs(value).max(), name)
                        self.assertEqual(got.argmax(), value.argmax())

    def test_a_plan_is_replaced_by_force_alone(self):
        path = self.plan_of(INCEPTION)
        before = path.read_text()
        path.write_text("mine")
        refused = run("stretch", "plan", INCEPTION, "--output", path, expect=2)
        self.assertIn(f"'{path}' exists; give another --output, or --force to replace it", refused.err)
        self.assertEqual(path.read_text(), "mine")
        self.plan_of(INCEPTION)
        self.assertEqual(path.read_text(), before)
        destroyed = run("stretch", "plan", INCEPTION, "--output", INCEPTION, "--force", expect=2)
        self.assertIn("this file is read as well", destroyed.err)
        nowhere = run("stretch", "search", INCEPTION, "--output", self.folder / "none" / "plan.json", expect=2)
        self.assertIn("there is no such folder", nowhere.err)


if __name__ == "__main__":
    tool.main()
