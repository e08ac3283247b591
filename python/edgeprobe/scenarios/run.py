# SPDX-License-Identifier: Apache-2.0
"""A module of Edge AI tester by its name, run by the program."""
from __future__ import annotations

import os
import shlex
import sys

from .. import command_line
from ..errors import NotFoundError

#: Flags of `edgeprobe scenario from-command`; the others belong to the scenario.
_OWN = {"--force", "--trust"}


def main(name: str) -> None:
    """Becomes the program, which translates the arguments of this process and runs the result."""
    words = sys.argv[1:]
    if {"-h", "--help"} & set(words):
        print(f"python -m edgeprobe.scenarios.{name} takes the arguments of python -m edge_ai_tester.scenarios.{name}, and --force to replace "
              "earlier results and --trust to load libraries that a file names.\nEvery class and option: docs/from-edge-ai-tester.md\n"
              f"Without running it: edgeprobe scenario from-command 'python -m edge_ai_tester.scenarios.{name} …'")
        sys.exit(0)
    line = shlex.join(["python", "-m", f"edge_ai_tester.scenarios.{name}", *(word for word in words if word not in _OWN)])
    try:
        program = command_line.executable()
    except NotFoundError as error:
        sys.exit(f"edgeprobe: {error}")
    own = sorted(_OWN & set(words))
    os.execve(program, [program, "scenario", "from-command", "--run", *own, line], command_line.environment(program))
