# SPDX-License-Identifier: Apache-2.0
"""Every verb's help has an example that runs, and docs/reference/verbs.md and the README contain the verb."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
from PIL import Image

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "mcu"))
import stand_in_transforms
import tool
import wire
from tool import MODELS, ROOT, run

# Exit codes other than 0: these examples find a difference.
# Several codes are possible: other programs may leave too few quiet runs, and which of two models is faster depends on the machine. The same holds for
# whether 8-bit products saturate: OpenVINO's do on processors with AVX2 and without VNNI, and `matrix` reports this.
ENDS = (("edgeprobe check ", (3,)), ("edgeprobe why ", (3,)), ("edgeprobe bench diff ", (0, 3, 4)), ("edgeprobe stretch table ", (0, 4)), ("edgeprobe stretch search ", (0, 4)), ("edgeprobe stretch shape ", (0, 4)), ("edgeprobe matrix ", (0, 3)),
        ("edgeprobe mcp ", (1,)),  # the Python package provides this verb
        ("edgeprobe onnx-conversion ", (1,)),  # it fetches packages, like
        ("edgeprobe fetch ", (1,)),  # tests have no network: no server listens at the index's address
        ("edgeprobe stretch train ", (2,)),  # its network is the result of another verb
        ("edgeprobe train ", (2,)))  # the few pictures here lack classes; with all of them, it would fetch Keras
PREP = "import numpy as np\n\ndef preprocess(image):\n    return np.zeros((1, 64, 64, 3), np.float32)\n"


def verbs(*group):
    """All verbs in the help, including those of groups."""
    text = run(*group, "--help", expect=0).out
    listed = re.search(r"^Verbs:\n((?:  .*\n)+)", text, re.M)
    if not listed:
        return [" ".join(group)] if group else []
    own = [" ".join(group)] if group and "\nPositionals:\n" in text else []  # bench is a verb, and so is bench diff
    return own + [verb for name in re.findall(r"^  ([\w-]+)", listed.group(1), re.M) for verb in verbs(*group, name)]


def flags(text):
    return {name for names in re.findall(r"^  (-\S+)", text, re.M) for name in names.split(",")}


class HelpTest(tool.ToolTest):
    def test_no_line_but_an_example_is_wider_than_the_terminal(self):
        for width in (60, 80, 132):
            for words in ([], ["check"], ["check", "--help-all"], ["bench", "diff", "--help-all"], ["trace"]):
                text = run(*words, *([] if "--help-all" in words else ["--help"]), expect=0, env={"COLUMNS": str(width)}).out
                lines = text.split("\nExample:\n")[0].splitlines()
                # A flag with the word for its value, and a single word, are never cut.
                wide = [line for line in lines if len(line) > width and not re.fullmatch(r"  -\S+( \S+)?( REQUIRED)?| *\S+", line)]
                self.assertEqual(wide, [], words)
                if "--help-all" in words:  # long enough to fill its lines
                    self.assertGreater(max(map(len, lines)), width * 0.8, words)

    def test_a_short_help_leads_to_the_whole_one(self):
        for verb in ("check", "diagnose", "run", "bench", "contract learn"):
            short, whole = (run(*verb.split(), more, expect=0).out for more in ("--help", "--help-all"))
            self.assertLess(len(short.splitlines()), 50, verb)
            self.assertLess(flags(short) - {"--help-all"}, flags(whole), verb)
            self.assertIn(f"All {len(re.findall(r'^  -', whole, re.M))} options", short)
        self.assertNotIn("--help-all", run("trace", "info", "--help", expect=0).out)

    def test_help_and_version_in_the_other_usual_ways(self):
        for words, as_these in ((["help"], ["--help"]), (["help", "check"], ["check", "--help"]), (["help", "trace", "info"], ["trace", "info", "--help"]),
                                (["check", "help"], ["check", "--help"]), (["trace", "info", "help"], ["trace", "info", "--help"]), (["trace", "help"], ["trace", "--help"]),
                                (["version"], ["--version"]), (["-V"], ["--version"])):
            self.assertEqual(run(*words, expect=0).out, run(*as_these, expect=0).out, words)
        self.assertIn("'chek' is neither a verb nor a plug-in; did you mean 'check'?", run("help", "chek", expect=2).err)

    def test_without_a_verb_the_help_is_shown_and_nothing_agrees(self):
        for words in ([], ["contract"], ["trace"]):
            done = run(*words, expect=2)
            self.assertEqual((done.out, done.err), (run(*words, "--help", expect=0).out, ""))

    def examples(self, verb):
        text = run(*verb.split(), "--help", expect=0).out
        self.assertIn("\nExample:\n", text, verb)
        lines = text.split("\nExample:\n")[1].replace("\\\n", " ").strip().splitlines()
        self.assertTrue(all(line.strip().startswith("edgeprobe " + verb.split()[0]) for line in lines), lines)
        return [line.strip() for line in lines]

    def test_every_verb_is_in_the_docs(self):
        page, readme = (ROOT / "docs" / "reference" / "verbs.md").read_text(), (ROOT / "README.md").read_text()
        names = verbs()
        self.assertGreater(len(names), 12)
        for verb in names:
            self.assertIn(f"| `{verb}` |", page)
            self.assertIn(verb.split()[0], re.findall(r"`([\w-]+)", readme))
        self.assertEqual(len(re.findall(r"^\| `[a-z -]+` \|", page.split("## What a reference")[0], re.M)), len(names))

    def test_examples_run_as_they_are_printed(self):
        data = self.folder / "models" / "data"
        (data / "test").mkdir(parents=True)
        for file in sorted((MODELS / "data" / "test").iterdir())[:24]:
            shutil.copy(file, data / "test")
        shutil.copy(MODELS / "data" / "labels.csv", data)
        for file in ("signs_float.tflite", "signs_int8.tflite", "signs_float.onnx", "inception_like.onnx", "signs.recipe", "signs_nchw.recipe", "signs.yml"):
            shutil.copy(MODELS / file, self.folder / "models")
        shutil.copytree(MODELS / "families", self.folder / "models" / "families")
        shutil.copytree(ROOT / "tests" / "evidence", self.folder / "tests" / "evidence")
        shutil.copy(next((MODELS / "data" / "test").glob("*.jpg")), self.folder / "photo.jpg")
        (self.folder / "prep.py").write_text(PREP)
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "edgeprobe").symlink_to(tool.EXECUTABLE)
        environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "EDGEPROBE_PYTHON": sys.executable,
                       "XDG_CACHE_HOME": str(self.folder / "cache"), "PIP_INDEX_URL": "http://127.0.0.1:9/simple"}
        names = verbs()
        for verb in ["run", *(v for v in names if v != "run")]:  # the other verbs need its trace
            for line in self.examples(verb):
                with self.subTest(example=line):
                    self.prepare(line)
                    if verb in ("convert", "optimize"):  # without this package, an environment would be downloaded
                        line += f" --python {sys.executable}" + (" --duration 0.1" if verb == "optimize" else "")
                    # Without these flags, it takes a minute and a half on a busy machine.
                    if verb in ("stretch search", "stretch table"):
                        line += " --seconds 0.02 --rounds 1" + (" --best 1" if verb == "stretch search" else "")
                    if line.startswith(("edgeprobe bench models", "edgeprobe bench diff models")) and "--duration" not in line:
                        line += " --duration 0.1 --warm-up 0.05"
                    if verb == "stretch shape":
                        line += " --rounds 1 --grid 32"
                    if verb == "stretch profile":
                        line += " --seconds 0.02"
                    if verb == "serve":
                        self.serve(line, environment)
                        continue
                    done = subprocess.run(["bash", "-c", line], cwd=self.folder, env=environment, capture_output=True, text=True,
                                          stdin=subprocess.DEVNULL, timeout=tool.PATIENCE)
                    codes = next((codes for begin, codes in ENDS if line.startswith(begin)), (0,))
                    self.assertIn(done.returncode, codes, line + "\n" + done.stderr[-2000:])

    def serve(self, line, environment):
        """Runs until it is stopped, on its own port: another program may use the page's port."""
        process = subprocess.Popen(["bash", "-c", "exec " + line.replace(":12345", ":0")], cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        self.assertRegex(process.stdout.readline(), "^listening on ")
        process.terminate()
        self.assertEqual(process.wait(tool.PATIENCE), 0, process.communicate())

    def prepare(self, line):
        """The user's files that an example names: copies of the trace that `run` made."""
        for name in ("yesterday.mcap", "today.mcap"):
            if name in line:
                shutil.copy(self.folder / "t.mcap", self.folder / name)
        if "phone.npy" in line:  # dumps of one picture by an app and a notebook
            picture = np.asarray(Image.open(self.folder / "photo.jpg").convert("RGB").resize((64, 64))) / np.float32(255)
            np.save(self.folder / "notebook.npy", picture[None])
            np.save(self.folder / "phone.npy", picture[None, ..., ::-1])
        if "transforms.py" in line:
            (self.folder / "transforms.py").write_text(stand_in_transforms.source(ROOT / "tests" / "cli", evaluation="Compose([Resize(64), ToTensor()])"))
        if "uart.bin" in line:  # data sent by a microcontroller
            (self.folder / "uart.bin").write_bytes(wire.small_recording())
        if "golden.npz" in line:
            run("trace", "export", self.folder / "t.mcap", "--npz", self.folder / "golden.npz", expect=0)
        for word in line.split():
            if "bench diff" in line and word.endswith(".json"):  # one measurement used many times: figures of a busy machine may differ
                if not (self.folder / "one.json").exists():
                    run("bench", MODELS / "signs_float.tflite", "--runs", 50, "--json", self.folder / "one.json", expect=0)
                shutil.copy(self.folder / "one.json", self.folder / word)
        if "r.mcap" in line:
            (self.folder / "r.mcap").unlink(missing_ok=True)
        if line.startswith("edgeprobe report"):
            for part in line.split():
                if part.endswith(".mcap"):
                    (self.folder / part).parent.mkdir(parents=True)
                    shutil.copy(self.folder / "t.mcap", self.folder / part)


if __name__ == "__main__":
    tool.main()
