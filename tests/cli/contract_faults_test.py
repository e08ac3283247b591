# SPDX-License-Identifier: Apache-2.0
"""contract check --mutate and the commands of the guide for CI; other routes confirm their results. Words: console/contract-faults.md."""
import json
import os
import re
import subprocess

import numpy as np

import tool
import traces
from tool import MODELS, RECIPE, ROOT, run

MODEL = MODELS / "signs_float.tflite"
DATA = ["--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv"]
BGR = RECIPE.replace("color(rgb)", "color(bgr)")
GUIDE = (ROOT / "docs" / "guides" / "contracts.md").read_text()


class FaultsTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        good, self.path = self.folder / "good.mcap", self.folder / "contract.json"
        run("run", MODEL, "--recipe", RECIPE, *DATA, "--frames", 48, "--trace", good, expect=0)
        run("contract", "learn", good, "-o", self.path, expect=0)
        self.contract = json.loads(self.path.read_text())

    def mutate(self, data, expect):
        return json.loads(run("contract", "check", MODEL, "--recipe", RECIPE, *data, "--contract", self.path, "--mutate", "--json", expect=expect).out)

    def test_what_a_fault_does_is_what_it_does_when_it_is_run_by_itself(self):
        """Classes and distances from two traces of `run`, read with NumPy."""
        result = self.mutate([*DATA, "--frames", 5], expect=0)
        recorded = {}
        for name, recipe in (("right", RECIPE), *((one["what"], one["recipe"]) for one in result["faults"][:4])):
            path = self.folder / "one.mcap"
            run("run", MODEL, "--recipe", recipe, *DATA, "--frames", 5, "--trace", path, "--force", expect=0)
            recorded[name] = traces.tensors(path, "model_output")
        for one in result["faults"][:4]:
            pairs = [(values, recorded[one["what"]][frame][name]) for frame, named in sorted(recorded["right"].items()) for name, values in named.items()]
            self.assertEqual(one["answers_changed"], sum(a.argmax() != b.argmax() for a, b in pairs))
            self.assertAlmostEqual(one["output_distance"], np.mean([np.abs(a.astype(float) - b).sum() / 2 for a, b in pairs]), places=5)
            self.assertEqual(one["frames"], 5)

    def test_a_fault_without_effect_is_told_apart(self):
        """Gray pictures have no order of channels."""
        from PIL import Image

        gray = self.folder / "gray"
        gray.mkdir()
        for file in sorted((MODELS / "data" / "test").iterdir())[:4]:
            Image.open(file).convert("L").convert("RGB").save(gray / (file.stem + ".png"))
        del self.contract["answers"]
        self.path.write_text(json.dumps(self.contract))
        result = self.mutate(["--data", gray], expect={0, 3})
        (order,) = [one for one in result["faults"] if one["kind"] == "channel_order"]
        self.assertEqual((order["effect"], order["answers_changed"], order["caught_by"]), ("none", 0, []))

    def test_the_commands_of_the_guide_run(self):
        """The commands of a job without an app; tests/ci/judge_test.py runs the workflows with one."""
        commands = re.search(r"^## In CI\n.*?^Without an app .*?^```\n(.*?)^```", GUIDE, re.S | re.M)[1]
        self.assertEqual(len(commands.splitlines()), 2)
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "edgeprobe").symlink_to(tool.EXECUTABLE)
        (self.folder / "models").mkdir()
        for file in (MODELS / "signs_float.tflite", MODELS / "data"):
            (self.folder / "models" / file.name).symlink_to(file)
        environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        for recipe, code, words in ((RECIPE, 0, 'name="recipe.channel_order"/>'), (BGR, 3, 'name="recipe.channel_order">\n<failure')):
            (self.folder / "models" / "signs.recipe").write_text(recipe)
            (self.folder / "app.mcap").unlink(missing_ok=True)
            done = subprocess.run(["bash", "-e", "-c", commands], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=tool.PATIENCE,
                                  stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            self.assertIn(words, (self.folder / "contract.xml").read_text())


if __name__ == "__main__":
    tool.main()
