# SPDX-License-Identifier: Apache-2.0
"""Calls the edgeprobe under test, with or without a fault in its environment."""
import json
import os
import pathlib
import shlex
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

    def call(self, *arguments, codes=(0,), fault=None):
        """(exit code, standard output, seconds); raises Failed with the program's own sentence on any other exit code."""
        environment = {k: v for k, v in os.environ.items() if k != "EDGEPROBE_FAULT"}
        if fault:
            environment["EDGEPROBE_FAULT"] = fault
        began = time.monotonic()
        done = subprocess.run([self.executable, *map(str, arguments)], capture_output=True, stdin=subprocess.DEVNULL, timeout=300, env=environment)
        if done.returncode not in codes:
            raise Failed("exit code %d of `%s`: %s" % (done.returncode, self.line(arguments, fault), done.stderr.decode(errors="replace").strip()))
        return done.returncode, done.stdout.decode(), time.monotonic() - began

    def line(self, arguments, fault=None):
        """The command line that repeats this call."""
        said = "edgeprobe " + " ".join(shlex.quote(str(a)) for a in arguments)
        return "EDGEPROBE_FAULT=%s %s" % (shlex.quote(fault), said) if fault else said

    def verdict(self, *arguments, fault=None):
        code, text, seconds = self.call(*arguments, "--json", codes=(0, 3, 4), fault=fault)
        verdict = json.loads(text)
        if wrong := problems(verdict):
            raise Failed("the report does not fit docs/reference/report.schema.json: " + "; ".join(wrong))
        verdict.update(exit=code, seconds=seconds)
        return verdict
