# SPDX-License-Identifier: Apache-2.0
"""contract check --mutate and the snippets for CI: what they say is checked by other routes. Words: console/contract-faults.md."""
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
