# SPDX-License-Identifier: Apache-2.0
"""stretch generate: counts by a second route, models that ONNX's checker and ONNX Runtime accept, plans that compute the same bits, and refusals:
generate_test.py EDGEPROBE."""
import json
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import tool
from configurations import PUBLISHED, drawn, published, text_of
from counter import count
from stretch_models import TWO, StretchTest, alone, tensors_of
from tool import run


class GenerateTest(StretchTest):
    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def counts(self, path, *args):
        return json.loads(run("stretch", "generate", path, "--json", *args, expect=0).out)["networks"]

    def test_published_networks_have_their_parameters_to_the_unit(self):
        for name, text in published().items():
            self.write(f"nets/{name}.yaml", text)
        rows = {row["name"]: row for row in self.counts(self.folder / "nets", "--size", 224)}
        self.assertEqual(sorted(rows), sorted(PUBLISHED))
        for name, (parameters, gmacs) in PUBLISHED.items():
            self.assertEqual(rows[name]["parameters"], parameters, name)
            self.assertAlmostEqual(rows[name]["macs"] / 1e9 / gmacs, 1, delta=1e-3, msg=name)
            self.assertEqual((rows[name]["parameters"], rows[name]["macs"]), count(published()[name]), name)
            self.assertEqual(rows[name]["parameters"], sum(one["parameters"] for one in rows[name]["sections"]), name)

    def test_adapters_in_every_stage_as_in_the_artifacts_module(self):
        text = drawn(16)
        for seed in range(4, 160, 6):  # mbconv, with an unbranched stage and adapters
            text = drawn(seed)
            if "MB_VER: 1" in text and count(text, 32) != count(text, 32, all_adapters=True):
                break
        path = self.write("net.yaml", text)
        row, = self.counts(path, "--size", 32, "--adapters", "all")
        self.assertEqual((row["parameters"], row["macs"]), count(text, 32, all_adapters=True))
        self.assertNotEqual(self.counts(path, "--size", 32)[0]["parameters"], row["parameters"])

    def test_drawn_networks_of_every_block(self):
        for seed in range(60):
            self.write(f"nets/{seed:02}.yaml", drawn(seed))
        models = self.folder / "models"
        rows = {row["name"]: row for row in self.counts(self.folder / "nets", "--size", 40, "--output", models)}
        self.assertEqual(len(rows), 60)
        merges = 0
        for seed in range(60):
            row = rows[f"{seed:02}"]
            self.assertEqual((row["parameters"], row["macs"]), count(drawn(seed), 40), drawn(seed))
            model = onnx.load(models / f"{seed:02}.onnx")
            onnx.checker.check_model(model, full_check=True)
            statistics = sum(int(np.prod(one.dims)) for one in model.graph.initializer if one.name.endswith((".running_mean", ".running_var")))
            floats = sum(int(np.prod(one.dims)) for one in model.graph.initializer if one.data_type == onnx.TensorProto.FLOAT)
            self.assertEqual(floats - statistics, row["parameters"])
            self.assertFalse([node.op_type for node in model.graph.node if node.domain])
            plan = json.loads((models / f"{seed:02}.json").read_text())
            merges += len(plan.get("merges", []))
        self.assertGreater(merges, 20)

    @TWO
    def test_a_plan_computes_what_the_whole_model_computes(self):
        for seed in range(6):  # one of each block
            text = next(drawn(one) for one in range(seed, 200, 6) if "gpu" in drawn(one))
            net = self.write("net.yaml", text)
            model, plan = self.folder / "net.onnx", self.folder / "net.json"
            run("stretch", "generate", net, "--size", 40, "--output", model, "--plan", plan, "--force", expect=0)
            self.assertEqual(len(json.loads(plan.read_text())["programs"]), 2)
            data, drawn_inputs = self.data_of(model, 4)
            trace = self.folder / f"{seed}.mcap"
            run("run", model, "--engine", f"stretch:{plan}", "--data", data, "--trace", trace, expect=0)
            frames = tensors_of(trace)
            self.assertEqual(len(frames), 4)
            for frame, inputs in enumerate(drawn_inputs):
                wanted = alone(model).run(None, inputs)[0][0]
                # ONNX Runtime chooses kernels by a layer's neighbours, so a piece may sum in another order.
                self.assertLess(abs(frames[frame]["scores"] - wanted).max(), 2e-6 * abs(wanted).max())

    def test_weights_come_from_the_seed_and_from_files(self):
        net = self.write("net.yaml", drawn(4))
        files = [self.folder / name for name in ("a.safetensors", "b.safetensors", "c.safetensors")]
        for file, seed in zip(files, (7, 7, 8)):
            run("stretch", "generate", net, "--seed", seed, "--weights-output", file, expect=0)
        a, b, c = (file.read_bytes() for file in files)
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)
        weights = tensors(a)
        convolutions = {name: values for name, values in weights.items() if values.ndim == 4 and values.size > 2000}
        for name, values in convolutions.items():
            fan = values.shape[0] * values.shape[2] * values.shape[3]
            self.assertAlmostEqual(values.std() / (2 / fan) ** 0.5, 1, delta=0.1, msg=name)
            self.assertLess(abs(values.mean()), 0.1 * values.std(), name)
        self.assertTrue(convolutions)
        run("stretch", "generate", net, "--weights", files[2], "--output", self.folder / "c.onnx", expect=0)
        stored = {one.name: onnx.numpy_helper.to_array(one) for one in onnx.load(self.folder / "c.onnx").graph.initializer}
        for name, values in tensors(c).items():
            np.testing.assert_array_equal(stored[name], values)
        other = self.write("other.yaml", drawn(10))
        done = run("stretch", "generate", other, "--weights", files[2], "--output", self.folder / "d.onnx", expect=2)
        self.assertRegex(done.err, "weights of another network: tensor '.+'")
        self.assertFalse((self.folder / "d.onnx").exists())

    def test_the_list_of_layers_and_the_picture(self):
        net = self.write("net.yaml", drawn(4))
        run("stretch", "generate", net, "--size", 40, "--network", self.folder / "n.json", "--picture", self.folder / "n.svg",
            "--output", self.folder / "n.onnx", expect=0)
        network = json.loads((self.folder / "n.json").read_text())
        shapes = {one.name: [d.dim_value for d in one.type.tensor_type.shape.dim]
                  for one in onnx.shape_inference.infer_shapes(onnx.load(self.folder / "n.onnx")).graph.value_info}
        checked = [layer["name"] for layer in network["layers"] if layer["name"] in shapes]
        self.assertGreater(len(checked), 20)
        for layer in network["layers"]:
            if layer["name"] in shapes:
                self.assertEqual([1, *layer["shape"]], shapes[layer["name"]], layer["name"])
        self.assertEqual(network["training"]["OPTIM"]["NESTEROV"], True)
        self.assertEqual(network["training"]["OPTIM"]["WARMUP_FACTOR"], 0.1)
        self.assertEqual(network["training"]["OPTIM"]["EMA_ALPHA"], 1e-5)
        import xml.etree.ElementTree as tree
        picture = (self.folder / "n.svg").read_text()
        boxes = [one for one in tree.fromstring(picture).iter() if one.tag.endswith("rect")]
        row, = self.counts(net, "--size", 40)
        self.assertEqual(len(boxes), 1 + len(row["sections"]))

    def test_the_receptive_field_is_the_one_that_gradients_show(self):
        text = text_of({"STEM_W": 4, "STEM_K": 3, "BLOCK_TYPE": "vanilla_block", "STRIDES": [[2, 2], [1]], "DEPTHS": [[2, 1], [1]],
                        "WIDTHS": [[4, 6], [8]], "DEVICES": ["cpu", "gpu"], "ORIGINAL_WIDTHS": [10, 8]}, {"NUM_CLASSES": 2})
        net = self.write("net.yaml", text)
        row, = self.counts(net, "--size", 128)
        run("stretch", "generate", net, "--size", 128, "--output", self.folder / "n.onnx", expect=0)
        model = onnx.load(self.folder / "n.onnx")
        last = next(node.input[0] for node in model.graph.node if node.op_type == "GlobalAveragePool")
        model.graph.output.append(onnx.helper.make_tensor_value_info(last, onnx.TensorProto.FLOAT, None))
        for one in model.graph.initializer:  # Positive weights: every pixel of the field counts.
            if one.name.endswith(".weight"):
                one.CopyFrom(onnx.numpy_helper.from_array(np.abs(onnx.numpy_helper.to_array(one)) + 0.01, one.name))
        session = onnxruntime.InferenceSession(model.SerializeToString())
        zero = np.zeros((1, 3, 128, 128), np.float32)
        base, = session.run([last], {"input": zero})
        middle = base.shape[2] // 2
        seen = []
        for column in range(128):
            poked = zero.copy()
            poked[0, :, :, column] = 1
            now, = session.run([last], {"input": poked})
            if not np.array_equal(now[0, :, middle, middle], base[0, :, middle, middle]):
                seen.append(column)
        self.assertEqual(seen[-1] - seen[0] + 1, row["receptive_field"])

    def test_refusals_name_file_line_key_and_write_nothing(self):
        good = drawn(2)
        for what, changed, words in [
                ("unknown key", good.replace("DEPTHS:", "DEPTH:"), "DEPTH' is unknown; did you mean 'DEPTHS'"),
                ("unknown block", good.replace("res_bottleneck_block", "res_bottlenek_block"), "did you mean 'res_bottleneck_block'"),
                ("no network", "family: 1\n", "'stages'"), ("a list", "[1, 2]\n", "a map of keys"), ("empty", "", "empty")]:
            path = self.write("bad.yaml", changed)
            done = run("stretch", "generate", path, "--output", self.folder / "no.onnx", expect=2)
            self.assertIn("bad.yaml", done.err, what)
            self.assertIn(words, done.err, what)
            self.assertFalse((self.folder / "no.onnx").exists())
        self.write("nets/good.yaml", good)
        self.write("nets/bad.yaml", "MODEL: {TYPE: resnet}\n")
        done = run("stretch", "generate", self.folder / "nets", "--output", self.folder / "models", expect=2)
        self.assertIn("refused: ", done.err)
        self.assertTrue((self.folder / "models/good.onnx").exists())

    def test_a_device_file_places_the_processors_by_name(self):
        net = self.write("net.yaml", next(drawn(one) for one in range(4, 200, 6) if "gpu" in drawn(one) and "dsp" not in drawn(one)))
        device = self.write("device.yaml", "device: 1\nprocessors:\n  - {name: gpu, engine: onnxruntime, cpus: [0], emulated_slowdown: 2}\n")
        done = run("stretch", "generate", net, "--output", self.folder / "n.onnx", "--plan", self.folder / "n.json", "--device", device, expect=2)
        self.assertIn("processor 'cpu' is not in", done.err)


def tensors(file):
    """Values of a safetensors file, read by its specification."""
    length = int.from_bytes(file[:8], "little")
    header = json.loads(file[8:8 + length])
    data = file[8 + length:]
    return {name: np.frombuffer(data[slice(*entry["data_offsets"])], np.float32).reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__"}


if __name__ == "__main__":
    tool.main()
