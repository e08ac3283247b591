# SPDX-License-Identifier: Apache-2.0
"""`instrument` makes a model whose layers are outputs; the engines' own Python confirms its values."""
import json

import numpy as np

import tool
from tool import MODELS, RECIPE, run

PICTURES = MODELS / "data" / "test"


def litert(path, value):
    """Names and values of all outputs, from LiteRT's own interpreter."""
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_path=str(path), num_threads=1)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], value)
    interpreter.invoke()
    return [(o["name"], interpreter.get_tensor(o["index"])) for o in interpreter.get_output_details()]


class InstrumentTest(tool.ToolTest):
    def instrument(self, model, out, *more, expect=0):
        return json.loads(run("instrument", model, "-o", self.folder / out, "--json", *more, expect=expect).out)

    def test_layers_are_outputs_and_the_own_output_stays(self):
        model = MODELS / "signs_int8.tflite"
        recipe = RECIPE.replace("scale(-1..1)", "scale(-1..1) | quantize(model)")
        told = self.instrument(model, "layers.tflite", "--data", PICTURES, "--frames", 12, "--recipe", recipe)
        self.assertEqual((told["own_outputs"], told["proof"]["inputs"], told["proof"]["moved"]), (1, 12, 0))
        import edgeprobe

        run("run", model, "--data", PICTURES, "--frames", 1, "--recipe", recipe, "--level", "layers", "--trace", self.folder / "t.mcap", expect=0)
        frame = edgeprobe.load(self.folder / "t.mcap").frames[0]
        value = next(frame[name] for name in frame if name.startswith("model_input/"))
        plain, copy = litert(model, value), litert(self.folder / "layers.tflite", value)
        self.assertEqual(plain[0][0], copy[0][0])
        np.testing.assert_array_equal(plain[0][1], copy[0][1])
        self.assertEqual([name for name, _ in copy[1:]], told["layers"])
        self.assertEqual(sum(v.nbytes for _, v in copy[1:]), told["layer_bytes_a_frame"])
        self.assertGreater(len(copy), 10)
        for name, layer in copy[1:]:
            np.testing.assert_array_equal(layer, frame[f"layer/{name}"], name)

    def test_include_and_embedding_pick_layers(self):
        model = MODELS / "signs_float.onnx"
        everything = self.instrument(model, "all.onnx")["layers"]
        one = self.instrument(model, "one.onnx", "--include", everything[3])
        self.assertEqual(one["layers"], [everything[3]])
        self.assertEqual(len(self.instrument(model, "embedding.onnx", "--level", "embedding")["layers"]), 1)
        import onnxruntime

        session = onnxruntime.InferenceSession(str(self.folder / "one.onnx"), providers=["CPUExecutionProvider"])
        self.assertEqual([o.name for o in session.get_outputs()][1:], [everything[3]])

    def test_a_model_that_takes_no_pictures_needs_no_recipe(self):
        model = tool.SHARED / "models" / "mlperf_tiny" / "kws_ref_model.tflite"
        if not model.exists():
            self.skipTest(f"{model} is not there")
        told = self.instrument(model, "kws.tflite", "--inputs", 3)
        self.assertEqual((told["proof"]["inputs"], told["proof"]["moved"]), (3, 0))


if __name__ == "__main__":
    tool.main()
