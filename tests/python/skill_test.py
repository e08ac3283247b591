# SPDX-License-Identifier: Apache-2.0
"""The commands of skills/edgeprobe/SKILL.md, run unchanged, and the page's statements about verbs and flags."""
import json
import os
import re
import shutil
import subprocess
import sys

import support

import numpy as np
from PIL import Image

import edgeprobe
from support import MODELS, ROOT

SKILL = ROOT / "skills" / "edgeprobe" / "SKILL.md"
TEXT = SKILL.read_text()
# : Exit codes of commands that find something.
ENDS = {"edgeprobe check": 3, "edgeprobe diagnose": 3, "edgeprobe compare": 3, "edgeprobe contract check": 3, "edgeprobe why": 3}


class SkillTest(support.PackageTest):
    def test_the_front_matter_is_what_assistants_read(self):
        lines = TEXT.splitlines()
        self.assertLessEqual(len(lines), 150)
        self.assertEqual((lines[0], lines[3]), ("---", "---"))
        about = dict(line.split(": ", 1) for line in lines[1:3])
        self.assertEqual(about["name"], SKILL.parent.name)
        self.assertRegex(about["name"], r"^[a-z0-9-]{1,64}$")
        self.assertLessEqual(len(about["description"]), 1024)
        self.assertNotRegex(about["description"], r"[<>]|: ")  # a plain scalar of YAML

    def test_each_command_runs(self):
        recipe = (MODELS / "signs.recipe").read_text().strip()
        pictures = self.folder / "pictures"
        pictures.mkdir()
        for picture in sorted((MODELS / "data" / "test").glob("*.png")):
            shutil.copy(picture, pictures)
        for name, source in (("net.tflite", "signs_float.tflite"), ("net_int8.tflite", "signs_int8.tflite"), ("train.recipe", "signs.recipe"), ("labels.csv", "data/labels.csv")):
            shutil.copy(MODELS / source, self.folder / name)
        # A label file must name existing pictures.
        names = {picture.name for picture in pictures.iterdir()}
        rows = (self.folder / "labels.csv").read_text().splitlines()
        (self.folder / "labels.csv").write_text("\n".join([rows[0], *(row for row in rows[1:] if row.split(",")[0] in names)]) + "\n")
        shutil.copy(next(iter(sorted(pictures.iterdir()))), self.folder / "photo.png")
        (self.folder / "app.recipe").write_text(recipe.replace("rgb", "bgr") + " | quantize(model)\n")
        run = {"data": pictures, "frames": 24}
        edgeprobe.run(MODELS / "signs_float.tflite", recipe=recipe, trace=self.folder / "yesterday.mcap", **run)
        edgeprobe.run(MODELS / "signs_float.tflite", recipe=recipe.replace("rgb", "bgr"), undeclared=True, trace=self.folder / "today.mcap", **run)
        picture = np.asarray(Image.open(self.folder / "photo.png").convert("RGB").resize((64, 64)), np.float32)
        np.save(self.folder / "notebook.npy", picture)
        np.save(self.folder / "phone.npy", picture[:, :, ::-1])
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "edgeprobe").symlink_to(edgeprobe.executable())
        (self.folder / "bin" / "python3").symlink_to(sys.executable)
        environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        said = {}
        for block in re.findall(r"^```\w*\n(.*?)^```$", TEXT, re.M | re.S):
            if block.startswith("import "):
                done = subprocess.run([sys.executable, "-c", block], cwd=self.folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                with edgeprobe.load(self.folder / "app.mcap") as trace:
                    self.assertEqual([frame.sample for frame in trace.frames], ["photo.png"])
                # The following commands read the recording of the user's app: here one with a fault, and with more pictures.
                edgeprobe.run(MODELS / "signs_int8.tflite", recipe=self.folder / "app.recipe", undeclared=True, trace=self.folder / "app.mcap", force=True, **run)
                continue
            for line in block.splitlines():
                with self.subTest(command=line):
                    short = line.replace("--duration 2", "--duration 0.2")
                    done = subprocess.run(["bash", "-c", short], cwd=self.folder, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL)
                    wanted = next((code for begin, code in ENDS.items() if line.startswith(begin + " ")), 0)
                    self.assertEqual(done.returncode, wanted, line + "\n" + done.stdout[-2000:] + done.stderr[-2000:])
                    said[line] = done.stdout
        self.assertGreater(len(said), 12)
        for name in ("verdict.json", "app.json"):
            self.assertEqual([(c["kind"], c["status"]) for c in json.loads((self.folder / name).read_text())["causes"]], [("channel_order", "confirmed")])
        (shown,) = [text for line, text in said.items() if line.startswith("python3")]
        self.assertTrue(shown.startswith("differs | the app feeds BGR"), shown)
        self.assertIn("confirmed channel_order the app feeds BGR", shown)
        self.assertTrue((self.folder / "fix" / "fix.json").exists())

    def test_verbs_flags_and_words_are_there(self):
        helps = {}
        for verb in re.findall(r"`([a-z]+(?: [a-z]+)?)(?: --[a-z-]+)?`(?=[^|]*\|\n)|, `(bench diff|contract check)`", TEXT.split("## First")[0]):
            verb = verb[0] or verb[1]
            helps[verb] = subprocess.run([edgeprobe.executable(), *verb.split(), "--help-all"], capture_output=True, text=True).returncode
        self.assertEqual(set(helps), {"check", "diagnose", "compare", "why", "inspect", "matrix", "bisect", "bench", "bench diff", "contract learn", "contract check"})
        self.assertEqual(set(helps.values()), {0})
        schema = json.loads((ROOT / "docs/reference/report.schema.json").read_text())
        statuses = set(schema["$defs"]["cause"]["properties"]["status"]["enum"])
        said = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", TEXT.split("| `status` of a cause")[1], re.M))))
        self.assertEqual(said, statuses)
        for verdict in schema["properties"]["verdict"]["enum"]:
            self.assertIn(f"| `{verdict}` |", TEXT)
        for key in ("would_decide", "warnings", "causes", "task"):
            self.assertIn(key, schema["properties"])
        self.assertIn("restored", schema["$defs"]["cause"]["properties"])


if __name__ == "__main__":
    support.main()
