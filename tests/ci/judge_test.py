# SPDX-License-Identifier: Apache-2.0
"""The steps of the GitHub action and the GitLab template, run by bash as by their runners, on our model with and without a fault."""
import functools
import http.server
import io
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import threading
import xml.etree.ElementTree as ElementTree
import zipfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT / "tests" / "cli"), str(ROOT / "tests" / "report")]
import tool
from sarif_form import results_of
from tool import MODELS, RECIPE, run

DATA = ["--data", MODELS / "data" / "test", "--frames", 24]
PAGE = (ROOT / "docs" / "guides" / "pull-requests.md").read_text()
GITHUB, GITLAB = ROOT / "ci" / "github" / "action.yml", ROOT / "ci" / "gitlab" / "template.yml"


def words(*command):
    return " ".join(shlex.quote(str(word)) for word in command)


def filled(node, sign, inputs):
    """Replaces each `sign` … `inputs.NAME` … in the text, in a whole document."""
    if isinstance(node, dict):
        return {filled(key, sign, inputs): filled(value, sign, inputs) for key, value in node.items()}
    if isinstance(node, list):
        return [filled(value, sign, inputs) for value in node]
    return re.sub(sign, lambda place: inputs[place[1]], node) if isinstance(node, str) else node


class JudgeTest(tool.ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = cls.class_folder()
        run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, *DATA, "--trace", cls.shared / "good.mcap", expect=0)
        run("contract", "learn", cls.shared / "good.mcap", "-o", cls.shared / "contract.json", expect=0)
        cls.line = next(number for number, text in enumerate((cls.shared / "contract.json").read_text().splitlines(), 1) if '"recipe"' in text)

    def setUp(self):
        super().setUp()
        (self.folder / ".git").mkdir()
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "edgeprobe").symlink_to(tool.EXECUTABLE)
        self.workspace = self.folder / "app"
        self.workspace.mkdir()
        shutil.copy(self.shared / "contract.json", self.workspace)
        self.environment = {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "HOME": str(self.folder), "TMPDIR": str(self.folder)}

    def app(self, recipe=RECIPE):
        """Judges an app by its first frames; the app is `run` with our model."""
        return words("contract", "check", "app.mcap", "--contract", "contract.json", "--follow", "--", tool.EXECUTABLE, "run", MODELS / "signs_float.tflite",
                     "--recipe", recipe, *DATA, "--undeclared", "--trace", "app.mcap")

    def bash(self, script, environment):
        path = self.folder / "step.sh"
        path.write_text(script)
        return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", path], cwd=self.workspace, env={**self.environment, **environment},
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=tool.PATIENCE)

    def github(self, expect, **inputs):
        """The output that the steps print, their output variables, and the summary of the job."""
        action = yaml.safe_load(GITHUB.read_text())
        given = {name: one.get("default") for name, one in action["inputs"].items()} | inputs
        self.assertNotIn(None, given.values())
        outputs, summary = self.folder / "outputs", self.folder / "summary"
        summary.write_text("of a step before\n")
        outputs.write_text("")
        (step,) = action["runs"]["steps"]
        self.assertNotIn("${{", step["run"])  # an input is data, never a part of the script
        done = self.bash(step["run"], {
            **filled(step["env"], r"\$\{\{ inputs\.(\w+) \}\}", given), "GITHUB_ACTIONS": "true", "CI": "true", "GITHUB_ACTION_PATH": str(GITHUB.parent),
            "GITHUB_WORKSPACE": str(self.folder), "GITHUB_OUTPUT": str(outputs), "GITHUB_STEP_SUMMARY": str(summary), "RUNNER_TEMP": str(self.folder)})
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        named = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
        self.assertLessEqual({re.fullmatch(r"\$\{\{ steps\.judge\.outputs\.(\w+) \}\}", one["value"])[1] for one in action["outputs"].values()}, set(named))
        return done, named, summary.read_text()

    def gitlab(self, expect, **inputs):
        text = GITLAB.read_text()
        head, _ = yaml.safe_load_all(text)
        given = {name: (one or {}).get("default") for name, one in head["spec"]["inputs"].items()} | {"judge": str(ROOT / "ci" / "judge")} | inputs
        # GitLab replaces the inputs in the text before it parses the YAML.
        (name, job), = yaml.safe_load(filled(text.split("\n---\n")[1], r"\$\[\[ inputs\.(\w+) \]\]", given)).items()
        self.assertEqual(name, "edgeprobe")
        done = self.bash("\n".join(job["script"]), {**job["variables"], "GITLAB_CI": "true", "CI": "true", "CI_PROJECT_DIR": str(self.workspace)})
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        kept = self.workspace / job["artifacts"]["reports"]["junit"]
        self.assertEqual([self.workspace / path for path in job["artifacts"]["paths"]], [kept.parent])
        return done, kept

    def reports(self, outcome, folder="edgeprobe-report"):
        """Reads each file that a verdict writes with another reader; returns the results and the failing cases."""
        folder = self.workspace / folder
        self.assertEqual(json.loads((folder / "verdict.json").read_text()).get("outcome", json.loads((folder / "verdict.json").read_text()).get("verdict")), outcome)
        self.assertIn(f": {outcome}\n", (folder / "comment.md").read_text())
        cases = list(ElementTree.parse(folder / "edgeprobe.xml").getroot()[0])
        self.assertGreater(len(cases), 0)
        return results_of(json.loads((folder / "edgeprobe.sarif").read_text())), [case.get("name") for case in cases if case.find("failure") is not None]

    def test_github_a_healthy_app(self):
        done, outputs, summary = self.github(0, command=self.app())
        self.assertEqual(self.reports("agrees"), ([], []))
        self.assertEqual(outputs, {"verdict": "agrees", "folder": "edgeprobe-report"})
        self.assertEqual(summary, "of a step before\n" + (self.workspace / "edgeprobe-report" / "comment.md").read_text())
        self.assertEqual(self.commands(done), [])

    def commands(self, done):
        """The lines that the runner obeys: in both streams, except between a stop and its token."""
        lines, token = [], None
        for line in (done.stderr + done.stdout).splitlines():
            line = line.lstrip()
            if token is None and line.startswith("::stop-commands::"):
                token = line.removeprefix("::stop-commands::")
                self.assertRegex(token, r"^[0-9a-f]{32}$")
            elif token is not None:
                token = None if line == f"::{token}::" else token
            elif line.startswith("::"):
                lines.append(line)
        self.assertIsNone(token)
        return lines

    def test_an_app_and_a_name_give_the_runner_no_commands(self):
        """Neither the app's two streams nor a picture's name at the beginning of a line of the verdict may contain commands."""
        fault = self.folder / "fault"
        fault.mkdir()
        for file in sorted((MODELS / "data" / "test").iterdir())[:8]:
            shutil.copy(file, fault / f"a ::add-mask::{file.stem} ::error::c{file.suffix}")
        app = self.workspace / "app"
        app.write_text("#!/bin/sh\necho ::error::out\necho ::error::err >&2\nexec " + words(
            tool.EXECUTABLE, "run", MODELS / "signs_float.tflite", "--recipe", RECIPE.replace("rgb", "bgr"), "--data", fault, "--undeclared",
            "--trace", "app.mcap") + "\n")
        app.chmod(0o755)
        done, *_ = self.github(3, command="contract check app.mcap --contract contract.json --follow -- ./app")
        self.assertIn("::error::out", done.stdout)
        self.assertIn("::error::err", done.stdout)
        commands = self.commands(done)
        self.assertEqual([line.split(",")[0] for line in commands], ["::error file=app/contract.json"] * 2)

    def test_github_an_app_with_a_fault(self):
        done, outputs, summary = self.github(3, command=self.app(RECIPE.replace("rgb", "bgr")), folder="of this run")
        results, failing = self.reports("differs", "of this run")
        self.assertEqual(failing, ["recipe", "recipe.channel_order"])
        self.assertEqual([one["ruleId"] for one in results], failing)
        self.assertEqual(outputs, {"verdict": "differs", "folder": "of this run"})
        self.assertIn("the app feeds BGR; the reference feeds RGB", summary)
        self.assertIn(f"::error file=app/contract.json,line={self.line},title=edgeprobe%3A recipe.channel_order::the app feeds BGR; the reference feeds RGB%0A",
                      done.stdout)
        place = results[1]["locations"][0]["physicalLocation"]
        self.assertEqual((place["artifactLocation"]["uri"], place["region"]["startLine"]), ("app/contract.json", self.line))

    def test_github_a_model_with_a_fault(self):
        (self.workspace / "app.recipe").write_text(RECIPE.replace("rgb", "bgr") + "\n")
        self.github(3, command=words("check", MODELS / "signs_float.tflite", "--recipe", "app.recipe", "--reference", MODELS / "signs_float.tflite",
                                     "--reference-recipe", RECIPE, *DATA, "--level", "io"))
        (result,), failing = self.reports("differs")
        self.assertEqual(failing, ["verdict", "channel_order"])
        self.assertEqual(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "app/app.recipe")
        self.assertIn("<footer>Made by edgeprobe.", (self.workspace / "edgeprobe-report" / "page.html").read_text())
        self.assertIn("page.html", (self.workspace / "edgeprobe-report" / "comment.md").read_text())
        # A recipe given as text has no file, so the model is named; here it is outside of the repository.
        self.github(3, command=words("check", MODELS / "signs_float.tflite", "--recipe", RECIPE.replace("rgb", "bgr"), "--reference",
                                     MODELS / "signs_float.tflite", "--reference-recipe", RECIPE, *DATA, "--level", "io"))
        (result,), _ = self.reports("differs")
        self.assertEqual(result["locations"][0]["physicalLocation"]["artifactLocation"], {"uri": (MODELS / "signs_float.tflite").as_uri()})

    def test_github_without_a_verdict(self):
        for left in ("verdict.json", "comment.md"):  # an older verdict must not stay
            (self.workspace / "edgeprobe-report").mkdir(exist_ok=True)
            (self.workspace / "edgeprobe-report" / left).write_text("edgeprobe contract check: agrees\n")
        done, outputs, summary = self.github(1, command="contract check nowhere.mcap --contract contract.json")
        self.assertEqual(outputs["verdict"], "failed")
        self.assertIn("no verdict", summary)
        self.assertIn("::error title=edgeprobe::no verdict: 'edgeprobe contract check' ended with exit code 1", done.stdout)
        self.assertEqual(os.listdir(self.workspace / "edgeprobe-report"), ["comment.md"])
        self.assertEqual(len(self.commands(done)), 1)

    def test_an_input_is_no_script(self):
        self.github(1, command="contract check '$(touch ran)' --contract `touch ran`; touch ran # \"a b\"")
        self.assertFalse((self.workspace / "ran").exists())
        done, outputs, _ = self.github(2, command="doctor; touch ran")
        self.assertEqual(outputs["verdict"], "failed")
        self.assertIn("::error title=edgeprobe::no verdict: expected one of: ", done.stdout)
        self.assertIn("judge: expected one of: contract check, check, diagnose, compare; got 'doctor;'", done.stderr)

    def test_gitlab_a_healthy_app_and_one_with_a_fault(self):
        self.gitlab(0, command=self.app())
        self.assertEqual(self.reports("agrees"), ([], []))
        (self.workspace / "app.mcap").unlink()
        done, kept = self.gitlab(3, command=self.app(RECIPE.replace("rgb", "bgr")))
        self.assertEqual(self.reports("differs")[1], ["recipe", "recipe.channel_order"])
        self.assertIn("the app feeds BGR", kept.read_text())
        self.assertIn("FAILS        recipe.channel_order", done.stdout)
        self.assertNotRegex(done.stdout + done.stderr, "(?m)^::")

    def test_two_traces(self):
        shutil.copy(self.shared / "good.mcap", self.workspace)
        self.github(0, command="compare good.mcap good.mcap")
        self.assertEqual(self.reports("agrees"), ([], []))

    def own_app(self, recipe):
        """The guide's app: ./app, which records app.mcap."""
        (self.workspace / "app.mcap").unlink(missing_ok=True)
        app = self.workspace / "app"
        app.write_text("#!/bin/sh\nexec " + words(tool.EXECUTABLE, "run", MODELS / "signs_float.tflite", "--recipe", recipe, *DATA, "--undeclared",
                                                 "--trace", "app.mcap") + "\n")
        app.chmod(0o755)

    def test_the_workflows_of_the_guide_judge_an_own_app(self):
        """Runs the workflows as pasted, except for the wheel, which another case installs."""
        github, gitlab = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
        (job,) = yaml.safe_load(github)["jobs"].values()
        (step,) = [step for step in job["steps"] if step.get("uses") == "./ci/github"]
        (include,) = yaml.safe_load(gitlab)["include"]
        self.assertEqual((ROOT / include["local"]), GITLAB)
        self.assertTrue((ROOT / step["uses"] / "action.yml").exists())
        for recipe, code in ((RECIPE, 0), (RECIPE.replace("rgb", "bgr"), 3)):
            for run_with, inputs in ((self.github, step["with"]), (self.gitlab, include["inputs"])):
                self.own_app(recipe)
                run_with(code, **{**inputs, "install": ""})
                self.reports({0: "agrees", 3: "differs"}[code])
        # Later steps find what they read: their files, and the output variable that one of them uses.
        named = set(re.findall(r"edgeprobe-report/[\w.]+", github))
        self.assertEqual(named, {"edgeprobe-report/edgeprobe.sarif", "edgeprobe-report/comment.md"})
        self.assertTrue(all((self.workspace / name).exists() for name in named))
        self.assertEqual(set(re.findall(r"steps\.(\w+)\.outputs\.(\w+)", github)), {(step["id"], "verdict")})

    def test_a_wheel_is_installed(self):
        """A wheel with the program as its console script, found by a pattern; pip reaches no index."""
        program = f"#!/bin/sh\necho installed >> {self.folder / 'called'}\nexec {shlex.quote(tool.EXECUTABLE)} \"$@\"\n"
        info = "edgeprobe-0.1.dist-info"
        with zipfile.ZipFile(self.workspace / "edgeprobe-0.1-py3-none-any.whl", "w") as wheel:
            script = zipfile.ZipInfo("edgeprobe-0.1.data/scripts/edgeprobe")
            script.external_attr = 0o100755 << 16
            wheel.writestr(script, program)
            wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: edgeprobe\nVersion: 0.1\n")
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", f"edgeprobe-0.1.data/scripts/edgeprobe,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
        site = self.folder / "site"
        (self.folder / "bin" / "edgeprobe").unlink()
        # A copy: through a link, Python would use the system's installation, which may lack pip.
        python = self.folder / "bin" / "python3"
        python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
        python.chmod(0o755)
        self.environment |= {"PIP_TARGET": str(site), "PIP_NO_INDEX": "1", "PATH": f"{site / 'bin'}:{self.environment['PATH']}"}
        self.github(0, command=self.app(), install="./edgeprobe-*.whl")
        self.assertEqual((self.folder / "called").read_text(), "installed\n")
        self.reports("agrees")
        # A version without a package is that of edgeprobe; pip finds it at the place that the environment names.
        shutil.rmtree(site)
        (self.workspace / "app.mcap").unlink()
        self.environment["PIP_FIND_LINKS"] = str(self.workspace)
        self.github(0, command=self.app(), install="0.1")
        self.assertEqual((self.folder / "called").read_text(), "installed\n" * 2)
        done, *_ = self.github(2, command=self.app(), install="0.2")
        self.assertIn("judge: pip could not install: edgeprobe==0.2", done.stderr)

    def test_a_program_in_its_archive_by_path_and_by_address(self):
        (self.folder / "bin" / "edgeprobe").unlink()
        archive = self.workspace / "edgeprobe-1.0.0-linux-x86_64.tar.gz"
        with tarfile.open(archive, "w:gz", compresslevel=1) as packed:
            script = f"#!/bin/sh\necho unpacked >> {self.folder / 'called'}\nexec {shlex.quote(tool.EXECUTABLE)} \"$@\"\n".encode()
            member = tarfile.TarInfo("edgeprobe-1.0.0-linux-x86_64/edgeprobe")
            member.size, member.mode = len(script), 0o755
            packed.addfile(member, io.BytesIO(script))
        handler = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
        served = functools.partial(handler, directory=self.workspace)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), served) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{server.server_address[1]}"
            for install in (archive.name, f"{address}/{archive.name}"):
                (self.workspace / "app.mcap").unlink(missing_ok=True)
                self.github(0, command=self.app(), install=install)
                self.reports("agrees")
            done, outputs, _ = self.github(2, command=self.app(), install=f"{address}/another.tar.gz")
            self.assertIn(f"judge: cannot fetch {address}/another.tar.gz", done.stderr)
            server.shutdown()
        self.assertEqual((self.folder / "called").read_text(), "unpacked\n" * 2)

    def test_a_program_by_its_path(self):
        (self.folder / "bin" / "edgeprobe").unlink()
        self.github(0, command=self.app(), install=tool.EXECUTABLE)
        self.reports("agrees")
        done, *_ = self.github(2, command=self.app())
        self.assertIn("judge: there is no 'edgeprobe'; install edgeprobe first, or give --install", done.stderr)


if __name__ == "__main__":
    tool.main()
