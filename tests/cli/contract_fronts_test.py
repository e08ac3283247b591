# SPDX-License-Identifier: Apache-2.0
"""Contracts of deployments of text and of readings. The apps and their faults are those of bench/text (Hugging Face's own `tokenizers`) and
bench/sensor (NumPy), which share nothing with the recipes that the contract replays.
"""
import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench" / "text"), str(ROOT / "bench" / "sensor"), str(ROOT / "python")]
import tool
from tool import run

try:
    import edgeprobe._native  # noqa: F401
except ImportError as error:
    print(f"skipped: the Python module is not built: {error}")
    sys.exit(77)
import apps
import edgeprobe
import matrix
import models
import planted

TEXT = "wordpiece"


class ContractFrontsTest(tool.ToolTest):
    def states(self, trace, contract, *more, expect):
        result = json.loads(run("contract", "check", trace, "--contract", contract, *more, "--json", expect=expect).out)
        return {one["id"]: one for one in result["assertions"]}

    def fails(self, trace, contract, *more, expect=3):
        return {id for id, one in self.states(trace, contract, *more, expect=expect).items() if one["state"] == "fails"}

    # --- text -----------------------------------------------------------------------------------------

    def text_app(self, trace, faults=()):
        changed = matrix.record(TEXT, self.files, trace, matrix.texts_for(0, 6, ""), [apps.FAULTS[name][0] for name in faults])
        self.assertEqual(any(changed), bool(faults))
        return trace

    def test_what_an_app_makes_of_a_text_is_exactly_the_recipes_or_named(self):
        self.files = models.write(TEXT, self.folder)
        tokenizer = ["--tokenizer", self.files[1], "--python", sys.executable]
        good, path = self.text_app(self.folder / "good.mcap"), self.folder / "promise.json"
        run("contract", "learn", good, "--recipe", models.RECIPE[TEXT], "-o", path, *tokenizer, expect=0)
        states = self.states(good, path, *tokenizer, expect=0)
        self.assertEqual(states["recipe"]["state"], "passes")
        for fault, part in (("no last", "recipe.special_tokens"), ("padded on the left", "recipe.token_padding"), ("mask of ones", "recipe.attention_mask")):
            with self.subTest(fault):
                failing = self.fails(self.text_app(self.folder / "app.mcap", [fault]), path, *tokenizer)
                self.assertLessEqual({"recipe", part}, failing)
                self.assertEqual({id for id in failing if id.startswith("recipe.")}, {part})
        told = self.states(good, path, expect=4)["recipe"]
        self.assertEqual(told["state"], "cannot_tell")
        self.assertIn("--tokenizer", told["why"])

    def test_faults_are_planted_into_a_recipe_of_text(self):
        model, file = models.write(TEXT, self.folder)
        data = self.folder / "texts.csv"
        texts, topics = models.telling(3, 3)
        data.write_text("text,label\n" + "".join('"' + " ".join(t.split("\n")).replace('"', '""') + f'",{c}\n' for t, c in zip(texts, topics)))
        flags = ["--recipe", models.RECIPE[TEXT], "--tokenizer", file, "--python", sys.executable, "--data", data]
        trace, path = self.folder / "good.mcap", self.folder / "promise.json"
        run("run", model, *flags, "--trace", trace, expect=0)
        run("contract", "learn", trace, "--tokenizer", file, "--python", sys.executable, "-o", path, expect=0)
        contract = json.loads(path.read_text())
        contract.pop("recipe")  # only the bounds, which no search makes slow
        path.write_text(json.dumps(contract))
        result = json.loads(run("contract", "check", model, *flags, "--contract", path, "--mutate", "--json", expect={0, 3}).out)
        faults = {(one["kind"], one["what"]): one for one in result["faults"]}
        self.assertLessEqual({"text_normalization", "tokenizer", "special_tokens", "truncation", "token_padding", "attention_mask", "token_types"},
                             {kind for kind, _ in faults})
        # 64-bit ids read as 32-bit ones, and ids of another vocabulary, change every input; a mask of zeros leaves no token.
        for key in (("attention_mask", "the mask is 0 everywhere"), ("tokenizer", "ids one too high: another vocabulary")):
            self.assertNotEqual(faults[key]["effect"], "none", key)
        # The last SEP is missing in the recipe that was run: one id less than the tokenizer makes.
        wrong = faults["special_tokens", "no SEP"]["recipe"]
        run("run", model, "--recipe", wrong, *flags[2:], "--trace", trace, "--force", expect=0)
        own = apps.App(TEXT, file)
        sep = own.made.token_to_id("[SEP]")
        with edgeprobe.load(trace) as opened:
            for frame in opened.frames:
                self.assertNotIn(sep, frame["model_input/input_ids"].ravel().tolist())
        self.assertIn("other_frame", [one["kind"] for one in result["not_planted"]])

    # --- readings -------------------------------------------------------------------------------------

    def readings_model(self, path):
        shape = planted.SHAPES["wrist"]
        weights = (np.random.default_rng(3).normal(size=(int(np.prod(shape)), 4)) / 20).astype(np.float32)
        nodes = [helper.make_node("Flatten", ["x"], ["flat"]), helper.make_node("MatMul", ["flat", "w"], ["logits"]),
                 helper.make_node("Softmax", ["logits"], ["scores"], axis=1)]
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                                  [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, 4])], [numpy_helper.from_array(weights, "w")])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
        return path

    def readings_app(self, trace, **faults):
        trace.unlink(missing_ok=True)
        with edgeprobe.Probe(trace, wait_when_full=True) as probe:
            for seed in range(4):
                values = planted.app("wrist", planted.generated("wrist", seed), **faults)
                with probe.frame(sample=f"walk{seed}") as frame:
                    frame.tensor("x", values, "model_input", position=0)
        return trace

    def kept_readings(self):
        file = self.folder / "readings.npz"
        np.savez(file, accelerometer=np.stack([planted.generated("wrist", seed) for seed in range(4)]), samples=np.array([f"walk{seed}" for seed in range(4)]))
        return file

    def test_what_an_app_makes_of_readings_is_the_recipes_or_named(self):
        data, path = ["--data", self.kept_readings()], self.folder / "promise.json"
        good = self.readings_app(self.folder / "good.mcap")
        run("contract", "learn", good, "--recipe", planted.RECIPES["wrist"], "-o", path, *data, expect=0)
        self.assertEqual(self.states(good, path, *data, expect=0)["recipe"]["state"], "passes")
        for part, faults in (("axis_order", dict(axes=[2, 1, 0])), ("unit", dict(unit=[1, 1, 1])), ("window", dict(late=17)), ("layout", dict(turned=True))):
            with self.subTest(part):
                failing = self.fails(self.readings_app(self.folder / "app.mcap", **faults), path, *data)
                self.assertEqual({id for id in failing if id.startswith("recipe.")}, {"recipe." + part})

    def test_a_dead_source_fails_although_the_recipe_is_kept(self):
        """The app follows the recipe; its sensor delivers nothing, one value, or a thousandth of the value."""
        path = self.folder / "promise.json"

        def recorded(name, change):
            trace, file = self.folder / f"{name}.mcap", self.folder / f"{name}.npz"
            trace.unlink(missing_ok=True)
            raw = {f"walk{seed}": change(planted.generated("wrist", seed)).astype(np.float32) for seed in range(6)}
            np.savez(file, accelerometer=np.stack(list(raw.values())), samples=np.array(list(raw)))
            with edgeprobe.Probe(trace, wait_when_full=True) as probe:
                for walk, readings in raw.items():
                    with probe.frame(sample=walk) as frame:
                        frame.tensor("x", planted.app("wrist", readings), "model_input", position=0)
            return trace, "--data", file

        good, *data = recorded("good", lambda x: x)
        run("contract", "learn", good, "--recipe", planted.RECIPES["wrist"], "-o", path, *data, expect=0)
        for name, change in (("another", lambda x: x[::-1] * .6 + .1), ("good", lambda x: x)):
            with self.subTest(healthy=name):
                trace, *data = recorded(name, change)
                self.assertNotIn("inputs.x.std", self.fails(trace, path, *data, expect={0, 3, 4}))
        for name, change in (("dead", np.zeros_like), ("stuck", lambda x: np.full_like(x, 3.7)), ("quiet", lambda x: x / 1000)):
            with self.subTest(name):
                trace, *data = recorded(name, change)
                told = self.states(trace, path, *data, expect=3)
                self.assertEqual((told["recipe"]["state"], told["inputs.x.std"]["state"]), ("passes", "fails"))
                self.assertIn("hardly varies", told["inputs.x.std"]["why"])

        trace, *data = recorded("thousandfold", lambda x: x * 1000)
        self.assertEqual(self.states(trace, path, *data, expect=3)["inputs.x.range"]["state"], "fails")

    def test_one_dead_axis_of_many_fails(self):
        """An IMU of six axes, and a recording of twelve leads, in both layouts; the deviation of all axes together hardly falls."""
        path = self.folder / "promise.json"

        def recorded(name, axes, turned, dead=None, spike=0):
            trace = self.folder / f"{name}.mcap"
            trace.unlink(missing_ok=True)
            random = np.random.default_rng(7)
            with edgeprobe.Probe(trace, wait_when_full=True) as probe:
                for number in range(12):
                    window = random.normal(0, 1, (1, 100, axes)).astype(np.float32)
                    window[0, 3] += spike
                    if dead is not None:
                        window[..., dead] = 0.25
                    with probe.frame(sample=f"w{number}") as frame:
                        frame.tensor("x", np.ascontiguousarray(window.transpose(0, 2, 1)) if turned else window, "model_input", position=0)
            return trace

        for axes, turned in ((6, False), (12, True)):
            with self.subTest(axes=axes, turned=turned):
                run("contract", "learn", recorded("good", axes, turned), "-o", path, "--force", expect=0)
                self.assertEqual(len(json.loads(path.read_text())["inputs"]["x"]["std"]), axes)
                self.assertEqual(self.states(recorded("same", axes, turned), path, expect=0)["inputs.x.std"]["state"], "passes")
                told = self.states(recorded("dead", axes, turned, dead=4), path, expect=3)["inputs.x.std"]
                self.assertEqual((told["state"], told["value"]), ("fails", "0 in channel 4"))
        # One outlier in each window widens the range: a bound by its width would accept any small deviation.
        run("contract", "learn", recorded("good", 6, False, spike=40), "-o", path, "--force", expect=0)
        self.assertEqual(self.states(recorded("same", 6, False, spike=40), path, expect=0)["inputs.x.std"]["state"], "passes")
        terms = json.loads(path.read_text())["inputs"]["x"]
        self.assertLess(max(terms["std"]), terms["margin"] * (terms["range"][1] - terms["range"][0]))
        told = self.states(recorded("dead", 6, False, spike=40, dead=slice(None)), path, expect=3)["inputs.x.std"]
        self.assertEqual((told["state"], told["value"]), ("fails", "0 in channel 0"))
        self.assertIn("dead", told["why"])
        # An axis that rests at times, such as a flag, may rest for a whole recording.
        def with_flag(name, on):
            trace = self.folder / f"{name}.mcap"
            random = np.random.default_rng(5)
            with edgeprobe.Probe(trace, wait_when_full=True) as probe:
                for number in range(12):
                    window = random.normal(0, 1, (1, 100, 6)).astype(np.float32)
                    window[..., 2] = random.random(100) < (0.5 if on and number % 3 == 0 else 0)
                    with probe.frame(sample=f"w{number}") as frame:
                        frame.tensor("x", window, "model_input", position=0)
            return trace

        run("contract", "learn", with_flag("flag", True), "-o", path, "--force", expect=0)
        self.assertEqual(json.loads(path.read_text())["inputs"]["x"]["rests"], [2.0])
        self.assertEqual(self.states(with_flag("off", False), path, expect=0)["inputs.x.std"]["state"], "passes")
        run("contract", "learn", recorded("good", 12, True), "-o", path, "--force", expect=0)
        self.assertNotIn("rests", json.loads(path.read_text())["inputs"]["x"])
        # A contract of an earlier version contains one figure for all axes.
        contract = json.loads(path.read_text())
        contract["inputs"]["x"] |= {"mean": [0.0], "std": [1.0]}
        path.write_text(json.dumps(contract))
        self.assertEqual(self.states(recorded("same", 12, True), path, expect=0)["inputs.x.std"]["state"], "passes")

    def test_a_quiet_room_is_undecided_if_the_contract_has_learned_pauses(self):
        path = self.folder / "promise.json"

        def heard(name, deviations):
            trace = self.folder / f"{name}.mcap"
            random = np.random.default_rng(7)
            with edgeprobe.Probe(trace, wait_when_full=True) as probe:
                for number, deviation in enumerate(deviations):
                    with probe.frame(sample=f"w{number}") as frame:
                        frame.tensor("x", random.normal(0, deviation, (1, 1600)).astype(np.float32), "model_input", position=0)
            return trace

        run("contract", "learn", heard("talk", [0.2, 0.2, 0.001, 0.2] * 4), "-o", path, "--force", expect=0)
        (quietest,) = json.loads(path.read_text())["inputs"]["x"]["quietest"]
        self.assertAlmostEqual(quietest, 0.001, delta=1e-4)
        for name, deviation, state in (("room", 0.0008, "cannot_tell"), ("dead", 0, "fails"), ("hiss", 0.00005, "fails")):
            with self.subTest(name):
                self.assertEqual(self.states(heard(name, [deviation] * 16), path, expect=4 if state == "cannot_tell" else 3)["inputs.x.std"]["state"], state)
        run("contract", "learn", heard("always", [0.2] * 16), "-o", path, "--force", expect=0)
        self.assertNotIn("quietest", json.loads(path.read_text())["inputs"]["x"])
        self.assertEqual(self.states(heard("quiet", [0.0008] * 16), path, expect=3)["inputs.x.std"]["state"], "fails")

    def test_faults_are_planted_into_a_recipe_of_readings(self):
        model, path = self.readings_model(self.folder / "model.onnx"), self.folder / "promise.json"
        flags = ["--recipe", planted.RECIPES["wrist"], "--data", self.kept_readings()]
        trace = self.folder / "good.mcap"
        run("run", model, *flags, "--trace", trace, expect=0)
        run("contract", "learn", trace, "-o", path, expect=0)
        result = json.loads(run("contract", "check", model, *flags, "--contract", path, "--mutate", "--json", expect={0, 3}).out)
        kinds = {one["kind"] for one in result["faults"] if one["failure"] is None}
        self.assertLessEqual({"axis_order", "unit", "sample_rate", "window", "feature_normalization", "layout"}, kinds)
        for one in result["faults"]:
            if one["failure"] is None and one["effect"] == "matters":
                self.assertIn("recipe", one["caught_by"], one)
        # Runs two wrong recipes and compares them with the app in NumPy.
        for what, faults in (("axes in the reverse order", dict(axes=[2, 1, 0])), ("g for m/s²", dict(unit=[1, 1, 1]))):
            (one,) = [one for one in result["faults"] if one["what"] == what]
            run("run", model, "--recipe", one["recipe"], *flags[2:], "--trace", trace, "--force", expect=0)
            with edgeprobe.load(trace) as opened:
                for seed, frame in enumerate(opened.frames):
                    np.testing.assert_allclose(frame["model_input/x"], planted.app("wrist", planted.generated("wrist", seed), **faults), atol=2e-5)


if __name__ == "__main__":
    tool.main()
