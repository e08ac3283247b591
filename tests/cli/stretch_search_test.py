# SPDX-License-Identifier: Apache-2.0
"""stretch search, plan and explain: the results that a search keeps and reuses, its JSON and its plan, devices from a file, and refusals."""
import datetime
import json
import os
import shutil
import subprocess

import numpy as np
import onnx

import tool
from processes import interrupt, wait_for
from stretch_models import CPUS, PAIR, TWO, StretchTest, alone, nets, spread, tensors_of
from tool import MODELS, PATIENCE, run

QUICK = ("--seconds", "0.02", "--rounds", "1", "--best", "1")
DEVICE = f"""device: 1
processors:
  - {{name: big, engine: onnxruntime, cpus: [{CPUS[0]}]}}
  - {{name: little, engine: onnxruntime, cpus: [{CPUS[-1]}], emulated_slowdown: 20}}
"""


class SearchTest(StretchTest):
    def setUp(self):
        super().setUp()
        self.net = self.model(spread())
        self.cache = self.folder / "cache"
        self.cache.mkdir()
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.cache)}

    def arguments(self, *more):
        return ("stretch", "search", self.net, *QUICK, *(() if "--device" in more else ("--cpus", PAIR)), *more)

    def search(self, *more, expect={0, 4}):
        return run(*self.arguments(*more), expect=expect, env=self.environment)

    def begin(self, *more):
        """Starts a search; also returns the file with its standard error."""
        errors = self.folder / f"errors{len(list(self.folder.glob('errors*')))}"
        with open(errors, "w") as file:
            return subprocess.Popen([tool.EXECUTABLE, *map(str, self.arguments(*more))], env=self.environment, stdout=subprocess.PIPE, stderr=file, stdin=subprocess.DEVNULL), errors

    def decided(self, done):
        """The JSON of a search; whether a search decides depends on what else the machine does."""
        found = json.loads(done.out)
        self.assertEqual(done.returncode, 0 if found["decided"] else 4, found["answer"])
        self.assertEqual(found["answer"].startswith("undecided: "), not found["decided"], found["answer"])
        return found

    def wait_for_words(self, words, errors):
        self.assertTrue(wait_for(lambda: words in errors.read_text()), words)

    def kept(self):
        return {path: path.read_bytes() for path in self.cache.glob("edgeprobe/stretch/*.json")}

    def answers(self):
        return list(self.cache.glob("edgeprobe/stretch/answers/*"))


@TWO
class Searches(SearchTest):
    def test_what_was_measured_is_kept_for_the_next_search(self):
        first, errors = self.begin()
        second = None
        try:
            self.assertTrue(wait_for(self.kept))
            second, waits = self.begin("--json")
            self.wait_for_words("note: another search runs on this machine; waiting", waits)
            interrupt(first)
            first.communicate(timeout=PATIENCE)
            self.assertEqual(first.returncode, 130, errors.read_text())
            self.assertIn("stopped by the user; the next search goes on from what was measured", errors.read_text())
            before = self.kept()
            self.assertTrue(before)
            out = second.communicate(timeout=PATIENCE)[0].decode()
        finally:
            for process in filter(None, (first, second)):
                process.kill()
        self.assertIn(second.returncode, (0, 4), waits.read_text())
        found = json.loads(out)
        pieces = self.kept()
        self.assertEqual({path: pieces[path] for path in before}, before)
        self.assertGreaterEqual(found["pieces_known"], len(before))
        self.assertGreaterEqual(found["pieces_measured"], 1)
        self.assertEqual(found["pieces_known"] + found["pieces_measured"], len(pieces))
        self.damaged(pieces)

    def damaged(self, pieces):
        """Damaged results are measured again; the plan also contains everything that a search reports."""
        good = json.loads(next(iter(pieces.values())))
        damage = [b"{", json.dumps({**good, "median": -1}).encode(), os.urandom(64)][:len(pieces) - 1]
        for path, text in zip(sorted(pieces), damage):
            path.write_bytes(text)
        for answer in self.answers():
            answer.write_bytes(answer.read_bytes()[:-10])
        plan_file, file = self.folder / "plan.json", self.folder / "found.json"
        self.search("--output", plan_file, "--json", file)
        found = json.loads(file.read_text())
        # The divisions that the search examines, and so its pieces, depend on this run's times.
        kept = self.kept()
        measured_again = [path for path, text in zip(sorted(pieces), damage) if kept[path] != text]
        self.assertTrue(measured_again)
        self.assertGreaterEqual(found["pieces_measured"], len(measured_again))
        self.assertLessEqual(found["pieces_known"], len(pieces) - len(damage))
        for path in measured_again + list(kept.keys() - pieces.keys()):
            self.assertEqual(json.loads(kept[path]).keys(), good.keys(), path)
        self.told(found, json.loads(plan_file.read_text()), plan_file)

    def told(self, found, plan, plan_file):
        self.assertEqual(plan["found"], found)
        by_name = {one["name"]: one for one in found["candidates"]}
        self.assertEqual(len(by_name), len(found["candidates"]))
        plain = [one for one in found["candidates"] if one["plain"] and not one["refused"]]
        divisions = [one for one in found["candidates"] if not one["plain"] and not one["refused"]]
        self.assertEqual([one["pieces"] for one in plain], [1, 1])
        self.assertTrue(divisions)
        for one in plain + divisions:
            quiet = [process for process in one["processes"] if process["quiet"] >= 5 and (process["core_seconds"] == 0 or process["median"] <= 1.5 * process["core_seconds"])]
            self.assertEqual(one["quiet_processes"], len(quiet))
            self.assertAlmostEqual(one["median"], np.median([process["median"] for process in quiet or one["processes"]]))
            self.assertEqual(one["low"] is not None, len(quiet) >= 3 and sum(process["quiet"] for process in quiet) >= 20)
            self.assertEqual(sum(mode["processes"] for mode in one["modes"]), len(quiet or one["processes"]))
            for process in one["processes"]:
                self.assertTrue(process["low"] <= process["median"] <= process["high"] and process["p10"] <= process["p90"], process)
                self.assertLessEqual(process["quiet"], process["runs"])
        for one in divisions:
            self.assertTrue(one["predicted"] > 0 and one["predicted_alone"] > 0, one)
        # Pretends that the search chose the division, so that the output shows both.
        plan_of_division = self.folder / "division.json"
        chosen = {**found, "chosen": divisions[0]["name"]}
        plan_of_division.write_text(json.dumps({**plan, "found": chosen}))
        told = run("stretch", "explain", plan_of_division, self.net, "--runs", "5", expect=0).out
        self.assertIn("The search predicted %s ms (%s ms if pieces did not disturb each other) and measured %s ms" % tuple(f"{divisions[0][key] * 1e3:.4g}" for key in ("predicted", "predicted_alone", "median")), told)
        # Those with evidence come first.
        fastest, division = (min(group, key=lambda one: (one["low"] is None, one["median"])) for group in (plain, divisions))
        enough = fastest["low"] is not None and division["low"] is not None
        self.assertEqual(found["ratio"] is not None, enough)
        if enough:
            self.assertAlmostEqual(found["ratio"], fastest["median"] / division["median"])
        if found["branches"]:
            self.assertTrue(enough and division["high"] < fastest["low"])
        self.assertEqual(found["chosen"], (division if found["branches"] else fastest)["name"])
        self.assertTrue(found["answer"].startswith("branch: " if found["branches"] else "do not branch: " if found["decided"] else "undecided: "), found["answer"])
        self.assertEqual("the intervals of the two overlap" in found["answer"], found["decided"] and not found["branches"] and division["median"] < fastest["median"])
        self.assertEqual(len(plan["pieces"]), by_name[found["chosen"]]["pieces"])
        # Its plan computes what the model does.
        picture = np.random.default_rng(0).random((1, 1, 1, 16, 16), dtype=np.float32) + 1
        trace = self.folder / "t.mcap"
        run("run", self.net, "--engine", f"stretch:{plan_file}", "--data", self.npz(x=picture), "--trace", trace, expect=0)
        [expected] = alone(self.net).run(None, {"x": picture[0]})
        [got] = tensors_of(trace)[0].values()
        self.assertLessEqual(np.abs(got.reshape(expected.shape) - expected).max(), 1e-6 * np.abs(expected).max())

    def test_an_answer_is_kept_for_the_same_question_alone(self):
        # Seven searches of a model without pieces on one CPU: three processes each.
        net = nets.Net()
        self.net = self.model(net.model([("x", [1, 16])], [net.op("MatMul", ["x", net.drawn(16, 16, fan=16)])]))

        def found(*more, **environment):
            quick = (*more, *QUICK[2:]) if more[:1] == ("--seconds",) else (*QUICK, *more)
            done = run("stretch", "search", self.net, *quick, "--cpus", CPUS[0], "--json", expect={0, 4}, env={**self.environment, **environment})
            cpu_s.append(done.cpu_s)
            found = self.decided(done)
            if not found["decided"]:
                self.assertEqual((found["from_cache"], self.answers()), (False, []))
                self.skipTest("the machine is too busy for an answer that is kept: " + found["answer"])
            return found

        cpu_s = []
        first = found()
        self.assertFalse(first["from_cache"])
        again = found()
        self.assertLess(cpu_s[1], 2)
        self.assertTrue(again["from_cache"])
        changes = {"from_cache": True, "pieces_measured": 0, "pieces_known": first["pieces_measured"]}
        self.assertEqual(again, {**first, **changes})
        moment = datetime.datetime.fromisoformat(again["measured_at"].replace("Z", "+00:00"))
        self.assertLess(abs(datetime.datetime.now(datetime.timezone.utc) - moment), datetime.timedelta(hours=1))
        told = run("stretch", "search", self.net, *QUICK, "--cpus", CPUS[0], "--output", self.folder / "plan.json", expect=0, env=self.environment).out
        self.assertIn(f"Measured by an earlier search, {again['measured_at']}; --fresh measures again", told)
        self.assertEqual(json.loads((self.folder / "plan.json").read_text())["found"], again)
        self.assertEqual(len(self.answers()), 1)
        # An option that changes an answer makes it another question.
        self.assertFalse(found("--seconds", "0.03")["from_cache"])
        self.assertFalse(found(CUDA_VISIBLE_DEVICES="7")["from_cache"])
        self.assertFalse(found("--fresh")["from_cache"])
        self.assertTrue(found()["from_cache"])
        # The same library unchanged, and one byte longer.
        [engine] = [one for one in json.loads(run("doctor", "--json", expect=0).out)["engines"] if one["kind"] == "onnxruntime"]
        library = self.folder / "libonnxruntime.so"
        shutil.copy(engine["library"], library)
        self.assertTrue(found(EDGEPROBE_ONNXRUNTIME_LIB=str(library))["from_cache"])
        with open(library, "ab") as file:
            file.write(b" ")
        self.assertFalse(found(EDGEPROBE_ONNXRUNTIME_LIB=str(library))["from_cache"])
        # First other weights, then damaged answers.
        net = onnx.load(self.net)
        weights = net.graph.initializer[0]
        weights.CopyFrom(onnx.numpy_helper.from_array(2 * onnx.numpy_helper.to_array(weights), weights.name))
        onnx.save(net, self.net)
        self.assertFalse(found()["from_cache"])
        for path in self.answers():
            text = bytearray(path.read_bytes())
            text[len(text) // 2] ^= 1
            path.write_bytes(text)
        self.assertFalse(found()["from_cache"])
        self.assertTrue(found()["from_cache"])

    def test_processors_of_a_file(self):
        device = self.folder / "device.yaml"
        device.write_text(DEVICE)
        branches, self.net = self.net, MODELS / "signs_float.onnx"
        found = self.decided(self.search("--device", device, "--json"))
        plain = [one for one in found["candidates"] if one["plain"]]
        # A pool of threads over both CPUs cannot be slowed down on one of them.
        self.assertEqual(len(plain), 2)
        [big] = [one for one in plain if "slow" not in one["name"]]
        [little] = [one for one in plain if one is not big]
        self.assertIn("emulated 20 times as slow", little["name"])
        self.assertGreater(little["median"], 5 * big["median"])
        plan = self.folder / "plan.json"
        run("stretch", "plan", branches, "--device", device, "--output", plan, expect=0)
        processors = {one["name"]: one for one in json.loads(plan.read_text())["processors"]}
        self.assertIn("big", processors)
        self.assertLessEqual(processors.keys(), {"big", "little"})

    def test_a_chain_is_not_divided(self):
        self.net = MODELS / "signs_int8.onnx"
        plan = self.folder / "plan.json"
        done = self.search("--output", plan)
        self.assertRegex(done.out, "(?m)^(do not branch|undecided): ")
        # No branches; on a busy machine a split may promise something, and loses.
        if done.returncode == 0:
            self.assertRegex(done.out, "no parts of this model can run side by side|the best division, [0-9]+ splits? by (channels|rows) over [0-9]+ processors")
        self.assertNotRegex(done.out, "[0-9] regions? over")
        # While undecided, the plan is that of a plain option.
        self.assertEqual(len(json.loads(plan.read_text())["pieces"]), 1)
        self.assertEqual(", the best plain option" in done.out, done.returncode == 4)

    def open_towers(self):
        """Two towers on a picture whose size the file leaves open; the sums after them need 16 x 16."""
        net = nets.Net()
        towers = [net.op("MatMul", [net.op("Flatten", [net.conv(net.conv("x", 1, 8, 3), 8, 8, 3)]), net.drawn(8 * 256, 8, fan=8 * 256)]) for _ in range(2)]
        made = net.model([("x", [1, 1, 16, 16])], [net.op("Concat", towers, axis=1)])
        for axis, name in enumerate(("batch", None, "height", "width")):
            if name:
                made.graph.input[0].type.tensor_type.shape.dim[axis].dim_param = name
        del made.graph.value_info[:]
        return self.model(made, "open")

    def test_pieces_of_an_open_model_have_the_shapes_that_follow(self):
        self.net = self.open_towers()
        shape = ("--input-shape", "1x1x16x16")
        plan = self.folder / "plan.json"
        done = self.search(*shape, "--json", self.folder / "found.json", "--plans", self.folder / "plans")
        self.assertNotIn("could not be measured", done.err)
        found = json.loads((self.folder / "found.json").read_text())
        names = [one["name"] for one in found["candidates"]]
        [region] = [i for i, one in enumerate(found["candidates"]) if "1 region over 2 processors" in one["name"]]
        self.assertGreater(found["candidates"][region]["predicted"], 0)
        self.assertEqual([one["refused"] for one in found["candidates"]], [None] * len(names))
        # Real inputs, and the same shape in the other verbs.
        plan = self.folder / "plans" / f"{region + 1}.json"
        told = json.loads(run("stretch", "explain", plan, self.net, *shape, "--runs", "3", "--json", expect=0).out)
        self.assertEqual(told["runs"], 3)
        pictures = np.random.default_rng(1).random((3, 1, 1, 16, 16), dtype=np.float32)
        rows = json.loads(run("stretch", "table", plan, self.net, *shape, "--data", self.npz(x=pictures), "--seconds", "0.01", "--rounds", "1", "--json", "-", expect={0, 4}).out)["rows"]
        differences = [row["difference"] for row in rows if row["difference"]]
        self.assertGreaterEqual(len(differences), 4)
        self.assertEqual({one["inputs"] for one in differences}, {3})
        # A shape that does not fit is refused before anything is measured.
        for verb in (("search", self.net), ("explain", plan, self.net), ("table", plan, self.net)):
            self.assertIn("--input-shape", run("stretch", *verb, "--input-shape", "y=1x1x16x16", expect=2).err)
            self.assertIn("--data", run("stretch", *verb, "--recipe", "resize(16x16)", expect=2).err)

    def test_another_engine_that_runs_the_model_is_named(self):
        # ONNX Runtime knows no operator of this domain, and neither does another engine.
        net = nets.Net()
        made = net.model([("x", [1, 16])], [net.op("Relu", ["x"])])
        made.graph.node[0].domain = "of.nobody"
        made.opset_import.append(onnx.helper.make_opsetid("of.nobody", 1))
        self.net = self.model(made)
        done = self.search(expect=1)
        self.assertIn("no engine runs the model as it is: ", done.err)
        self.assertNotIn("give --engine", done.err)
        # Without the library of the format's own engine, another one of the format runs it.
        self.net = MODELS / "signs_float.tflite"
        self.environment["EDGEPROBE_LITERT_LIB"] = str(self.folder / "no.so")
        self.assertIn("; tflite runs it: give --engine tflite", self.search(expect=1).err)

    def test_few_processes_of_a_pool_give_no_answer(self):
        # Two threads take as long as one here, and four processes do not show the modes of a pool: undecided, exit 4, a plain plan, nothing kept.
        net = nets.Net()
        self.net = self.model(net.model([("x", [1, 16])], [net.op("MatMul", ["x", net.drawn(16, 16, fan=16)])]))
        plan = self.folder / "plan.json"
        done = self.search("--output", plan, "--json", self.folder / "found.json", expect=4)
        found = json.loads((self.folder / "found.json").read_text())
        self.assertRegex(found["answer"], r"^undecided: .* had [0-9]+ quiet runs of [0-9]+, and [0-9]+ quiet processes of [0-9]+; an answer needs 20 such runs in [38] such processes\. (Other programs use the CPUs: stop them and search again, or|Search again) with more --rounds$")
        self.assertIn(found["answer"], done.out)
        self.assertFalse(found["decided"] or found["branches"])
        self.assertEqual(self.answers(), [])
        self.assertEqual(len(json.loads(plan.read_text())["pieces"]), 1)
        self.assertEqual(json.loads(plan.read_text())["found"], found)
        self.assertIn(f"Written: {plan}, the best plain option; run it with ", done.out)

    def test_cells_that_read_the_two_before_them_get_a_list_schedule(self):
        self.net = self.model(nets.cells(14, 16, 2))
        plans = self.folder / "plans"
        found = json.loads(self.search("--plans", plans, "--json").out)
        names = [one["name"] for one in found["candidates"]]
        self.assertIn("list schedule over 2 processors", names)
        listed = found["candidates"][names.index("list schedule over 2 processors")]
        self.assertIsNone(listed["refused"])
        self.assertGreaterEqual(listed["pieces"], 2)
        self.assertLessEqual(listed["difference"]["relative"], 1e-5)
        self.assertEqual(listed["difference"]["other_answer"], 0)
        plan_file = plans / f"{names.index(listed['name']) + 1}.json"
        plan = json.loads(plan_file.read_text())
        self.assertEqual(len(plan["programs"]), 2)
        self.assertTrue(any("wait" in step for program in plan["programs"] for step in program["steps"]))
        data, frames = self.data_of(self.net, 3)
        trace = self.folder / "t.mcap"
        run("run", self.net, "--engine", f"stretch:{plan_file}", "--data", data, "--trace", trace, expect=0)
        for inputs, got in zip(frames, tensors_of(trace).values()):
            [expected] = alone(self.net).run(None, inputs)
            [answer] = got.values()
            self.assertLessEqual(np.abs(answer.reshape(expected.shape) - expected).max(), 1e-5 * np.abs(expected).max())

    def test_a_folder_for_what_is_kept_that_cannot_be_made(self):
        self.environment["XDG_CACHE_HOME"] = str(self.net)
        process, errors = self.begin()
        try:
            self.wait_for_words("note: nothing is kept for later searches: ", errors)
            interrupt(process)
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
        self.assertEqual(process.returncode, 130, errors.read_text())


@TWO
class Explanations(StretchTest):
    def test_what_each_processor_does(self):
        net = self.model(nets.sensors(4))
        path, plan = self.plan_of(net)
        told = json.loads(run("stretch", "explain", path, net, "--runs", "50", "--json", expect=0).out)
        self.assertEqual(told["runs"], 50)
        self.assertEqual({piece["name"]: piece["processor"] for piece in told["pieces"]}, {step["run"]: program["processor"] for program in plan["programs"] for step in program["steps"] if "run" in step})
        # Two dense layers of 64 x 64 and 64 x 16 for each sensor, and one of 64 x 4; the Concat is a merge.
        self.assertEqual(sum(piece["macs"] for piece in told["pieces"]), 4 * (64 * 64 + 64 * 16) + 64 * 4)
        self.assertEqual(sum(piece["layers"] for piece in told["pieces"]), len(plan["model"]["layers"]) - 1)
        last = next(piece for piece in told["pieces"] if piece["inputs" if "inputs" in piece else "waits"])
        self.assertEqual((last["bytes_in"], last["bytes_out"]), (4 * 64, 4 * 4))
        signals = {step["signal"] for program in plan["programs"] for step in program["steps"] if "signal" in step}
        self.assertLessEqual(set(last["waits"]), signals)
        for piece in told["pieces"]:
            self.assertGreaterEqual(piece["start"], 0)
            self.assertGreater(piece["time"], 0)
            self.assertLessEqual(piece["time"], told["latency"] * 2)
        for processor in told["processors"]:
            self.assertTrue(0 < processor["busy"] <= 1, processor)
        text = run("stretch", "explain", path, net, "--runs", "5", expect=0).out
        self.assertIn(f"'{plan['merges'][0]['tensor']}' is put together of 4 slices where they are made, without a copy", text)

    def test_a_plan_of_another_model(self):
        path, _ = self.plan_of(self.model(nets.sensors(2)))
        other = self.model(nets.sensors(3), "other")
        done = run("stretch", "explain", path, other, expect=2)
        self.assertIn("model.layers[8]: the plan has 'Concat(relu4, relu8) -> concat9 float32[1,32]', the model 'Gemm(x2) -> gemm9 float32[1,64]': the plan is of another model", done.err)
        self.assertIn("--runs 0: expected 1 to 1000000", run("stretch", "explain", path, other, "--runs", "0", expect=2).err)

    def test_a_limit_of_time(self):
        net = self.model(nets.sensors(2))
        path, _ = self.plan_of(net)
        for verb in (("explain", path), ("table", path), ("search",)):
            self.assertIn("--time-limit 86401: expected seconds, above 0 and at most 86400", run("stretch", *verb, net, "--time-limit", "86401", expect=2).err)
            self.assertIn("took longer than the limit of 1 ms and was stopped", run("stretch", *verb, net, "--time-limit", "0.001", expect=1).err)


if __name__ == "__main__":
    tool.main()
