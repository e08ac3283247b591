# SPDX-License-Identifier: Apache-2.0
"""--node-data: the drift of each layer for Model Explorer, under the names that its reader finds in the model file."""
import json

import numpy as np

import tool
import traces
from tool import MODELS, RECIPE, run

FLOAT, INT8 = MODELS / "signs_float.tflite", MODELS / "signs_int8.tflite"
DATA = ["--data", MODELS / "data" / "test", "--frames", 6]


def output_tensors(model):
    """Names of the operators' output tensors, and of the model's input, from the engine's own interpreter."""
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(str(model), experimental_preserve_all_tensors=True)
    names = {one["index"]: one["name"] for one in interpreter.get_tensor_details()}
    made = {index for op in interpreter._get_ops_details() for index in op["outputs"]}
    return {names[index] for index in made | {one["index"] for one in interpreter.get_input_details()}}


class NodeDataTest(tool.ToolTest):
    def trace(self, name, model=FLOAT, recipe=RECIPE):
        path = self.folder / name
        run("run", model, "--recipe", recipe, *DATA, "--level", "layers", "--trace", path, expect=0)
        return path

    def compared(self, reference, target, *flags, expect=3):
        path = self.folder / "drift.json"
        run("compare", reference, target, "--node-data", path, *flags, expect=expect)
        return json.loads(path.read_text())

    def colour(self, data, value):
        """The rule of Model Explorer: the first threshold that is not below the value."""
        return next(one["bgColor"] for one in data["thresholds"] if value <= one["value"])

    def test_every_layer_has_its_drift_by_the_name_in_the_file(self):
        good, bad = self.trace("good.mcap"), self.trace("bad.mcap", recipe=RECIPE.replace("rgb", "bgr"))
        data = self.compared(good, bad)
        self.assertEqual(set(data["results"]), output_tensors(FLOAT))
        self.assertEqual([one["value"] for one in data["thresholds"]], sorted(one["value"] for one in data["thresholds"]))
        for name, one in data["results"].items():
            stage = "model_input" if name == "image" else "model_output" if name == "probabilities" else "layer"
            pairs = [np.concatenate([frames[frame][name].astype(np.float64) for frame in sorted(frames)]) for frames in (traces.tensors(good, stage), traces.tensors(bad, stage))]
            expected = np.sqrt(np.mean((pairs[0] - pairs[1]) ** 2)) / max(np.ptp(pairs[0]), np.ptp(pairs[1]))
            self.assertAlmostEqual(one["value"], expected, delta=1e-6 + 1e-5 * expected, msg=name)
        self.assertNotIn(self.colour(data, data["results"]["image"]["value"]), ("#ffffff", "#fff3c4"))
        # Equal recordings leave every node white.
        same = self.compared(good, good, expect=0)
        self.assertEqual({self.colour(same, one["value"]) for one in same["results"].values()}, {"#ffffff"})

    def test_check_and_diagnose_write_it_of_the_targets_file(self):
        path = self.folder / "check.json"
        flags = ["--reference", FLOAT, "--reference-recipe", MODELS / "signs.recipe", "--node-data", path]
        run("check", INT8, "--recipe", RECIPE + " | quantize(model)", *flags, *DATA, "--level", "layers", expect={0, 3, 4})
        results = json.loads(path.read_text())["results"]
        self.assertLessEqual(set(results), output_tensors(INT8))
        self.assertGreater(len(results), 15)
        bad = self.trace("bad.mcap", recipe=RECIPE.replace("rgb", "bgr"))
        run("diagnose", bad, *flags, expect={3, 4})  # an older file of ours is replaced
        results = json.loads(path.read_text())["results"]
        self.assertIn("image", results)

    def test_values_that_are_no_numbers_and_names_that_mislead(self):
        good = self.trace("good.mcap")
        names = {"logits": "results", "pool/mean": "\u00e4\"<script>\n"}
        layers = [name for name in traces.tensors(good, "layer")[0]]
        self.assertLessEqual(set(names), set(layers))
        broken = layers[3]

        def change(channel, message):
            name = channel.topic.removeprefix("/layer/")
            values = np.frombuffer(message.data, np.float32).copy() if name == broken else None
            if values is not None:
                values[0] = np.nan
            return message.data if values is None else values.tobytes()

        with_nan = self.folder / "nan.mcap"
        traces.rewritten(good, with_nan, change)
        data = self.compared(good, with_nan)
        self.assertEqual(data["results"][broken]["value"], "NaN or infinite")
        self.assertIn("bgColor", data["results"][broken])

        with traces.Copy(good, self.folder / "named.mcap") as copy:
            for channel, message in copy.messages:
                name = channel.topic.removeprefix("/layer/")
                topic = "/layer/" + names[name].replace("\n", "%0A") if name in names else channel.topic
                copy.add(topic, channel.message_encoding, dict(channel.metadata), message.data, message)
        data = self.compared(self.folder / "named.mcap", self.folder / "named.mcap", expect=0)
        self.assertNotIn("results", data["results"])  # in that case the file would be one for several graphs
        self.assertIn("\u00e4\"<script>\n", data["results"])

    def test_names_are_those_of_the_targets_file(self):
        good = self.trace("good.mcap")
        with traces.Copy(good, self.folder / "named.mcap") as copy:
            for channel, message in copy.messages:
                copy.add(channel.topic.replace("/layer/logits", "/layer/dense"), channel.message_encoding, dict(channel.metadata), message.data, message)
        (self.folder / "map.txt").write_text("logits dense\n")
        results = self.compared(good, self.folder / "named.mcap", "--map", self.folder / "map.txt", expect=0)["results"]
        self.assertIn("dense", results)
        self.assertNotIn("logits", results)

    def test_a_file_of_others_stays(self):
        good = self.trace("good.mcap")
        other = self.folder / "other.json"
        other.write_text('{"name": "mine", "thresholds": [], "results": {}}')
        done = run("compare", good, good, "--node-data", other, expect=2)
        self.assertIn("--node-data", done.err)
        self.assertIn("mine", other.read_text())
        done = run("compare", good, good, "--node-data", good, expect=2)
        self.assertIn("this file is read as well", done.err)


if __name__ == "__main__":
    tool.main()
