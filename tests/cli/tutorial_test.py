# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of docs/tutorials, of the README and of tests/cli/console in order and compares their output with the page.

Numbers may differ by 5 % (kernels of other processors round differently), times and sizes by any amount. Each section of a page is
a case: if one fails, it is named, and the next one runs.
`tutorial_test.py EDGEPROBE --update [ConsoleTest.test_PAGE]` writes the present output into the pages."""
import os
import pathlib
import re
import subprocess
import sys

import tool
from tool import ROOT

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
# Text that changes with each run or each release.
PASSING = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC, \d+ \w+ ago|median latency [\d.]+ ms|[\d.]+ [KM]B\b|\d+(?:\.\d+)? +\d+(?:\.\d+)?(?= +(?:reference|[\d.]+ \(\d+–\d+\))$)|edgeprobe \d+\.\d+\.\d+|[0-9a-f]{64}")


def blocks(text):
    """Start, end, lines and section of each console block."""
    for match in re.finditer(r"^```console\n(.*?)^```$", text, re.M | re.S):
        yield match.start(1), match.end(1), match.group(1).splitlines(), text[:match.start()].rpartition("\n## ")[2].partition("\n")[0]


def steps(lines):
    """(command, exit code, lines shown below it)."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append([line[2:], 0, []])
        elif line.startswith("# exit code "):
            found[-1][1] = int(line.split()[-1])
        else:
            found[-1][2].append(line)
    return found


def near(shown, said):
    if len(shown) != len(said):
        return False
    for a, b in zip(shown, said):
        a, b = PASSING.sub("*", a), PASSING.sub("*", b)
        if re.sub(r"[ ]+", " ", NUMBER.sub("#", a)) != re.sub(r"[ ]+", " ", NUMBER.sub("#", b)):
            return False
        for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)):
            if abs(float(x) - float(y)) > 0.05 * max(abs(float(x)), abs(float(y))) + 0.01:
                return False
    return True


class PageTest(tool.ToolTest):
    SHELL = ["bash", "-c"]

    @classmethod
    def takes(cls, *pages):
        for page in pages:
            setattr(cls, "test_" + page.stem.replace("-", "_"), lambda self, page=page: self.follow(page, UPDATE))

    def setUp(self):
        super().setUp()
        (self.folder / "models").symlink_to(ROOT / "models")
        bin_folder = self.folder / ".bin"
        bin_folder.mkdir()
        (bin_folder / "edgeprobe").symlink_to(tool.EXECUTABLE)
        self.environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "EDGEPROBE_PYTHON": sys.executable,
                            "PYTHONPATH": str(ROOT / "python"), "LC_ALL": "C.UTF-8", "EDGEPROBE_BUILD": BUILD}

    def outcome(self, command, shown):
        """Exit code, the lines that belong to a page, and all of standard error."""
        file = re.fullmatch(r"cat (\w+\.py)", command)
        if file:  # the page is the file itself
            (self.folder / file.group(1)).write_text("\n".join(shown) + "\n")
            return 0, shown, ""
        done = subprocess.run([*self.SHELL, command], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=tool.PATIENCE, text=True)
        # Pages omit a verb's progress, but contain its errors.
        return done.returncode, (done.stdout or (done.stderr if done.returncode else "")).splitlines(), done.stderr

    def follow(self, page, update):
        text = page.read_text()
        parts = list(blocks(text))
        if any("edgeprobe.Probe(" in line for _, _, lines, _ in parts for line in lines) and not list(pathlib.Path(BUILD).glob("python/edgeprobe/_native.*")):
            self.skipTest("the Python module is not built; script/setup --test brings nanobind")
        out, at = "", 0
        for start, end, lines, section in parts:
            out += text[at:start]
            at = end
            with self.subTest(page=page.name, section=section):
                for command, code, shown in steps(lines):
                    ended, said, errors = self.outcome(command, shown)
                    out += f"$ {command}\n" + "".join(line + "\n" for line in said) + (f"# exit code {ended}\n" if ended else "")
                    if not update:
                        self.assertEqual(ended, code, f"{command}\n" + "\n".join(said) + f"\n{errors}")
                        self.assertTrue(near(shown, said), f"$ {command}\n--- the page says\n" + "\n".join(shown) + "\n--- the program says\n" + "\n".join(said))
        if update:
            page.write_text(out + text[at:])


class TutorialTest(PageTest):
    pass


class ConsoleTest(PageTest):
    # A pipe fails if any part of it fails: the part after `|` hides no exit code.
    SHELL = ["bash", "-o", "pipefail", "-c"]


UPDATE = "--update" in sys.argv
BUILD = os.environ.get("EDGEPROBE_BUILD") or os.path.dirname(os.path.abspath(sys.argv[1]))
if UPDATE:
    sys.argv.remove("--update")
TutorialTest.takes(ROOT / "README.md", *sorted((ROOT / "docs" / "tutorials").glob("*.md")))
ConsoleTest.takes(*sorted((ROOT / "tests" / "cli" / "console").glob("*.md")))

if __name__ == "__main__":
    tool.main()
