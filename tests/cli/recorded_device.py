# SPDX-License-Identifier: Apache-2.0
"""Devices of lower precision whose layers the Python probe records, and a classifier that such precision breaks."""
import hashlib
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

import tool
from tool import MODELS, ROOT, run

sys.path.insert(0, str(ROOT / "tests" / "python"))
import support  # noqa: E402,F401  finds the Python package of this build, or skips
import edgeprobe  # noqa: E402

AT, CHANNELS = "block4/add", 48
RECIPE = MODELS / "signs_nchw.recipe"
DATA = ["--data", MODELS / "data" / "test"]


def with_convolutions(path, stages):
    """The classifier with convolutions of one term after a block: each has a gain and an offset."""
    model = onnx.load(MODELS / "signs_float.onnx")
    nodes, one, constants = [], np.eye(CHANNELS, dtype=np.float32).reshape(CHANNELS, CHANNELS, 1, 1), {}
    for node in model.graph.node:
        nodes.append(node)
        if node.output[0] != AT:
            continue
        node.output[0] = last = AT + "/before"
        for i, (gain, offset) in enumerate(stages):
            made = AT if i + 1 == len(stages) else f"stage{i}"
            constants[f"stage{i}/weight"] = one * np.float32(gain)
            constants[f"stage{i}/bias"] = np.full(CHANNELS, offset, np.float32)
            nodes.append(helper.make_node("Conv", [last, f"stage{i}/weight", f"stage{i}/bias"], [made], name=f"stage{i}"))
            last = made
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    model.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in constants.items())
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


class DeviceTest(tool.ToolTest):
    FRAMES = 12

    @classmethod
    def setUpClass(cls):
        """(sample, model input) of some pictures."""
        trace = cls.class_folder() / "inputs.mcap"
        run("run", MODELS / "signs_float.onnx", *DATA, "--recipe", RECIPE, "--frames", cls.FRAMES, "--trace", trace, expect=0)
        with edgeprobe.Trace(str(trace)) as opened:
            cls.inputs = [(frame.sample, np.array(frame["model_input/image"])) for frame in opened.frames]

    def verdict_of(self, path, compute, types, *more):
        """The verdict on a device that runs the model file at `path`: `compute(image)` returns its tensors by name, `types` are the layers that it shows."""
        trace = self.folder / "target.mcap"
        trace.unlink(missing_ok=True)
        with edgeprobe.Probe(str(trace), level="layers", wait_when_full=True) as probe:
            probe.describe(model=path.name, model_sha256=hashlib.sha256(path.read_bytes()).hexdigest())
            for sample, image in self.inputs:
                made = compute(image)
                with probe.frame(sample=sample) as frame:
                    frame.tensor("image", image, "model_input", position=0)
                    for k, (name, kind) in enumerate(types.items()):
                        frame.tensor(name, made[name], "layer", position=k, layer_type=kind)
                    frame.tensor("probabilities", made["probabilities"], "model_output", position=0)
        return tool.verdict_of("diagnose", trace, "--reference", path, "--reference-recipe", RECIPE, *DATA, *more, "--labels", MODELS / "data" / "labels.csv",
                               expect={0, 3, 4})

    def confirmed(self, verdict):
        return [one["kind"] for one in verdict["causes"] if one["status"] == "confirmed"]
