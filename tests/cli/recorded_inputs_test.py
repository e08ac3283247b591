# SPDX-License-Identifier: Apache-2.0
"""Recorded model inputs without a front end: finds the change that turns the reference's into the app's. recorded_inputs_test.py EDGEPROBE

NumPy injects the faults, the official MCAP package writes the traces, and ONNX Runtime computes the answers."""
import json

import numpy as np
import onnx
import onnxruntime
from mcap.writer import CompressionType, Writer
from onnx import TensorProto, helper, numpy_helper

import tool
from tool import run, verdict_of

ROWS, COLUMNS, FRAMES = 14, 6, 12
SCALE, ZERO = 0.0625, -9
RANDOM = np.random.default_rng(4)
FEATURES = RANDOM.normal(.4, 1.3, (FRAMES, 1, ROWS, COLUMNS)).astype(np.float32)


def codes(real):
    return np.clip(np.round(real / SCALE) + ZERO, -128, 127).astype(np.int8)


def network(path, coded):
    """Softmax of a dense layer over features, or over their codes."""
    weights = np.random.default_rng(8).normal(0, .5, (ROWS * COLUMNS, 4)).astype(np.float32)
    constants = [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(np.array([1, ROWS * COLUMNS]), "flat")]
    nodes = [helper.make_node("Reshape", ["real" if coded else "x", "flat"], ["f"]), helper.make_node("MatMul", ["f", "w"], ["m"]),
             helper.make_node("Softmax", ["m"], ["y"])]
    if coded:
        constants += [numpy_helper.from_array(np.float32(SCALE), "s"), numpy_helper.from_array(np.int8(ZERO), "z")]
        nodes.insert(0, helper.make_node("DequantizeLinear", ["x", "s", "z"], ["real"]))
    kind = TensorProto.INT8 if coded else TensorProto.FLOAT
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", kind, [1, ROWS, COLUMNS])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4])], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return path


def record(path, model, inputs, outputs=None):
    """A trace of a model's inputs; `outputs`: replace its own outputs."""
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    outputs = [session.run(None, {"x": one})[0] for one in inputs] if outputs is None else outputs
    scale = {"scale": str(SCALE), "zero_point": str(ZERO)} if inputs.dtype == np.int8 else {}
    with open(path, "wb") as file:
        writer = Writer(file, compression=CompressionType.NONE)
        writer.start(profile="edgeprobe", library="test")
        writer.add_metadata("edgeprobe.trace", {"version": "1"})
        writer.add_metadata("edgeprobe.run", {"model": model.name, "engine": "app"})
        topics = [("/model_input/x", inputs, scale), ("/model_output/y", outputs, {})]
        frames = writer.register_channel("/frame", "json", 0, {})
        ids = [writer.register_channel(topic, "x-tensor", 0, {"dtype": str(values[0].dtype), "shape": ",".join(map(str, values[0].shape)),
                                                              "position": "0", **more}) for topic, values, more in topics]
        for frame in range(len(inputs)):
            writer.add_message(frames, frame, json.dumps({"sample": f"{frame:04}"}).encode(), frame, frame)
            for channel, (_, values, _) in zip(ids, topics):
                writer.add_message(channel, frame, np.ascontiguousarray(values[frame]).tobytes(), frame, frame)
        writer.finish()
    return path


def faults(right):
    """{words of the sentence: inputs}, as real values or codes."""
    coded = right.dtype == np.int8
    real = (right.astype(float) - ZERO) * SCALE if coded else right.astype(float)
    stored = codes if coded else lambda values: values.astype(np.float32)
    filler = ZERO if coded else 0
    tail, column, late = right.copy(), right.copy(), right.copy()
    tail[:, :, -4:] = filler
    column[:, :, :, 2] = column[:, :, :, 3]
    late[1:] = right[:-1]
    some = right.copy()
    some[7:] = stored(real * 2)[7:]
    planted = {"is the reference's times 0.5": stored(real * .5), "is the reference's with the other sign": stored(-real),
               "(transposed), the model takes 14x6": np.ascontiguousarray(right.transpose(0, 1, 3, 2)).reshape(right.shape),
               "holds its rows in reverse order": right[:, :, ::-1], "holds its columns turned round by 1": np.roll(right, 1, 3),
               "is shifted by 3 rows": np.concatenate([np.full_like(right[:, :, :3], filler), right[:, :, :-3]], 2),
               "in rows 10 to 13 of 14": tail, "holds column 3 a second time in the place of column 2": column,
               "in 11 of 12 frames (first at frame 1) is that of the frame before": late,
               "in 5 of 12 frames (first at frame 7) is the reference's times 2": some}
    if coded:
        planted |= {"holds codes that are 10 too high": np.clip(right.astype(int) + 10, -128, 127).astype(np.int8),
                    "its zero point is taken for 0": np.clip(right.astype(int) - ZERO, -128, 127).astype(np.int8),
                    "the app writes uint8 codes where the model takes int8": (right.view(np.uint8) ^ 128).view(np.int8)}
    else:
        planted |= {"is 1.5 too high in every value": stored(real + 1.5), "the other byte order": right.byteswap(),
                    "of its own in each column": stored((real - real.mean((0, 1, 2))) / real.std((0, 1, 2)))}
    return planted


class RecordedInputsTest(tool.ToolTest):
    def sides(self):
        for coded in (False, True):
            right = codes(FEATURES) if coded else FEATURES
            model = network(self.folder / f"net{coded}.onnx", coded)
            yield model, right, record(self.folder / f"ref{coded}.mcap", model, right)

    def test_one_change_is_named_from_two_traces_alone_and_by_replay(self):
        for model, right, reference in self.sides():
            for words, fed in faults(right).items():
                app = record(self.folder / "app.mcap", model, fed)
                for more in ((), ("--reference", model, "--model", model)):
                    with self.subTest(model=model.name, fault=words, with_model=bool(more)):
                        verdict = verdict_of("diagnose", app, "--reference-trace", reference, *more, expect=(3, 4))
                        [cause] = verdict["causes"]
                        self.assertIn(words, cause["detail"])
                        self.assertFalse(any(cause["fix"]["code"].values()), "lines of code are for pictures")
                        # Outputs with NaN have no distance.
                        if verdict["verdict"] == "differs" and np.isfinite(fed.astype(np.float32)).all():
                            self.assertEqual(cause["status"], "confirmed")
                            if more:
                                self.assertGreater(cause["restored"], .999)

    def test_healthy_apps_agree(self):
        for model, right, reference in self.sides():
            near = right if right.dtype == np.int8 else np.nextafter(right, np.float32(9))
            for fed in (right, near):
                verdict = verdict_of("diagnose", record(self.folder / "app.mcap", model, fed), "--reference-trace", reference, expect=0)
                self.assertEqual(verdict["causes"], [])

    def test_what_has_no_name_has_a_place(self):
        for model, right, reference in self.sides():
            fed = right.copy()
            fed[3:6, :, :, 1] = RANDOM.permutation(fed[3:6, :, :, 1].reshape(-1)).reshape(3, 1, ROWS)
            verdict = verdict_of("diagnose", record(self.folder / "app.mcap", model, fed), "--reference-trace", reference, expect=(3, 4))
            [cause] = verdict["causes"]
            self.assertIn("in 3 of 12 frames, first at frame 3 and in the 2 that follow", cause["detail"])
            self.assertIn("all but those in column 1 of 6", cause["detail"])
            seen = cause["evidence_values"][0]["values"]
            self.assertEqual((seen["first_frame"], seen["differing_frames"], seen["following_frames"]), (3, 3, 2))
            self.assertEqual(seen["axis_2"], [1, 1, 1, 6])

    def test_late_outputs_of_equal_inputs_are_named(self):
        for model, right, reference in self.sides():
            session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
            outputs = [session.run(None, {"x": one})[0] for one in right]
            for words, given in (("in 11 of 12 frames (first at frame 1) is that of the frame before", outputs[:1] + outputs[:-1]),
                                 ("in 11 of 12 frames (first at frame 1) is that of 2 frames before", outputs[:1] * 2 + outputs[:-2]),
                                 ("is the reference's times 2 plus 0.5", [2 * one + np.float32(.5) for one in outputs]),
                                 ("holds its columns 0 and 3 in each other's place", [one[:, [3, 1, 2, 0]] for one in outputs])):
                with self.subTest(model=model.name, fault=words):
                    verdict = verdict_of("diagnose", record(self.folder / "app.mcap", model, right, given), "--reference-trace", reference, expect=3)
                    [cause] = verdict["causes"]
                    self.assertIn(words.replace("columns", "values"), cause["detail"])
                    self.assertEqual((cause["status"], cause["stage"]), ("confirmed", "outputs"))

    def test_a_model_without_a_usual_recipe_stands_beside_its_trace(self):
        """A coded input whose range does not fit pixels has no default recipe; its trace does not need one."""
        model = network(self.folder / "net.onnx", True)
        right = codes(FEATURES)
        reference = record(self.folder / "ref.mcap", model, right)
        run("diagnose", reference, "--reference-trace", reference, "--reference", model, "--model", model, expect=0)


if __name__ == "__main__":
    tool.main()
