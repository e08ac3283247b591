# SPDX-License-Identifier: Apache-2.0
"""contract learn and check: other routes confirm that a contract states what the trace contains. Words and refusals: console/contracts.md."""
import json
import shlex
import struct
import sys

import numpy as np
from mcap.reader import make_reader

import tool
import traces
from tool import MODELS, RECIPE, run

DATA = ["--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv"]


def changed(source, target, change):
    """The trace with changed messages: change(topic, frame, data, metadata) returns data and metadata, or None to omit the message."""
    return traces.rewritten(source, target, lambda channel, message: change(channel.topic, message.sequence, message.data, channel.metadata), groups=None)


def tensors(path, stage):
    """Values of a stage's only channel, by frame."""
    return {frame: values for frame, named in traces.tensors(path, stage).items() for values in named.values()}


class ContractTest(tool.ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = cls.class_folder()
        cls.good, cls.contract = cls.shared / "good.mcap", cls.shared / "contract.json"
        run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, *DATA, "--frames", 96, "--trace", cls.good, expect=0)
        run("contract", "learn", cls.good, "--speed", "-o", cls.contract, expect=0)

    def check(self, trace, *more, expect, contract=None):
        """Assertions by id; checks that the counts agree with them."""
        result = json.loads(run("contract", "check", trace, "--contract", contract or self.contract, *more, "--json", expect=expect).out)
        by_id = {one["id"]: one for one in result["assertions"]}
        self.assertEqual(len(by_id), len(result["assertions"]))
        for state in ("passes", "fails", "cannot_tell"):
            self.assertEqual(result[state], sum(one["state"] == state for one in by_id.values()))
        self.assertEqual(result["outcome"], {0: "agrees", 3: "differs", 4: "undecided"}[expect])
        return by_id

    def of_state(self, by_id, state):
        return {id for id, one in by_id.items() if one["state"] == state}

    def with_changes(self, **parts):
        """A copy of the contract; a part that is None is omitted."""
        contract = json.loads(self.contract.read_text())
        for key, value in parts.items():
            contract.pop(key, None)
            if value is not None:
                contract[key] = value
        path = self.folder / "changed.json"
        path.write_text(json.dumps(contract))
        return path

    def test_what_is_learned_are_the_values_in_the_trace(self):
        contract = json.loads(self.contract.read_text())
        (terms,), (output,) = contract["inputs"].values(), contract["outputs"].values()
        inputs = np.stack([v.reshape(terms["shape"][1:]) for v in tensors(self.good, "model_input").values()])
        self.assertEqual(contract["recipe"], RECIPE)
        self.assertEqual(terms["dtype"], "float32")
        np.testing.assert_allclose(terms["range"], [inputs.min(), inputs.max()], rtol=1e-5)
        np.testing.assert_allclose(terms["mean"], inputs.mean(axis=(1, 2), dtype=np.float64).mean(axis=0), atol=1e-5)
        np.testing.assert_allclose(terms["std"], inputs.std(axis=(1, 2), dtype=np.float64).mean(axis=0), atol=1e-5)
        self.assertTrue(output["probabilities"])
        best = [int(v.argmax()) for v in tensors(self.good, "model_output").values()]
        share, n = max(np.bincount(best)) / len(best), len(best)
        z = 1.959963984540054  # Wilson (1927), upper end
        wilson = (share + z * z / (2 * n) + z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))) / (1 + z * z / n)
        self.assertAlmostEqual(contract["answers"]["most_alike"], (1 + wilson) / 2, places=5)
        with open(self.good, "rb") as file:
            frames = [json.loads(m.data) for _, c, m in make_reader(file).iter_messages() if c.topic == "/frame"]
        ms = [f["latency_ns"] / 1e6 for f in frames]
        self.assertAlmostEqual(contract["latency_ms"]["median"], np.median(ms), delta=1e-5 * np.median(ms))
        self.assertAlmostEqual(contract["latency_ms"]["p90"], np.percentile(ms, 90), delta=1e-5 * np.percentile(ms, 90))
        self.assertIn("raw_input", contract["stages"])

    def test_a_contract_without_a_recipe_or_from_few_frames_says_so(self):
        """An app's probe states no recipe, so BGR does not fail; a contract with the recipe reports it."""
        bare, few, bgr = (self.folder / name for name in ("bare.mcap", "few.mcap", "bgr.mcap"))
        images = ["run", MODELS / "signs_float.tflite", *DATA, "--undeclared"]
        run(*images, "--recipe", RECIPE, "--frames", 24, "--trace", bare, expect=0)
        run(*images, "--recipe", RECIPE, "--frames", 4, "--trace", few, expect=0)
        run(*images, "--recipe", RECIPE.replace("rgb", "bgr"), "--frames", 24, "--trace", bgr, expect=0)
        warned = "the trace declares no recipe: pre-processing is not judged; give --recipe"
        for trace, flags, wanted in ((bare, [], [warned]), (bare, ["--recipe", RECIPE], []), (few, ["--recipe", RECIPE], ["the trace has only 4 frames"])):
            with self.subTest(trace=trace.name, flags=flags):
                path, told = self.folder / "c.json", self.folder / "told.json"
                done = run("contract", "learn", trace, *flags, "-o", path, "--force", "--json", told, expect=0)
                warnings = json.loads(told.read_text())["warnings"]
                self.assertEqual(len(warnings), len(wanted), warnings)
                for text, begin in zip(warnings, wanted):
                    self.assertTrue(text.startswith(begin), text)
                    self.assertIn("warning: " + text + "\n", done.err)
                self.assertEqual(done.err.count("no recipe"), int(warned in wanted))
                told.unlink()
                if trace == bare:
                    by_id = json.loads(run("contract", "check", bgr, "--contract", path, "--json", expect=3 if flags else {0, 3, 4}).out)["assertions"]
                    self.assertEqual("recipe.channel_order" in {one["id"] for one in by_id if one["state"] == "fails"}, bool(flags))

    def test_the_advice_to_give_pictures_belongs_to_contracts_with_a_recipe(self):
        (name, terms), = json.loads(self.contract.read_text())["inputs"].items()
        moved = {name: {**terms, "mean": [value + 0.9 for value in terms["mean"]]}}
        bare = self.folder / "bare.mcap"
        changed(self.good, bare, lambda topic, frame, data, metadata: None if topic.startswith("/raw_input") else (data, metadata))
        for recipe, said in ((RECIPE, "--data DIR"), (None, "learn the contract with --recipe")):
            by_id = self.check(bare, expect=3, contract=self.with_changes(recipe=recipe, inputs=moved))
            self.assertIn(said, by_id[f"inputs.{name}.mean"]["cure"])

    def test_latency_and_memory_are_promised_only_when_asked(self):
        path = self.folder / "plain.json"
        run("contract", "learn", self.good, "-o", path, expect=0)
        plain, full = json.loads(path.read_text()), json.loads(self.contract.read_text())
        self.assertEqual(set(full) - set(plain), {"latency_ms", "memory_mb"})
        self.assertEqual({key: full[key] for key in plain}, plain)
        # An update adds neither.
        run("contract", "update", self.good, "--contract", path, expect=0)
        self.assertEqual(json.loads(path.read_text()), plain)

    def test_a_time_that_cannot_be_told_is_no_difference(self):
        """The bound is just below the recorded p90, far within its interval."""
        learned = json.loads(self.contract.read_text())["latency_ms"]
        terms = {**learned, "median": 1e6, "p90": learned["p90"] * 0.999 / (1 + learned["margin"])}
        junit = self.folder / "contract.xml"
        by_id = self.check(self.good, "--junit", junit, expect=0, contract=self.with_changes(latency_ms=terms))
        self.assertEqual(self.of_state(by_id, "cannot_tell"), {"latency_ms.p90"})
        self.assertIn('errors="0" skipped="1"', junit.read_text())
        said = run("contract", "check", self.good, "--contract", self.folder / "changed.json", expect=0).out
        self.assertIn("cannot tell  latency_ms.p90", said)
        self.assertTrue(said.rstrip().endswith("1 undecided (times only: no difference)"), said)
        # In addition to another undecided assertion, it changes nothing.
        self.check(self.good, expect=4, contract=self.with_changes(latency_ms=terms, assertions=["frame.value('lux') > 3"]))

    def test_other_pictures_of_the_same_deployment_keep_it(self):
        """Means differ from picture to picture; the replay shows that the recipe is the same."""
        path = self.folder / "other.mcap"
        dark = self.folder / "dark"
        dark.mkdir()
        from PIL import Image

        for file in sorted((MODELS / "data" / "test").iterdir())[:20]:
            Image.fromarray((np.asarray(Image.open(file).convert("RGB")) // 5).astype(np.uint8)).save(dark / (file.stem + ".png"))
        run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", dark, "--trace", path, expect=0)
        by_id = self.check(path, expect=4, contract=self.with_changes(latency_ms=None, memory_mb=None))
        self.assertEqual(self.of_state(by_id, "fails"), set())
        self.assertEqual(self.of_state(by_id, "cannot_tell") - {"answers.most_alike"}, {"answers.metric"})  # no labels were given

    def test_advice_names_the_trace_and_the_recipe_and_can_be_pasted(self):
        """An unexplained difference: the command is on one line, and runs after the model's name is inserted."""
        trace = self.folder / "it's mine.mcap"
        random = np.random.default_rng(3)

        def noisy(topic, frame, data, metadata):
            if topic.startswith("/model_input/"):
                data = random.uniform(-1, 1, len(data) // 4).astype(np.float32).tobytes()
            return data, metadata

        changed(self.good, trace, noisy)
        (line,) = [line.strip() for line in run("contract", "check", trace, "--contract", self.contract, expect=3).out.splitlines()
                   if line.strip().startswith("edgeprobe diagnose")]
        words = shlex.split(line)
        self.assertEqual(words, ["edgeprobe", "diagnose", str(trace), "--reference", "MODEL", "--reference-recipe", RECIPE])
        run(*[MODELS / "signs_float.tflite" if word == "MODEL" else word for word in words[1:]], expect={3, 4})

    def held(self, name, source_of, same_name=False):
        """A trace whose frame n contains the picture and the tensors of frame source_of(n) of the good one."""
        path = self.folder / f"{name}.mcap"
        messages = {}

        def keep(topic, frame, data, metadata):
            messages[topic, frame] = data, metadata
            return data, metadata

        def give(topic, frame, data, metadata):
            if topic != "/frame":
                return messages.get((topic, source_of(frame)), (data, metadata))
            if same_name:
                return json.dumps({**json.loads(data), "sample": "shown.png"}).encode(), metadata
            return data, metadata

        changed(self.good, path, keep)
        changed(self.good, path, give)
        return path

    def test_a_source_that_is_stuck_at_a_picture_fails_although_the_recipe_is_kept(self):
        contract = self.with_changes(latency_ms=None, memory_mb=None, answers=None)
        self.assertEqual(json.loads(contract.read_text())["repeats"], 1)
        stuck, stood = "stuck, or the app", "a scene that stands still"
        for name, source_of, run_of, first, words in (
                ("from the first", lambda n: 0, 96, 0, stuck), ("from some frame on", lambda n: min(n, 80), 16, 80, stuck), ("for the larger share", lambda n: 30 if 30 <= n < 80 else n, 50, 30, stuck),
                ("at the end again", lambda n: 20 if 20 <= n < 50 else min(n, 80), 16, 80, stuck), ("for a while", lambda n: 30 if 30 <= n < 50 else n, 20, 30, stood)):
            with self.subTest(stuck=name):
                by_id = self.check(self.held(name, source_of), expect=3 if words == stuck else 4, contract=contract)
                self.assertEqual(self.of_state(by_id, "fails" if words == stuck else "cannot_tell"), {"repeats"})
                told = by_id["repeats"]
                self.assertIn(words, told["why"])
                self.assertEqual((told["frame"], told["frames_failing"], told["value"]), (first, run_of, f"{run_of} frames with the same inputs"))
                self.assertIn(f": edgeprobe trace cat '{self.folder}/{name}.mcap' --frame {first}" if " " in name else "", told["cure"])

    def test_an_update_takes_the_repeats_over(self):
        trace, contract = self.held("at_the_end", lambda n: min(n, 76)), self.with_changes(latency_ms=None, memory_mb=None, answers=None)
        self.assertIn("repeats: 1 → 20\n", run("contract", "update", trace, "--contract", contract, expect=0).out)
        self.check(trace, expect=0, contract=contract)

    def test_a_slow_camera_and_one_picture_shown_on_purpose_are_not_stuck(self):
        contract = self.with_changes(latency_ms=None, memory_mb=None, answers=None)
        for name, source_of, same_name in (("slow", lambda n: n - n % 12, False), ("shown", lambda n: 0, True), ("a_few_missed", lambda n: 40 if 40 <= n < 43 else n, False)):
            with self.subTest(healthy=name):
                by_id = self.check(self.held(name, source_of, same_name), expect=0, contract=contract)
                self.assertEqual(by_id["repeats"]["state"], "passes", by_id["repeats"])
        self.assertNotIn("repeats", self.learned(self.held("shown_for_learning", lambda n: 0)))

    def learned(self, trace):
        path = self.folder / "learned.json"
        run("contract", "learn", trace, "-o", path, "--force", expect=0)
        return json.loads(path.read_text())

    def test_values_that_are_not_finite_and_a_stuck_answer_are_told_with_their_frame(self):
        contract = self.with_changes(recipe=None, latency_ms=None, memory_mb=None)

        def broken(topic, frame, data, metadata):
            if topic.startswith("/model_input/") and frame == 7:
                values = np.frombuffer(data, np.float32).copy()
                values[3] = np.nan
                return values.tobytes(), metadata
            if topic.startswith("/model_output/"):
                values = np.zeros(len(data) // 4, np.float32)
                values[2] = 1
                return values.tobytes(), metadata
            return data, metadata

        path = self.folder / "broken.mcap"
        changed(self.good, path, broken)
        by_id = self.check(path, expect=3, contract=contract)
        (finite,) = [one for id, one in by_id.items() if id.startswith("inputs.") and id.endswith(".finite")]
        self.assertEqual((finite["state"], finite["frame"], finite["frames_failing"]), ("fails", 7, 1))
        self.assertEqual(by_id["answers.most_alike"]["state"], "fails")
        self.assertIn("class 2", by_id["answers.most_alike"]["value"])
        self.assertEqual(by_id["answers.metric"]["state"], "fails")

    def test_a_stage_that_is_gone_and_another_shape_are_told(self):
        def other(topic, frame, data, metadata):
            if topic.startswith("/raw_input"):
                return None
            if topic.startswith("/model_output/"):
                return data + data, {**metadata, "shape": metadata["shape"].rsplit(",", 1)[0] + f",{len(data) // 2}"}
            return data, metadata

        path = self.folder / "other.mcap"
        changed(self.good, path, other)
        by_id = self.check(path, expect=3, contract=self.with_changes(latency_ms=None, memory_mb=None, answers=None))
        failing = self.of_state(by_id, "fails")
        self.assertIn("stages.raw_input", failing)
        self.assertTrue(any(id.startswith("outputs.") and id.endswith(".type") for id in failing))
        self.assertTrue(any(id.endswith(".probabilities") for id in failing))  # they sum to 2

    def test_lines_of_the_user_are_held_in_every_frame(self):
        inputs, outputs = tensors(self.good, "model_input"), tensors(self.good, "model_output")
        most = max(inputs, key=lambda f: inputs[f].max())
        bound = float(inputs[most].max())
        worst = sorted(f for f in outputs if outputs[f].max() < 0.9)
        lines = [f"frame.input.max <= {bound}", f"frame.input.max < {bound}", "frame.output.max >= 0.9", "-1 <= frame.input[2].mean <= 1",
                 "frame.value('lux') > 3", "trace.frames == 96", "trace.metric > 0.99999", "frame.output.best == frame.label"]
        by_id = self.check(self.good, expect=3, contract=self.with_changes(assertions=lines))
        states = [by_id[f"assertions[{i}]"]["state"] for i in range(len(lines))]
        right = all(v.argmax() == label for v, label in zip(outputs.values(), self.labels()))
        self.assertEqual(states, ["passes", "fails", "fails" if worst else "passes", "passes", "cannot_tell", "passes", "passes" if right else "fails",
                                  "passes" if right else "fails"])
        self.assertTrue(worst)
        self.assertEqual(by_id["assertions[2]"]["frame"], worst[0])
        self.assertEqual(by_id["assertions[2]"]["frames_failing"], len(worst))
        self.assertEqual(by_id["assertions[2]"]["frames"], 96)

    def labels(self):
        with open(self.good, "rb") as file:
            return [json.loads(m.data)["label"] for _, c, m in make_reader(file).iter_messages() if c.topic == "/frame"]

    def test_drift_by_layer_against_a_reference(self):
        reference, target, contract = self.folder / "r.mcap", self.folder / "q.mcap", self.folder / "c.json"
        more = [*DATA, "--frames", 12, "--level", "layers"]
        run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, *more, "--trace", reference, expect=0)
        run("run", MODELS / "signs_int8.tflite", "--recipe", RECIPE + " | quantize(model)", *more, "--trace", target, expect=0)
        run("contract", "learn", target, "--reference", reference, "-o", contract, expect=0)
        drift = json.loads(contract.read_text())["drift"]["layers"]
        self.assertGreater(len([name for name in drift if name.startswith("layer/")]), 5)
        self.assertIn("--reference", self.check(target, expect=4, contract=contract)["drift"]["cure"])
        by_id = self.check(target, "--reference", reference, expect=0, contract=contract)
        self.assertEqual({id.removeprefix("drift.") for id in by_id if id.startswith("drift.")}, set(drift))
        name = max(drift, key=drift.get)
        tight = json.loads(contract.read_text())
        tight["drift"]["layers"][name] /= 3
        contract.write_text(json.dumps(tight))
        self.assertEqual(self.of_state(self.check(target, "--reference", reference, expect=3, contract=contract), "fails"), {"drift." + name})

    def test_a_state_that_is_not_fed_back_is_told_with_its_first_step(self):
        sys.path.insert(0, str(tool.ROOT / "bench" / "state"))
        import models

        model, data, good, contract = models.write("cell", self.folder), self.folder / "x.npz", self.folder / "good.mcap", self.folder / "c.json"
        np.savez(data, x=np.random.default_rng(4).normal(size=(12, *models.SHAPES["cell"])).astype(np.float32))
        run("run", model, "--data", data, "--state", "h_out=h", "--state", "m_out=m", "--trace", good, expect=0)
        run("contract", "learn", good, "-o", contract, expect=0)
        self.assertEqual(sorted(json.loads(contract.read_text())["states"]), ["h_out=h", "m_out=m"])
        by_id = self.check(good, expect=0, contract=contract)
        self.assertEqual((by_id["states.h_out=h"]["state"], by_id["states.m_out=m"]["state"]), ("passes", "passes"))

        def lost(topic, frame, data, metadata):
            return (bytes(len(data)) if topic == "/model_input/h" and frame in (5, 8) else data), metadata

        path = self.folder / "lost.mcap"
        changed(good, path, lost)
        by_id = self.check(path, expect=3, contract=contract)
        one = by_id["states.h_out=h"]
        self.assertEqual((one["state"], one["frame"], one["frames_failing"]), ("fails", 5, 2))
        self.assertIn("set back to the initial value", one["why"])
        self.assertEqual(self.of_state(by_id, "fails"), {"states.h_out=h"})

    def test_answers_are_what_the_recipe_makes_of_the_outputs(self):
        names, other, contract, trace = (self.folder / name for name in ("names.txt", "other.txt", "c.json", "t.mcap"))
        names.write_text("".join(f"sign {i}\n" for i in range(12)))
        other.write_text("background\n" + "".join(f"sign {i}\n" for i in range(12)))
        data = [*DATA, "--frames", 24, "--force", "--trace", trace]
        run("run", MODELS / "signs_float.tflite", "--recipe", f"{RECIPE} || topk(3) | labels({names})", *data, expect=0)
        run("contract", "learn", trace, "-o", contract, expect=0)
        self.assertEqual(self.check(trace, expect=0, contract=contract)["recipe.answers"]["state"], "passes")
        infinite = self.folder / "infinite.mcap"

        def with_infinity(topic, _, body, metadata):
            # The part of the scores: kind 3, float32, rank 1, three of them.
            at = body.find(struct.pack("<BBBBII", 3, 0, 1, 0, 16, 3)) if topic.startswith("/answer/") else -1
            return (body[:at + 12] + struct.pack("<f", float("inf")) + body[at + 16:] if at >= 0 else body), metadata

        changed(trace, infinite, with_infinity)
        self.assertEqual(self.check(infinite, expect=3, contract=contract)["recipe.answers"]["state"], "fails")
        run("run", MODELS / "signs_float.tflite", "--recipe", f"{RECIPE} || topk(3) | labels({other})", *data, "--undeclared", expect=0)
        by_id = self.check(trace, expect=3, contract=contract)
        self.assertEqual(self.of_state(by_id, "fails"), {"recipe.answers"})
        one, best = by_id["recipe.answers"], tensors(trace, "model_output")
        self.assertEqual((one["frame"], one["frames_failing"], one["frames"]), (0, 24, 24))
        right = int(best[0].argmax())
        self.assertEqual((one["value"], one["bound"]), (f"labels[0] {'sign ' + str(right - 1) if right else 'background'}", f"labels[0] sign {right}"))

    def test_what_an_app_asserts_of_itself_is_judged(self):
        """Marks and variables as edgeprobe/assertion.hpp writes them; here the official MCAP writer writes them."""
        path, contract = self.folder / "app.mcap", self.with_changes(latency_ms=None, memory_mb=None)
        with traces.Copy(self.good, path, groups=None) as copy:
            frames = {message.sequence: message for _, message in copy.messages}
            for name, text in (("labels", "holds"), ("size", "the camera gives 640x480")):
                copy.add("/mark/assertion." + name, "json", {}, json.dumps({"text": text}).encode(), frames[0])
            for channel, message in copy.messages:
                copy.add(channel.topic, channel.message_encoding, dict(channel.metadata), message.data, message)
            for frame in range(96):
                copy.add("/variable/assertion.sharp", "x-tensor", {"dtype": "float64", "shape": ""}, np.float64(frame not in (40, 41)).tobytes(), frames[frame])
            copy.add("/variable/assertion.sharp.why", "x-tensor", {"dtype": "uint8", "shape": "-1", "encoding": "utf8"}, b"blurred", frames[40])
        by_id = self.check(path, expect=3, contract=contract)
        self.assertEqual(self.of_state(by_id, "fails"), {"app.size", "app.sharp"})
        self.assertEqual((by_id["app.labels"]["state"], by_id["app.size"]["why"]), ("passes", "the camera gives 640x480"))
        one = by_id["app.sharp"]
        self.assertEqual((one["frame"], one["frames_failing"], one["frames"], one["why"]), (40, 2, 96, "blurred"))


if __name__ == "__main__":
    tool.main()
