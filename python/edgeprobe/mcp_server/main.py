# SPDX-License-Identifier: Apache-2.0
"""The verb `edgeprobe mcp`: reads its flags and serves until its client closes standard input."""
from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn


def main(words: Sequence[str], version: str) -> int:
    parser = Parser(prog="edgeprobe mcp", add_help=False)
    parser.add_argument("--allow", action="append", metavar="DIR")
    named = parser.parse_args(words).allow
    folders = [Path(folder) for folder in named or ["."]]
    for folder in folders:
        if not folder.is_dir():
            return complain(f"--allow: there is no folder '{folder}'", 2)
    # Some clients start their servers in the root folder.
    if named is None and Path.cwd() == Path("/"):
        return complain("the current folder is '/', which contains every file: name the folders of your project with --allow DIR", 2)
    if find_spec("mcp") is None:
        return complain("'edgeprobe mcp' needs the MCP SDK: pip install 'mcp>=2.3,<3'", 1)
    # Standard output belongs to the protocol.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="edgeprobe mcp: %(message)s")
    from .allowed import Allowed
    from .process import end_all

    try:
        import anyio

        from .server import serve
    except ImportError as error:
        return complain(f"the MCP SDK that is installed does not fit ({error}): pip install 'mcp>=2.3,<3'", 1)

    def end(number: int, _: object) -> NoReturn:
        end_all()
        os._exit(128 + number)

    if sys.stdin.isatty():
        print("edgeprobe mcp: waits for a client on standard input (docs/guides/mcp.md); Ctrl-C ends it", file=sys.stderr)
    for wanted in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(wanted, end)
    anyio.run(serve, Allowed(folders), version)
    return 0


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        complain(f"mcp: {message} (try edgeprobe mcp --help)", 2)
        raise SystemExit(2)


def complain(why: str, code: int) -> int:
    print(f"edgeprobe: {why}", file=sys.stderr)
    return code
