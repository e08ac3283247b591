# SPDX-License-Identifier: Apache-2.0
"""contract check --mutate, update, Python functions, and the snippets for CI: what they say is checked by other routes."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from mcap.reader import make_reader

import tool
from tool import MODELS, RECIPE, ROOT, run

MODEL = MODELS / "signs_float.tflite"
DATA = ["--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv"]
BGR = RECIPE.replace("color(rgb)", "color(bgr)")
GUIDE = (ROOT / "docs" / "guides" / "contracts.md").read_text()


def outputs(path):
    with open(path, "rb") as file:
        return {m.sequence: np.frombuffer(m.data, np.float32) for _, c, m in make_reader(file).iter_messages() if c.topic.startswith("/model_output/")}


class FaultsTest(tool.ToolTest):
    @classmethod
    def setUpClass(cls):
        cls._shared = tempfile.TemporaryDirectory(prefix="edgeprobe_contract_")
        cls.shared = pathlib.Path(cls._shared.name)
        cls.good, path = cls.shared / "good.mcap", cls.shared / "contract.json"
        run("run", MODEL, "--recipe", RECIPE, *DATA, "--frames", 48, "--trace", cls.good, expect=0)
        run("contract", "learn", cls.good, "-o", path, expect=0)
        cls.contract = json.loads(path.read_text())
        del cls.contract["latency_ms"], cls.contract["memory_mb"]  # of a machine that others use, too

    @classmethod
    def tearDownClass(cls):
        cls._shared.cleanup()

    def write(self, **parts):
        path = self.folder / "contract.json"
        contract = {**self.contract, **parts}
        path.write_text(json.dumps({key: value for key, value in contract.items() if value is not None}))
        return path

    def mutate(self, contract, *more, expect, recipe=RECIPE, frames=5):
        return json.loads(run("contract", "check", MODEL, "--recipe", recipe, *DATA, "--frames", frames, "--contract", contract, "--mutate",
                              *more, "--json", expect=expect).out)

    def test_a_contract_with_recipe_catches_every_fault_that_matters(self):
        result = self.mutate(self.write(), expect=0)
        self.assertGreater(result["matters"], 10)
        self.assertEqual((result["score"], result["caught"]), (1.0, result["matters"]))
        kinds = {one["kind"] for one in result["faults"]}
        self.assertLessEqual({"channel_order", "value_range", "resize", "crop", "orientation", "color_conversion", "tone", "layout"}, kinds)
        for one in result["faults"]:
            if one["kind"] == "channel_order":
                self.assertIn("recipe.channel_order", one["caught_by"])
        self.assertFalse([one for one in result["faults"] if one["failure"]])

    def test_what_a_fault_does_is_what_it_does_when_it_is_run_by_itself(self):
        """Classes and distances from two traces of `run`, read with NumPy."""
        result = self.mutate(self.write(), expect=0)
        traces = {}
        for name, recipe in (("right", RECIPE), *((one["what"], one["recipe"]) for one in result["faults"][:4])):
            path = self.folder / "one.mcap"
            run("run", MODEL, "--recipe", recipe, *DATA, "--frames", 5, "--trace", path, "--force", expect=0)
            traces[name] = outputs(path)
        for one in result["faults"][:4]:
            pairs = [(traces["right"][f], traces[one["what"]][f]) for f in sorted(traces["right"])]
            self.assertEqual(one["answers_changed"], sum(a.argmax() != b.argmax() for a, b in pairs))
            self.assertAlmostEqual(one["output_distance"], np.mean([np.abs(a.astype(float) - b).sum() / 2 for a, b in pairs]), places=5)
            self.assertEqual(one["frames"], 5)

    def test_a_weak_contract_misses_what_it_does_not_assert(self):
        """A bound on the largest value alone sees another range and no exchanged channels."""
        contract = self.write(**{key: None for key in ("recipe", "inputs", "outputs", "answers")}, assertions=["frame.input.max <= 1.001"])
        result = self.mutate(contract, expect=3)
        self.assertLess(result["score"], 0.5)
        caught = {one["what"]: one["caught_by"] for one in result["faults"] if one["effect"] == "matters"}
        self.assertEqual(caught["values in 0..255"], ["assertions[0]"])
        self.assertEqual(caught["BGR for RGB"], [])
        text = run("contract", "check", MODEL, "--recipe", RECIPE, *DATA, "--frames", 5, "--contract", contract, "--mutate", expect=3).out
        self.assertRegex(text, r"channel_order +BGR for RGB .*MISSED")
        self.assertIn("caught: ", text)

    def test_without_pictures_in_the_trace_the_replay_catches_nothing(self):
        with_pictures, without = self.mutate(self.write(), expect=0), self.mutate(self.write(stages=None), "--raw", "none", expect={0, 3})
        self.assertLess(without["score"], with_pictures["score"])
        self.assertFalse([id for one in without["faults"] for id in one["caught_by"] if id.startswith("recipe")])

    def test_nothing_is_planted_into_a_pipeline_that_breaks_the_contract_by_itself(self):
        result = self.mutate(self.write(), expect=4, recipe=BGR)
        self.assertIn("recipe.channel_order", result["broken"])
        self.assertEqual(result["faults"], [])
        self.assertIn("--mutate", run("contract", "check", self.good, "--contract", self.write(), "--mutate", expect=2).err)

    def test_a_fault_without_effect_is_told_apart(self):
        """Gray pictures have no order of channels."""
        from PIL import Image

        gray = self.folder / "gray"
        gray.mkdir()
        for file in sorted((MODELS / "data" / "test").iterdir())[:4]:
            Image.open(file).convert("L").convert("RGB").save(gray / (file.stem + ".png"))
        result = json.loads(run("contract", "check", MODEL, "--recipe", RECIPE, "--data", gray, "--contract", self.write(answers=None), "--mutate", "--json",
                                expect={0, 3}).out)
        (order,) = [one for one in result["faults"] if one["kind"] == "channel_order"]
        self.assertEqual((order["effect"], order["answers_changed"], order["caught_by"]), ("none", 0, []))

    def test_faults_behind_the_model_change_the_recorded_answer(self):
        labels = self.folder / "names.txt"
        labels.write_text("".join(f"sign {i}\n" for i in range(12)))
        recipe = f"{RECIPE} || topk(3) | labels({labels})"
        trace, path = self.folder / "a.mcap", self.folder / "answers.json"
        run("run", MODEL, "--recipe", recipe, *DATA, "--frames", 24, "--trace", trace, expect=0)
        run("contract", "learn", trace, "-o", path, expect=0)
        contract = json.loads(path.read_text())
        self.assertEqual(contract["answers"]["items"], [3, 3])
        result = json.loads(
            run("contract", "check", MODEL, "--recipe", recipe, *DATA, "--frames", 5, "--contract", path, "--mutate", "--json", expect={0, 3}).out)
        behind = {one["what"]: one for one in result["faults"] if one["kind"] == "postprocessing"}
        self.assertEqual(behind["one answer more"]["answers_changed"], 5)
        self.assertIn("answers.items", behind["one answer more"]["caught_by"])
        self.assertEqual(behind["labels one line too far"]["answers_changed"], 5)
        self.assertTrue(all(one["caught_by"] for one in behind.values() if one["effect"] == "matters"), behind)
        for what in ("labels one line too far", "labels sorted by the alphabet", "softmax once more"):
            self.assertIn("recipe.answers", behind[what]["caught_by"])

    def test_update_says_each_change_and_keeps_what_holds(self):
        path = self.write(assertions=["frame.input.max <= 1.001"], answers={**self.contract["answers"], "metric": {"name": "top1_accuracy", "least": 0.999}})
        before = json.loads(path.read_text())
        before["inputs"]["image"].update(range=[-0.1, 0.1], margin=0.05)
        path.write_text(json.dumps(before))
        self.assertEqual(run("contract", "check", self.good, "--contract", path, "--json").returncode, 3)
        done = run("contract", "update", self.good, "--contract", path, expect=0)
        after = json.loads(path.read_text())
        self.assertIn("inputs.image.range: [-0.1,0.1] → ", done.out)
        self.assertLessEqual(after["inputs"]["image"]["range"][0], -0.9)
        self.assertEqual(after["inputs"]["image"]["margin"], 0.05)  # the user's
        self.assertLess(after["answers"]["metric"]["least"], 0.999)
        for key in ("outputs", "stages", "recipe", "assertions"):
            self.assertEqual(after[key], before[key])
        self.assertEqual(run("contract", "check", self.good, "--contract", path).returncode, 0)
        text = path.read_bytes()
        self.assertIn("nothing to change", run("contract", "update", self.good, "--contract", path, expect=0).out)
        self.assertEqual(path.read_bytes(), text)

    def test_update_takes_over_another_recipe_and_leaves_lines_of_the_user(self):
        path = self.write(assertions=["frame.input.max < -3"])
        trace = self.folder / "t.mcap"
        run("run", MODEL, "--recipe", BGR, *DATA, "--frames", 48, "--trace", trace, expect=0)
        done = run("contract", "update", trace, "--contract", path, expect=3)  # the line still fails
        self.assertIn("color(rgb)", done.out)
        self.assertIn("assertions[0]", done.out)
        after = json.loads(path.read_text())
        self.assertEqual(after["recipe"], BGR)
        self.assertEqual(after["assertions"], ["frame.input.max < -3"])

    def test_update_never_takes_over_a_fault(self):
        path, trace = self.write(), self.folder / "t.mcap"
        text = path.read_bytes()
        run("run", MODEL, "--recipe", BGR, *DATA, "--frames", 48, "--trace", trace, "--undeclared", expect=0)
        done = run("contract", "update", trace, "--contract", path, expect=3)  # the recipe is the contract's, the inputs are not
        self.assertIn("recipe.channel_order", done.out)
        self.assertEqual(path.read_bytes(), text)

    def test_python_functions_judge_frames_and_one_that_fails_stops_no_other(self):
        (self.folder / "checks.py").write_text(
            "import os, time\n\ndef holds(frame):\n    assert frame['model_input/image'].shape == (1, 64, 64, 3)\n\n"
            "def bright(frame):\n    print('noise')\n    return bool(frame['model_input/image'].max() < -2)\n\n"
            "def says(frame):\n    return 'too dark' if frame.number == 5 else None\n\n"
            "def throws(frame):\n    if frame.number == 3:\n        raise KeyError('lux')\n\n"
            "def hangs(frame):\n    if frame.number == 2:\n        time.sleep(6000)\n\n"
            "def dies(frame):\n    if frame.number == 4:\n        os._exit(7)\n\ndef odd(frame):\n    return 3.5\n")
        names = ["hangs", "throws", "dies", "holds", "bright", "says", "odd", "missing"]
        path = self.write(python=[f"checks.py:{name}" for name in names] + ["nowhere.py:f"])
        result = json.loads(run("contract", "check", self.good, "--contract", path, "--python", sys.executable, "--time-limit", 10, "--json", expect=3).out)
        by_name = {one["id"].split(":")[-1]: one for one in result["assertions"] if one["id"].startswith("python.")}
        states = {name: one["state"] for name, one in by_name.items()}
        self.assertEqual(states, {"hangs": "cannot_tell", "throws": "cannot_tell", "dies": "cannot_tell", "holds": "passes", "bright": "fails", "says": "fails",
                                  "odd": "cannot_tell", "missing": "cannot_tell", "f": "cannot_tell"})
        self.assertEqual((by_name["bright"]["frames_failing"], by_name["bright"]["frames"], by_name["bright"]["frame"]), (48, 48, 0))
        self.assertEqual((by_name["says"]["frame"], by_name["says"]["frames_failing"], by_name["says"]["why"]), (5, 1, "too dark"))
        self.assertTrue(by_name["says"]["sample"])
        self.assertIn("10 s behind frame 1", by_name["hangs"]["why"])
        self.assertIn("KeyError: 'lux' (checks.py line 15), in 1 of 48 frames", by_name["throws"]["why"])
        self.assertIn("exit code 7", by_name["dies"]["why"])
        self.assertIn("it returned float", by_name["odd"]["why"])
        self.assertIn("no function 'missing'", by_name["missing"]["why"])
        self.assertIn("no such file", by_name["f"]["why"])

    def ci(self, snippet, recipe):
        """Runs the shell of a snippet as its service does, each step with `bash -e`; pip alone is a stand-in: tests have no network."""
        place = self.folder / "checkout"
        (place / "models").mkdir(parents=True, exist_ok=True)
        if not (place / "models" / "data").exists():
            for file in (MODELS / "signs_float.tflite", MODELS / "data"):
                (place / "models" / file.name).symlink_to(file)
            (place / "edgeprobe-0-cp311.whl").touch()
            (place / "bin").mkdir()
            (place / "bin" / "edgeprobe").symlink_to(tool.EXECUTABLE)
            (place / "bin" / "pip").write_text("#!/bin/sh\ntest \"$1\" = install && test -f \"$2\" && echo \"$@\" >> pip.log\n")
            (place / "bin" / "pip").chmod(0o755)
        (place / "models" / "signs.recipe").write_text(recipe)
        (place / "contract.json").write_text(json.dumps(self.contract))
        (place / "app.mcap").unlink(missing_ok=True)
        environment = {**os.environ, "PATH": f"{place / 'bin'}:{os.environ['PATH']}"}
        for step in snippet:
            done = subprocess.run(["bash", "-e", "-c", step], cwd=place, env=environment, capture_output=True, text=True, timeout=tool.PATIENCE, stdin=subprocess.DEVNULL)
            if done.returncode:
                return done.returncode, place
        return 0, place

    def test_the_snippets_for_github_and_gitlab_run(self):
        github, gitlab = re.findall(r"```yaml\n(.*?)```", GUIDE, re.S)
        steps = [re.sub(r"^ {10}", "", block, flags=re.M) if block.startswith("\n") else block
                 for block in (m[0] or m[1] for m in re.findall(r"^ {8}run: (?:\|((?:\n {10}.*)+)|(.*))", github, re.M))]
        script = re.findall(r"^    - (.*)", re.search(r"  script:\n((?:    - .*\n)+)", gitlab)[1], re.M)
        self.assertEqual((len(steps), len(script)), (2, 3))
        for snippet in (steps, script):
            code, place = self.ci(snippet, RECIPE)
            self.assertEqual(code, 0)
            self.assertIn("<testsuite ", (place / "contract.xml").read_text())
            code, place = self.ci(snippet, BGR)
            self.assertEqual(code, 3)
            self.assertIn("name=\"recipe.channel_order\">\n<failure", (place / "contract.xml").read_text())
        self.assertEqual(len((place / "pip.log").read_text().splitlines()), 4)


if __name__ == "__main__":
    tool.main()
