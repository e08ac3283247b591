# SPDX-License-Identifier: Apache-2.0
"""The process of one plug-in: ``python serve.py KIND``, started by the program (src/process/python.h)."""
import importlib
import os
import sys

#: The module and the class that serve each kind.
SERVERS = {"engine": ("engine", "EngineServer"), "dataset": ("dataset", "DatasetServer"), "metric": ("metric", "MetricServer"),
           "compiler": ("compiler", "CompilerServer"), "function": ("function", "FunctionServer"),
           "tokenizer": ("tokenizer", "TokenizerServer"), "assertion": ("assertions", "AssertionServer")}
NEED_NUMPY = ("engine", "dataset", "metric", "compiler", "function")

if sys.version_info < (3, 11):
    sys.exit("this is Python %d.%d" % sys.version_info[:2])


def main(kind: str) -> int:
    # This folder holds modules with common names; the user's code must not find them.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from edgeprobe.plugins.found import lacks
    from edgeprobe.plugins.messages import HELLO, Channel, Reader
    from edgeprobe.plugins.process import USAGE, Refused, one_line, take_over

    channel = Channel(take_over())
    channel.send(HELLO)
    try:
        if kind in NEED_NUMPY:
            import numpy  # noqa: F401
    except ImportError as error:
        name = Reader(channel.receive()[1]).text().removeprefix("python:").partition("?")[0]
        channel.refuse(Refused(USAGE, lacks(kind, name) or f"{sys.executable} cannot import NumPy ({one_line(error)}); install it there, or name another "
                               "interpreter with --python or EDGEPROBE_PYTHON"))
        return 1
    module, server = SERVERS[kind]
    getattr(importlib.import_module(f"edgeprobe.plugins.{module}"), server)(channel).serve()
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: serve.py KIND (started by edgeprobe)")
    try:
        code = main(sys.argv[1])
    except (EOFError, BrokenPipeError, ConnectionResetError):
        code = 0
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):  # closed by the user's code
            pass
    os._exit(code)  # a framework's exit handlers may hang
