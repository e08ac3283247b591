# SPDX-License-Identifier: Apache-2.0
"""contract learn and check: what a good trace does is promised, and each planted fault breaks the promise where it should."""
import json
import struct
import sys
import unittest

import numpy as np
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer

import tool
from tool import MODELS, RECIPE, run

DATA = ["--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv"]
FAULTS = {
    "channel_order": RECIPE.replace("color(rgb)", "color(bgr)"),
    "value_range": RECIPE.replace("scale(-1..1)", "scale(0..1)"),
    "resize": RECIPE.replace("bilinear, antialias=on", "nearest"),
    "crop": RECIPE.replace("crop(center, 0.875) | ", ""),
    "orientation": "rotate(90) | " + RECIPE,
}


def changed(source, target, change):
    """The trace with other messages: change(topic, frame, data, metadata) gives data, metadata, or None to leave it out."""
    with open(source, "rb") as file, open(target, "wb") as out:
        reader, ids = make_reader(file), {}
        writer = Writer(out, compression=CompressionType.NONE)
        writer.start(profile="edgeprobe", library="test")
        for _, channel, message in reader.iter_messages(log_time_order=False):
            made = change(channel.topic, message.sequence, message.data, channel.metadata)
            if made is None:
                continue
            key = (channel.topic, tuple(sorted(made[1].items())))
            if key not in ids:
                ids[key] = writer.register_channel(channel.topic, channel.message_encoding, 0, made[1])
            writer.add_message(ids[key], log_time=message.log_time, publish_time=message.publish_time, sequence=message.sequence, data=made[0])
        for record in reader.iter_metadata():
            writer.add_metadata(record.name, record.metadata)
        writer.finish()


def tensors(path, stage):
    """Values by frame of the only channel of a stage."""
    with open(path, "rb") as file:
        return {m.sequence: np.frombuffer(m.data, np.float32) for _, c, m in make_reader(file).iter_messages() if c.topic.startswith(f"/{stage}/")}


class ContractTest(tool.ToolTest):
    @classmethod
    def setUpClass(cls):
        import pathlib
        import tempfile

        cls._shared = tempfile.TemporaryDirectory(prefix="edgeprobe_contract_")
        cls.shared = pathlib.Path(cls._shared.name)
        cls.good, cls.contract = cls.shared / "good.mcap", cls.shared / "contract.json"
        run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, *DATA, "--frames", 96, "--trace", cls.good, expect=0)
        run("contract", "learn", cls.good, "-o", cls.contract, expect=0)

    @classmethod
    def tearDownClass(cls):
        cls._shared.cleanup()

    def check(self, trace, *more, expect, contract=None):
        """Assertions by id; the counts are theirs."""
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
        """A copy of the contract; a part that is None is left out."""
        contract = json.loads(self.contract.read_text())
        for key, value in parts.items():
            contract.pop(key, None)
            if value is not None:
                contract[key] = value
        path = self.folder / "changed.json"
        path.write_text(json.dumps(contract))
        return path

    def recorded(self, recipe, *more):
        path = self.folder / "t.mcap"
        run("run", MODELS / "signs_float.tflite", "--recipe", recipe, *DATA, "--frames", 96, "--trace", path, "--force", *more, expect=0)
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

    def test_learned_twice_it_is_the_same_file(self):
        again = self.folder / "again.json"
        run("contract", "learn", self.good, "-o", again, expect=0)
        self.assertEqual(again.read_bytes(), self.contract.read_bytes())
        self.assertIn("exists", run("contract", "learn", self.good, "-o", again, expect=2).err)
        run("contract", "learn", self.good, "-o", again, "--force", expect=0)

    def test_the_trace_that_it_was_learned_from_keeps_it(self):
        by_id = self.check(self.good, expect=0)
        self.assertGreater(len(by_id), 15)
        for part in ("channel_order", "value_range", "resize", "crop", "orientation"):
            self.assertEqual(by_id[f"recipe.{part}"]["state"], "passes")

    def test_other_pictures_of_the_same_deployment_keep_it(self):
        """Means differ from picture to picture; the replay tells that the recipe is the same."""
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

    def test_each_fault_breaks_its_own_part_of_the_recipe(self):
        contract = self.with_changes(latency_ms=None, memory_mb=None)
        for kind, recipe in FAULTS.items():
            with self.subTest(fault=kind):
                by_id = self.check(self.recorded(recipe, "--undeclared"), expect=3, contract=contract)
                parts = {id for id in by_id if id.startswith("recipe.")}
                self.assertEqual({id for id in parts if by_id[id]["state"] == "fails"}, {f"recipe.{kind}"})
                self.assertEqual({id for id in parts if by_id[id]["state"] == "passes"}, parts - {f"recipe.{kind}"})
                one = by_id[f"recipe.{kind}"]
                self.assertIsNotNone(one["frame"])
                self.assertTrue(one["why"] and one["cure"] and one["sample"])

    def test_a_stated_recipe_is_held_to_the_contract(self):
        by_id = self.check(self.recorded(FAULTS["crop"]), expect=3)
        self.assertEqual(by_id["recipe.declared"]["state"], "fails")
        self.assertIn("crop(center", by_id["recipe.declared"]["bound"])

    def test_without_pictures_the_parts_cannot_be_told_until_they_are_given(self):
        bare = self.recorded(RECIPE, "--raw", "none", "--undeclared")
        contract = self.with_changes(latency_ms=None, memory_mb=None, stages=None)
        by_id = self.check(bare, expect=4, contract=contract)
        self.assertEqual(by_id["recipe.channel_order"]["state"], "cannot_tell")
        self.assertIn("--data", by_id["recipe"]["why"])
        self.assertTrue(any(id.endswith(".mean") for id in by_id))
        self.check(bare, *DATA, expect=0, contract=contract)

    def test_without_pictures_the_statistics_tell_another_range(self):
        bare = self.recorded(FAULTS["value_range"], "--raw", "none", "--undeclared")
        by_id = self.check(bare, expect=3, contract=self.with_changes(latency_ms=None, memory_mb=None, stages=None))
        self.assertTrue(any(id.endswith(".mean") for id in self.of_state(by_id, "fails")))

    def test_a_fault_is_no_promise(self):
        """The recipe that is given is not what the trace does: no contract."""
        trace, out = self.recorded(FAULTS["channel_order"], "--undeclared"), self.folder / "c.json"
        done = run("contract", "learn", trace, "--recipe", RECIPE, "-o", out, expect=3)
        self.assertIn("recipe.channel_order", done.out)
        self.assertFalse(out.exists())

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

    def test_time_and_memory_beyond_their_bounds(self):
        contract = json.loads(self.contract.read_text())
        slow = {**contract["latency_ms"], "median": contract["latency_ms"]["median"] / 100, "p90": contract["latency_ms"]["p90"] / 100}
        by_id = self.check(self.good, expect=3, contract=self.with_changes(latency_ms=slow, memory_mb={"peak": 0.001, "margin": 0.25}))
        self.assertEqual(self.of_state(by_id, "fails"), {"latency_ms.median", "latency_ms.p90", "memory_mb.peak"})
        other = {**contract["latency_ms"], "measured_with": {"engine": "another"}}
        by_id = self.check(self.good, expect=4, contract=self.with_changes(latency_ms=other))
        self.assertIn("engine is", by_id["latency_ms"]["why"])

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

    def test_a_model_is_run_and_checked(self):
        contract = self.with_changes(latency_ms=None, memory_mb=None)
        self.check(MODELS / "signs_float.tflite", "--recipe", RECIPE, *DATA, "--frames", 96, expect=0, contract=contract)
        by_id = self.check(MODELS / "signs_float.tflite", "--recipe", FAULTS["orientation"], *DATA, "--frames", 96, expect=3, contract=contract)
        self.assertIn("recipe.orientation", self.of_state(by_id, "fails"))
        self.assertIn("--data", run("contract", "check", MODELS / "signs_float.tflite", "--contract", contract, expect=2).err)

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
        learned = json.loads(contract.read_text())
        self.assertEqual(sorted(learned["states"]), ["h_out=h", "m_out=m"])
        for key in ("latency_ms", "memory_mb"):
            learned.pop(key, None)
        contract.write_text(json.dumps(learned))
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
        learned = json.loads(contract.read_text())
        contract.write_text(json.dumps({key: value for key, value in learned.items() if key not in ("latency_ms", "memory_mb")}))
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
        """Marks and variables as edgeprobe/assertion.hpp writes them, here by the official MCAP writer."""
        path, contract = self.folder / "app.mcap", self.with_changes(latency_ms=None, memory_mb=None)
        with open(self.good, "rb") as file, open(path, "wb") as out:
            reader, ids = make_reader(file), {}
            writer = Writer(out, compression=CompressionType.NONE)
            writer.start(profile="edgeprobe", library="test")
            for name, text in (("labels", "holds"), ("size", "the camera gives 640x480")):
                mark = writer.register_channel("/mark/assertion." + name, "json", 0, {})
                writer.add_message(mark, log_time=1, publish_time=1, sequence=0, data=json.dumps({"text": text}).encode())
            for _, channel, message in reader.iter_messages(log_time_order=False):
                if channel.id not in ids:
                    ids[channel.id] = writer.register_channel(channel.topic, channel.message_encoding, 0, channel.metadata)
                writer.add_message(ids[channel.id], log_time=message.log_time, publish_time=message.publish_time, sequence=message.sequence, data=message.data)
            sharp = writer.register_channel("/variable/assertion.sharp", "x-tensor", 0, {"dtype": "float64", "shape": ""})
            why = writer.register_channel("/variable/assertion.sharp.why", "x-tensor", 0, {"dtype": "uint8", "shape": "-1", "encoding": "utf8"})
            for frame in range(96):
                writer.add_message(sharp, log_time=2, publish_time=2, sequence=frame, data=np.float64(frame not in (40, 41)).tobytes())
            writer.add_message(why, log_time=2, publish_time=2, sequence=40, data=b"blurred")
            for record in reader.iter_metadata():
                writer.add_metadata(record.name, record.metadata)
            writer.finish()
        by_id = self.check(path, expect=3, contract=contract)
        self.assertEqual(self.of_state(by_id, "fails"), {"app.size", "app.sharp"})
        self.assertEqual((by_id["app.labels"]["state"], by_id["app.size"]["why"]), ("passes", "the camera gives 640x480"))
        one = by_id["app.sharp"]
        self.assertEqual((one["frame"], one["frames_failing"], one["frames"], one["why"]), (40, 2, 96, "blurred"))

    def test_a_contract_that_is_wrong_is_refused_with_its_place(self):
        path = self.folder / "wrong.json"
        for text, code, said in (('{"edgeprobe_contract": 9}', 1, "version 9"), ("{", 1, "line 1, column 2"), ('{"edgeprobe_contract": 1, "ranges": {}}', 2, "'ranges'"),
                                 ('{"edgeprobe_contract": 1, "assertions": ["frame.input.max <"]}', 2, "assertions[0]"), ("[]", 2, "is no contract")):
            path.write_text(text)
            err = run("contract", "check", self.good, "--contract", path, expect=code).err
            self.assertIn(said, err)
            self.assertIn("wrong.json", err)
        self.assertIn("nowhere.json", run("contract", "check", self.good, "--contract", "nowhere.json", expect=1).err)
        path.write_text('{"edgeprobe_contract": 1}')
        self.check(self.good, expect=4, contract=path)  # nothing is asserted: nothing can be told

    def test_junit_has_a_case_for_each_assertion(self):
        import xml.etree.ElementTree as tree

        path = self.folder / "c.xml"
        contract = self.with_changes(assertions=["frame.input.max < -5", "frame.value('<&>') > 3"])
        run("contract", "check", self.good, "--contract", contract, "--junit", path, expect=3)
        run("contract", "check", self.good, "--contract", contract, "--junit", path, expect=3)  # an older one is replaced
        suite = tree.parse(path).getroot().find("testsuite")
        cases = suite.findall("testcase")
        by_id = self.check(self.good, expect=3, contract=contract)
        self.assertEqual([case.get("name") for case in cases], list(by_id))
        self.assertEqual([case.get("name") for case in cases if case.find("failure") is not None], ["assertions[0]"])
        self.assertEqual([case.get("name") for case in cases if case.find("error") is not None], ["assertions[1]"])
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")), (str(len(cases)), "1", "1"))
        self.assertIn("<&>", suite.find("testcase/error").get("message"))


if __name__ == "__main__":
    tool.main()
