# SPDX-License-Identifier: Apache-2.0
"""run, replay and compare: checks what is recorded, that capture changes nothing, and that Ctrl-C loses nothing."""
import json
import os
import shutil
import signal
import subprocess
import zipfile

import tool
import traces
from processes import wait_for
from tool import MODELS, RECIPE, SHARED, run

DATA = MODELS / "data" / "test"


class RunTest(tool.ToolTest):
    def record(self, name, *more, model="signs_float.tflite", recipe=RECIPE, frames=6):
        trace = self.folder / name
        done = run("run", MODELS / model, "--recipe", recipe, "--data", DATA, "--frames", frames, "--trace", trace, "--json", *more, expect=0)
        return trace, json.loads(done.out)

    def test_layers_equal_the_engines_own_interpreter(self):
        """Compares every captured tensor with LiteRT's Python interpreter, which preserves all tensors and receives the recorded input."""
        import numpy as np
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        for model, recipe in (("signs_float.tflite", RECIPE), ("signs_int8.tflite", RECIPE + " | quantize(model)")):
            trace, _ = self.record(model + ".mcap", "--level", "layers", "--kernels", "builtin", model=model, recipe=recipe, frames=2)
            arrays = traces.exported(trace)
            interpreter = Interpreter(str(MODELS / model), experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
                                      experimental_preserve_all_tensors=True)
            interpreter.allocate_tensors()
            inputs = traces.only(arrays, "model_input")
            compared = 0
            for frame in range(2):
                interpreter.set_tensor(interpreter.get_input_details()[0]["index"], inputs[frame])
                interpreter.invoke()
                for detail in interpreter.get_tensor_details():
                    member = "layer/" + detail["name"]
                    if member in arrays:
                        np.testing.assert_array_equal(arrays[member][frame], interpreter.get_tensor(detail["index"]), member)
                        compared += 1
            self.assertEqual(compared, 2 * 18, arrays.keys())

    def test_the_half_behind_the_model_makes_answers(self):
        """Compares the recipe's labels and scores with NumPy on the recorded outputs; steps that cannot run are a warning."""
        import numpy as np

        names = [f"class {i}" for i in range(10)]
        table = self.folder / "names.txt"
        table.write_text("\n".join(names) + "\n")
        for model, before in (("signs_float.tflite", ""), ("signs_int8.tflite", " | quantize(model)")):
            trace, summary = self.record(model + ".mcap", model=model, recipe=f"{RECIPE}{before} || dequantize | softmax | topk(3) | labels({table})")
            self.assertEqual(summary.get("warnings", []), [])
            npz = self.folder / (model + ".npz")
            run("trace", "export", trace, "--npz", npz, expect=0)
            arrays = np.load(npz)
            outputs = next(arrays[n] for n in arrays.files if "model_output" in n)
            spec = next(t for t in json.loads(run("trace", "info", trace, "--json", expect=0).out)["tensors"] if t["stage"] == "model_output")
            with zipfile.ZipFile(npz) as archive:
                answers = [json.loads(archive.read(f"answer/answer/{frame:06}.json")) for frame in range(6)]
            for output, answer in zip(outputs, answers):
                real = output.astype(np.float64).ravel()
                if "scale" in spec:
                    real = spec["scale"][0] * (real - spec["zero_point"][0])
                exponentials = np.exp(real - real.max())
                scores = exponentials / exponentials.sum()
                best = np.argsort(-scores, kind="stable")[:3]
                self.assertEqual(answer["classes"], best.tolist())
                self.assertEqual(answer["labels"], [names[i] for i in best])
                np.testing.assert_allclose(answer["scores"], scores[best], atol=1e-6)
            self.assertIn("class ", run("trace", "cat", trace, "--tensor", "answer/answer", expect=0).out)
        for post, why in ((" || softmax | labels(nowhere.txt)", "nowhere.txt"), (" || sing", "no answer is recorded")):
            trace = self.folder / "none.mcap"
            done = run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE + post, "--data", DATA, "--frames", 2, "--trace", trace, "--force", expect=0)
            self.assertIn(why, done.err)
            self.assertNotIn("answer", run("trace", "info", trace, expect=0).out.replace("no answer", ""))

    def test_a_detectors_boxes_are_the_answer(self):
        """A COCO SSD whose operator suppresses boxes: NumPy computes the recorded outputs above the threshold, in pixels of the picture."""
        import numpy as np
        from PIL import Image

        model = SHARED / "models/tflite_support/coco_ssd_mobilenet_v1_1.0_quant_2018_06_29.tflite"
        pictures = SHARED / "images"
        if not model.exists():
            self.skipTest(f"no {model}: set EDGEPROBE_SHARED_DATA")
        recipe = "resize(300x300, bilinear) | color(rgb) | scale(-1..1) | layout(nhwc) | quantize(model) || detections(yxyx) | threshold(0.3) | boxes(xyxy, pixels)"
        trace, npz = self.folder / "boxes.mcap", self.folder / "boxes.npz"
        run("run", model, "--recipe", recipe, "--data", pictures, "--frames", 3, "--trace", trace, expect=0)
        run("trace", "export", trace, "--npz", npz, expect=0)
        arrays = np.load(npz)
        outputs = sorted((n for n in arrays.files if n.startswith("model_output/") and not n.endswith(".frames")), key=lambda n: (n.count(":"), n))
        records = {}
        for line in run("trace", "cat", trace, "--tensor", "answer/answer", expect=0).out.splitlines():
            if line.startswith("frame "):
                number, sample = line.split()[1:3]
                records[int(number)] = sample
        found = 0
        with zipfile.ZipFile(npz) as archive:
            for frame, sample in records.items():
                answer = json.loads(archive.read(f"answer/answer/{frame:06}.json"))
                boxes, classes, scores, count = (arrays[n][frame].squeeze() for n in outputs)
                kept = [i for i in range(int(count)) if scores[i] >= 0.3]
                with Image.open(pictures / sample) as picture:
                    width, height = picture.size
                np.testing.assert_allclose(np.reshape(answer["boxes"], (-1, 4)), boxes[kept][:, [1, 0, 3, 2]] * [width, height, width, height], rtol=1e-5, atol=1e-3)
                np.testing.assert_allclose(answer["scores"], scores[kept], atol=1e-6)
                self.assertEqual(answer["classes"], [int(c) for c in classes[kept]])
                found += len(kept)
        self.assertGreater(found, 0)

    def answers_of(self, model, recipe):
        """Recorded outputs, answers and picture sizes of a run on three shared pictures, frame by frame."""
        import numpy as np
        from PIL import Image

        pictures = self.folder / "pictures"
        if not model.exists():
            self.skipTest(f"no {model}: set EDGEPROBE_SHARED_DATA")
        pictures.mkdir(exist_ok=True)
        for name in ("bird_segmentation.bmp", "grace_hopper.bmp", "squat.bmp"):
            shutil.copy(SHARED / "images" / name, pictures / name)
        trace, npz = self.folder / "answers.mcap", self.folder / "answers.npz"
        run("run", model, "--recipe", recipe, "--data", pictures, "--trace", trace, "--force", expect=0)
        run("trace", "export", trace, "--npz", npz, "--force", expect=0)
        arrays = np.load(npz)
        output = next(n for n in arrays.files if n.startswith("model_output/") and not n.endswith(".frames"))
        names = [line.split()[2] for line in run("trace", "cat", trace, "--tensor", "answer/answer", expect=0).out.splitlines() if line.startswith("frame ")]
        with zipfile.ZipFile(npz) as archive:
            for frame, name in enumerate(names):
                with Image.open(pictures / name) as picture:
                    yield arrays[output][frame], json.loads(archive.read(f"answer/answer/{frame:06}.json")), picture.size

    def test_a_mask_is_the_answer(self):
        """DeepLab's classes at the picture's size, as Pillow resizes them, in the colours of a file."""
        import numpy as np
        from PIL import Image

        colors = self.folder / "colors.txt"
        colors.write_text("".join(f"{40 + i}, {3 * i}, {i}\n" for i in range(21)))
        before = "resize(513x513, bilinear) | color(rgb) | scale(-1..1) | quantize(model) || ids | resize(picture, nearest)"
        seen = set()
        for behind, table in (("", np.arange(21)), (f" | colors({colors})", np.array([(40 + i) << 16 | (3 * i) << 8 | i for i in range(21)]))):
            for ids, answer, (width, height) in self.answers_of(SHARED / "models/coral/deeplabv3_mnv2_dm05_pascal_quant.tflite", before + behind):
                small = Image.fromarray(ids.reshape(513, 513).astype(np.uint8))
                expected = table[np.asarray(small.resize((width, height), Image.NEAREST))]
                mask = answer["mask"]
                self.assertEqual((mask["height"], mask["width"]), (height, width))
                np.testing.assert_array_equal(np.reshape(mask["classes"], (height, width)), expected)
                seen |= set(np.unique(expected))
        self.assertGreater(len(seen), 2)

    def test_key_points_are_the_answer(self):
        """MoveNet's points in pixels of the picture; points below the threshold are not shown."""
        import numpy as np

        recipe = "resize(192x192, bilinear) | color(rgb) | scale(0..255) | quantize(scale=1, zero_point=0) || keypoints(yxs) | threshold(0.4) | points(pixels)"
        shown = []
        for output, answer, (width, height) in self.answers_of(SHARED / "models/coral/movenet_single_pose_lightning_ptq.tflite", recipe):
            y, x, score = output.reshape(17, 3).T
            points = np.array([[np.nan if v is None else v for v in point] for point in answer["points"]])
            np.testing.assert_allclose(points[:, 2], score, atol=1e-6)
            is_shown = score >= 0.4
            np.testing.assert_array_equal(np.isnan(points[:, 0]), ~is_shown)
            np.testing.assert_allclose(points[is_shown, :2], np.stack([x * width, y * height], 1)[is_shown], rtol=1e-5, atol=1e-3)
            shown += list(is_shown)
        self.assertTrue(0 < sum(shown) < len(shown))

    def test_starts_of_sequences_that_an_app_marked_stay(self):
        from mcap.writer import CompressionType, Writer

        app, out = self.folder / "app.mcap", self.folder / "out.mcap"
        with open(app, "wb") as file:
            writer = Writer(file, compression=CompressionType.NONE)
            writer.start(profile="edgeprobe", library="an app")
            image = writer.register_channel("/model_input/image", "x-tensor", 0, {"dtype": "float32", "shape": "1,64,64,3", "position": "0"})
            record = writer.register_channel("/frame", "json", 0, {})
            for frame in range(5):
                for channel, data in ((image, bytes(4 * 64 * 64 * 3)), (record, b'{"begins_sequence": true}' if frame in (0, 3) else b"{}")):
                    writer.add_message(channel, log_time=frame, publish_time=frame, sequence=frame, data=data)
            writer.finish()
        run("run", MODELS / "signs_float.tflite", "--data", app, "--trace", out, expect=0)
        metadata = json.loads(run("trace", "info", out, "--json", expect=0).out)["metadata"]
        self.assertEqual(metadata["edgeprobe.run"]["sequence_begins"], "3")
        self.assertIn("begins a sequence", run("trace", "cat", app, "--frame", 3, "--values", 1, expect=0).out)

    def test_frames_of_other_samples_are_joined_by_number(self):
        pictures = sorted(DATA.glob("*.png"))[:6]
        for name, chosen in (("first", pictures[:3]), ("second", pictures[3:])):
            (self.folder / name).mkdir()
            for picture in chosen:
                shutil.copy(picture, self.folder / name)
            run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", self.folder / name, "--trace", self.folder / f"{name}.mcap", expect=0)
        traces_of_both = self.folder / "first.mcap", self.folder / "second.mcap"
        self.assertIn("no frame in common", run("compare", *traces_of_both, expect=4).out)
        self.assertEqual(json.loads(run("compare", *traces_of_both, "--by-frame-number", "--json", expect=3).out)["frames"]["joined"], 3)

    def test_interrupt_keeps_what_is_done(self):
        trace = self.folder / "t.mcap"
        process = subprocess.Popen([tool.EXECUTABLE, "run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", DATA, "--level", "io",
                                    "--kernels", "builtin", "--json", "--trace", trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        wait_for(lambda: process.poll() is not None or trace.exists() and trace.stat().st_size > 20_000, pause=0.002)
        os.killpg(process.pid, signal.SIGINT)  # Like a terminal: signals the whole foreground group.
        out, err = process.communicate(timeout=tool.PATIENCE)
        if process.returncode == 0:
            self.skipTest("the run was over before it could be interrupted")
        self.assertEqual(process.returncode, 130, err)
        self.assertTrue(json.loads(out)["interrupted"])
        info = json.loads(run("trace", "info", trace, "--json", expect=0).out)
        self.assertGreater(info["frames"], 0)
        self.assertLess(info["frames"], 480)


if __name__ == "__main__":
    tool.main()
