# SPDX-License-Identifier: Apache-2.0
"""The main use, end to end, on our own model: edgeprobe names and confirms an injected fault and measures its repair."""
import json

import edgeprobe
import numpy as np
import tool
import traces
from tool import MODELS, RECIPE, run, verdict_of

DATA = ["--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv", "--frames", 96]
REFERENCE = ["--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE]

# Deployed recipe for each fault; `{q}` is the last step of the int8 model.
FAULTS = {
    "channel_order": RECIPE.replace("color(rgb)", "color(bgr)"),
    "value_range": RECIPE.replace("scale(-1..1)", "scale(0..1)"),
    "resize": RECIPE.replace("bilinear, antialias=on", "nearest"),
    "crop": RECIPE.replace("crop(center, 0.875) | ", ""),
    "orientation": "rotate(90) | " + RECIPE,
}


def wilson(p, n, z=1.959963984540054):
    """The 95 % interval of a share p of n."""
    middle, half = (p + z * z / (2 * n)) / (1 + z * z / n), z * ((p * (1 - p) + z * z / (4 * n)) / n) ** 0.5 / (1 + z * z / n)
    return middle - half, middle + half


class CheckTest(tool.ToolTest):
    def check(self, model, recipe, *more, expect):
        return verdict_of("check", MODELS / model, "--recipe", recipe, *REFERENCE, *DATA, "--level", "io", *more, expect=expect)

    def test_each_fault_is_named_confirmed_and_mended(self):
        for model, tail in (("signs_float.tflite", ""), ("signs_int8.tflite", " | quantize(model)")):
            for kind, recipe in FAULTS.items():
                with self.subTest(model=model, fault=kind):
                    verdict = self.check(model, recipe + tail, expect={0, 3})
                    cause = verdict["causes"][0]
                    self.assertEqual(cause["kind"], kind)
                    self.assertEqual(len(verdict["causes"]), 1)
                    # Resize kernels hardly affect this model: the cause is real, and correctly a note if the outputs hardly move.
                    self.assertIn(cause["status"], {"confirmed"} if kind != "resize" else {"confirmed", "note"})
                    self.assertGreater(cause["explains"], 0.95)
                    if cause["status"] == "confirmed":
                        self.assertEqual(verdict["verdict"], "differs")
                        self.assertEqual(cause["restored_unit"], "accuracy")
                        self.assertAlmostEqual(cause["restored"], verdict["task"]["reference"], delta=0.05)
                    if kind in {"channel_order", "value_range", "orientation"}:
                        self.assertLess(verdict["task"]["target"], cause["restored"] - 0.2)
                        self.assertIn("your model is right on", verdict["headline"])
                    self.assertTrue(cause["fix"]["step"])
                    self.assertTrue(cause["fix"]["code"]["numpy"])

    def test_replays_take_as_many_frames_as_asked_for(self):
        """Wilson's interval of the accuracy after the fix shows how many frames were replayed."""
        task = self.check("signs_float.tflite", FAULTS["channel_order"], "--max-replay", 12, expect=3)["task"]
        self.assertAlmostEqual(task["fixed"] * 12, round(task["fixed"] * 12), delta=0.01)
        for given, expected in zip(task["ci95"]["fixed"], wilson(round(task["fixed"] * 12) / 12, 12)):
            self.assertAlmostEqual(given, expected, places=6)

    def test_layers_are_those_of_a_stated_random_sample(self):
        """Every figure of a layer rests on 16 frames, one of each sixteenth; outputs and inputs on all; --exhaustive on all."""
        recipe = FAULTS["channel_order"] + " | quantize(model)"
        kept = self.folder / "kept"
        sampled = verdict_of("check", MODELS / "signs_int8.tflite", "--recipe", recipe, *REFERENCE, *DATA, "--keep-traces", kept, expect=3)
        whole = verdict_of("check", MODELS / "signs_int8.tflite", "--recipe", recipe, *REFERENCE, *DATA, "--exhaustive", expect=3)
        self.assertEqual([cause["kind"] for cause in sampled["causes"]], [cause["kind"] for cause in whole["causes"]])
        self.assertEqual(sampled["task"], whole["task"])
        for verdict, frames in ((sampled, 16), (whole, 96)):
            self.assertEqual((verdict["coverage"]["frames_with_layers"], verdict["coverage"]["layers_sampled"]), (frames, frames < 96))
            for layer in verdict["layers"]:
                ends = layer["type"] in ("model input", "model output")
                self.assertEqual(layer["frames"], 96 if ends else frames)
        drift = {layer["name"]: layer for layer in sampled["layers"]}
        for name in ("target", "reference"):
            trace = edgeprobe.load(kept / f"{name}.mcap")
            self.addCleanup(trace.close)
            layers = {channel.name for channel in trace.channels if channel.stage == "layer"}
            held = [i for i, frame in enumerate(trace.frames) if any(name in frame for name in layers)]
            self.assertEqual([i // 6 for i in held], list(range(16)))
        # One layer's figure again, by NumPy, from the frames that were kept.
        target, reference = (edgeprobe.load(kept / f"{name}.mcap") for name in ("target", "reference"))
        self.addCleanup(target.close)
        self.addCleanup(reference.close)
        name = next(layer["name"] for layer in sampled["layers"] if layer["type"] == "CONV_2D")
        pairs = [(r.real(name), t.real(drift[name]["target_name"])) for r, t in zip(reference.frames, target.frames) if name in r]
        wrong = np.sqrt(np.mean([(r.astype(float) - t) ** 2 for r, t in pairs]))
        self.assertEqual(len(pairs), 16)
        self.assertAlmostEqual(drift[name]["rmse"], wrong, delta=1e-5 * wrong)

    def test_the_text_states_what_the_sample_may_miss(self):
        recipe = FAULTS["channel_order"]
        check = ["check", MODELS / "signs_float.tflite", "--recipe", recipe, *REFERENCE, *DATA]
        said = " ".join(run(*check, expect=3).out.split())
        # 1 - 0.05^(1/16) = 0.1707, rounded up: 0.82^16 = 0.042, and 0.83^16 = 0.0507
        self.assertIn("Layers were compared in 16 of these frames, drawn at random: they miss a fault of a layer that shows in 18 % of the frames", said)
        self.assertNotIn("drawn at random", run(*check, "--exhaustive", expect=3).out)
        few = [flag if flag != 96 else 16 for flag in check]
        self.assertNotIn("drawn at random", run(*few, expect=3).out)

    def test_accuracy_and_interval_are_the_independent_ones(self):
        """Compares with the labels and the recorded outputs, read with NumPy, and with Wilson's formula written out again."""
        import numpy as np

        verdict = verdict_of("check", MODELS / "signs_int8.tflite", "--recipe", FAULTS["channel_order"] + " | quantize(model)", *REFERENCE,
                             *DATA, "--level", "io", "--keep-traces", self.folder, expect=3)
        outputs = traces.only(traces.exported(self.folder / "target.mcap"), "model_output")
        records = json.loads(run("trace", "info", self.folder / "target.mcap", "--json", expect=0).out)
        self.assertEqual(records["frames"], 96)
        labels = {}
        for line in (MODELS / "data" / "labels.csv").read_text().splitlines()[1:]:
            file, label = line.split(",")[:2]
            labels[file] = int(label)
        names = sorted(labels)
        picked = [names[i * len(names) // 96] for i in range(96)]
        right = sum(int(np.argmax(o.reshape(-1))) == labels[n] for o, n in zip(outputs, picked))
        self.assertAlmostEqual(verdict["task"]["target"], right / 96, places=9)
        for given, expected in zip(verdict["task"]["ci95"]["target"], wilson(right / 96, 96)):
            self.assertAlmostEqual(given, expected, places=6)

    def test_integers_without_quantize_are_replayed_as_they_are(self):
        """The recipe states the codes itself, so a recipe made from it must not quantise a second time."""
        codes = RECIPE.replace("scale(-1..1)", "scale(-128..127) | cast(int8)")
        cases = [("signs_int8.tflite", codes, codes.replace("crop(center, 0.875) | ", ""), DATA)]
        uint8 = tool.SHARED / "models/coral/mobilenet_v1_0.25_128_quant.tflite"
        if uint8.exists():
            pictures = self.folder / "pictures"
            pictures.mkdir()
            for name in ("cat.bmp", "owl.jpg", "parrot.jpg", "hot_dog.jpg"):
                (pictures / name).write_bytes((tool.SHARED / "images" / name).read_bytes())
            resize = "resize(128x128, bilinear, antialias=on, round=uint8) | color(rgb)"
            cases += [(uint8, "crop(square) | " + resize + more, resize + more, ["--data", pictures]) for more in ("", " | cast(uint8)")]
        else:
            print("skipped the uint8 model: no shared data")
        for model, good, bad, data in cases:
            with self.subTest(model=model, recipe=bad):
                verdict = verdict_of("check", MODELS / model, "--recipe", bad, "--reference", MODELS / model, "--reference-recipe", good, *data,
                                     "--level", "io", expect={0, 3, 4})
                self.assertEqual([cause["kind"] for cause in verdict["causes"]], ["crop"])
                evidence = " ".join(verdict["causes"][0]["evidence"])
                self.assertIn("fed with the reconstructed input, gives the recorded outputs exactly", evidence)


if __name__ == "__main__":
    tool.main()
