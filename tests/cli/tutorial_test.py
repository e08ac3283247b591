# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of docs/tutorials, of the README and of tests/cli/console in order and compares what they print with what the page shows.

Numbers may differ by 5 % (kernels of other processors round otherwise), times and sizes by anything.
`tutorial_test.py EDGEPROBE --update` writes the present output into the pages.
"""
import os
import pathlib
import re
import subprocess
import sys

import tool
from tool import ROOT

PAGES = [ROOT / "README.md", *(page for folder in ("docs/tutorials", "tests/cli/console") for page in sorted((ROOT / folder).glob("*.md")))]
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
# What is measured anew by each run, or written by each release.
PASSING = re.compile(r"median latency [\d.]+ ms|[\d.]+ [KM]B\b|\d+(?:\.\d+)? +\d+(?:\.\d+)?(?= +(?:reference|[\d.]+ \(\d+–\d+\))$)|edgeprobe \d+\.\d+\.\d+|[0-9a-f]{64}")


def blocks(text):
    """Start, end and lines of each console block."""
    for match in re.finditer(r"^```console\n(.*?)^```$", text, re.M | re.S):
        yield match.start(1), match.end(1), match.group(1).splitlines()


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


class TutorialTest(tool.ToolTest):
    maxDiff = None

    def setUp(self):
        super().setUp()
        (self.folder / "models").symlink_to(ROOT / "models")
        bin_folder = self.folder / ".bin"
        bin_folder.mkdir()
        (bin_folder / "edgeprobe").symlink_to(tool.EXECUTABLE)
        self.environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "EDGEPROBE_PYTHON": sys.executable,
                            "PYTHONPATH": str(ROOT / "python"), "LC_ALL": "C.UTF-8", "EDGEPROBE_BUILD": BUILD}

    def output(self, command, expected_code, shown):
        file = re.fullmatch(r"cat (\w+\.py)", command)
        if file:  # the page is the file
            (self.folder / file.group(1)).write_text("\n".join(shown) + "\n")
            return shown
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=tool.PATIENCE, text=True)
        # A verb's progress is no part of the page; its errors are.
        self.assertEqual(done.returncode, expected_code, f"{command}\n{done.stdout}\n{done.stderr}")
        return (done.stdout if done.stdout or expected_code == 0 else done.stderr).splitlines()

    def follow(self, page, update):
        text = page.read_text()
        shown = "".join("\n".join(lines) for _, _, lines in blocks(text))
        if "edgeprobe.Probe(" in shown and not list(pathlib.Path(BUILD).glob("python/edgeprobe/_native.*")):
            self.skipTest("the Python module is not built; script/setup --test brings nanobind")
        out, at = "", 0
        for start, end, lines in blocks(text):
            out += text[at:start]
            at = end
            for command, code, shown in steps(lines):
                said = self.output(command, code, shown)
                out += f"$ {command}\n" + "".join(line + "\n" for line in said) + (f"# exit code {code}\n" if code else "")
                if not update and not near(shown, said):
                    self.fail(f"{page.name}: $ {command}\n--- the page says\n" + "\n".join(shown) + "\n--- the program says\n" + "\n".join(said))
        if update:
            page.write_text(out + text[at:])


def test_of(page):
    return lambda self: self.follow(page, UPDATE)


UPDATE = "--update" in sys.argv
BUILD = os.environ.get("EDGEPROBE_BUILD") or os.path.dirname(os.path.abspath(sys.argv[1]))
if UPDATE:
    sys.argv.remove("--update")
for one in PAGES:
    setattr(TutorialTest, "test_" + one.stem.replace("-", "_"), test_of(one))

if __name__ == "__main__":
    tool.main()
