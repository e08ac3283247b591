# SPDX-License-Identifier: Apache-2.0
"""Calls the edgeprobe under test."""
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from report_schema import problems  # noqa: E402


class Failed(Exception):
    pass


class Tool:
    def __init__(self, executable):
        self.executable = str(executable)

    def call(self, *arguments, codes=(0,)):
        """(exit code, standard output, seconds); raises Failed with the program's own sentence on any other exit code."""
        began = time.monotonic()
        done = subprocess.run([self.executable, *map(str, arguments)], capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
        seconds = time.monotonic() - began
        if done.returncode not in codes:
            raise Failed("exit code %d of `%s`: %s" % (done.returncode, " ".join(map(str, arguments)), done.stderr.decode(errors="replace").strip()))
        return done.returncode, done.stdout.decode(), seconds

    def run(self, model, recipe, data, trace, *more):
        self.call("run", model, "--recipe", recipe, "--data", data, "--undeclared", "--force", "--trace", trace, *more)

    def verdict(self, verb, *arguments):
        """The JSON of check or diagnose, with `exit` and `seconds` added."""
        code, text, seconds = self.call(verb, *arguments, "--json", codes=(0, 3, 4))
        verdict = json.loads(text)
        if wrong := problems(verdict):
            raise Failed("the report does not fit docs/reference/report.schema.json: " + "; ".join(wrong))
        verdict.update(exit=code, seconds=seconds)
        return verdict
