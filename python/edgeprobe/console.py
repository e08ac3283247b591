# SPDX-License-Identifier: Apache-2.0
"""The console script `edgeprobe`: it becomes the program, except for the one verb that Python serves."""
from __future__ import annotations

import sys

from . import command_line


def main() -> None:
    words = sys.argv[1:]
    if words[:1] == ["mcp"] and not {"-h", "--help", "--help-all", "help"} & set(words):
        from . import __version__
        from .mcp_server.main import main as serve

        sys.exit(serve(words[1:], __version__))
    command_line.main()


if __name__ == "__main__":
    main()
