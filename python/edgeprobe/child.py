# SPDX-License-Identifier: Apache-2.0
"""Runs a user's pipeline function for the command line: ``python child.py FILE FUNCTION``.

Started by ``edgeprobe replay --pipeline FILE:FUNCTION``. Messages come and go over standard input and output; their form
is described in src/pipeline/function/wire.h. Output of the user's code goes to standard error.
"""
import os
import struct
import sys
import traceback
from typing import Any

VERSION = 1
MOST_BYTES = 1 << 30
HELLO, SAMPLE, ANSWER, FAILURE = 1, 2, 3, 4
PIXELS, ENCODED = 0, 1


class Wire:
    """Framed messages over two descriptors."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self.incoming, self.outgoing = incoming, outgoing

    def read(self, size: int) -> bytearray:
        data = bytearray(size)
        at = memoryview(data)
        while at:
            got = os.readv(self.incoming, [at])
            if got == 0:  # the other process has ended or closed its end
                raise SystemExit(0)
            at = at[got:]
        return data

    def receive(self) -> "tuple[int, bytearray]":
        kind, size = struct.unpack("<IQ", self.read(12))
        return kind, self.read(size)

    def send(self, kind: int, *parts: "bytes | memoryview") -> None:
        for part in (struct.pack("<IQ", kind, sum(len(p) for p in parts)), *parts):
            rest = memoryview(part)
            while rest:
                rest = rest[os.write(self.outgoing, rest):]

    def fail(self, sentence: str) -> None:
        self.send(FAILURE, text(sentence))


def text(value: str) -> bytes:
    data = value.encode("utf-8", "replace")
    return struct.pack("<I", len(data)) + data


def where(error: BaseException, file: str) -> str:
    """The place of the deepest line in the user's own code, as " (file.py line 12)"."""
    if isinstance(error, SyntaxError):  # a SyntaxError states its line itself
        return ""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f" ({os.path.basename(file)} line {lines[-1]})" if lines else ""


def one_line(error: BaseException) -> str:
    said = " ".join(str(error).split())
    return type(error).__name__ + (": " + said if said else "")


def show(error: BaseException) -> None:
    """The traceback without this file's own frames."""
    own = os.path.abspath(__file__)
    at = error.__traceback__
    while at and os.path.abspath(at.tb_frame.f_code.co_filename) in (own, "<frozen importlib._bootstrap>",
                                                                     "<frozen importlib._bootstrap_external>"):
        at = at.tb_next
    traceback.print_exception(type(error), error, at)
    sys.stderr.flush()


def load(file: str, name: str) -> Any:
    """The user's function, or a sentence with the reason why it cannot be loaded."""
    import importlib.util

    folder = os.path.dirname(file)
    sys.path.insert(0, folder)  # as if the file were run: its neighbours can be imported
    spec = importlib.util.spec_from_file_location("edgeprobe_user_pipeline", file)
    if spec is None or spec.loader is None:
        return f"'{file}' is not a Python file; expected a name that ends in .py"
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        show(error)
        return f"'{os.path.basename(file)}' cannot be imported: {one_line(error)}{where(error, file)}"
    except SystemExit as error:
        return f"'{os.path.basename(file)}' ended the program while it was imported (exit code {error.code})"
    function = getattr(module, name, None)
    if callable(function):
        return function
    names = sorted(n for n, v in vars(module).items()
                   if callable(v) and getattr(v, "__module__", None) == spec.name and not n.startswith("_"))
    return (f"'{os.path.basename(file)}' has no function '{name}'" if function is None
            else f"'{name}' in '{os.path.basename(file)}' is not a function") + (
                "; it has " + ", ".join(names[:10]) if names else "; it has none")


def die_with_parent() -> None:
    """Ends this process, also within a long call, when the command line is gone (Linux)."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL
    except (OSError, AttributeError, ImportError):
        pass


def main(file: str, name: str) -> int:
    # The output of the user's code and of libraries must not mix with the messages.
    wire = Wire(os.dup(0), os.dup(1))
    os.dup2(2, 1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    die_with_parent()
    sys.dont_write_bytecode = True
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:
        import numpy as np
    except ImportError as error:
        wire.fail(f"{sys.executable} cannot import NumPy ({one_line(error)}); install it there, or name another "
                  "interpreter with --python or EDGEPROBE_PYTHON")
        return 1
    from edgeprobe.verbs.answers import BadAnswer, arrays_of, takes_bytes

    file = os.path.abspath(file)
    function = load(file, name)
    if isinstance(function, str):
        wire.fail(function)
        return 1
    wants = ENCODED if takes_bytes(function) else PIXELS
    wire.send(HELLO, struct.pack("<IB", VERSION, wants),
              text(f"Python {sys.version.split()[0]}, NumPy {np.__version__}"))
    while True:
        kind, body = wire.receive()
        if kind != SAMPLE:
            return 1
        (length,) = struct.unpack_from("<I", body)
        (form,) = struct.unpack_from("<B", body, 4 + length)
        at = 5 + length
        if form == PIXELS:
            height, width, channels = struct.unpack_from("<III", body, at)
            given: Any = np.frombuffer(body, np.uint8, offset=at + 12).reshape(height, width, channels)
        else:
            given = bytes(memoryview(body)[at:])
        try:
            parts = [b""]
            named = arrays_of(function(given))
            size = sum(array.nbytes for _, array in named)
            if size > MOST_BYTES:  # before they are copied
                raise BadAnswer(f"the arrays of one frame take {size / 1e9:.3g} GB, the limit is {MOST_BYTES / 1e9:.3g} GB")
            for stage, array in named:
                parts.append(text(stage) + text(array.dtype.name) + struct.pack(f"<I{array.ndim}q", array.ndim, *array.shape)
                             + struct.pack("<Q", array.nbytes))
                parts.append(array.tobytes())
            parts[0] = struct.pack("<I", (len(parts) - 1) // 2)
        except BadAnswer as error:
            wire.fail(f"{error}")
        except Exception as error:
            show(error)
            wire.fail(one_line(error) + where(error, file))
        except SystemExit as error:
            wire.fail(f"it ended the program (exit code {error.code})")
        else:
            wire.send(ANSWER, *parts)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: child.py FILE FUNCTION (started by edgeprobe replay --pipeline)")
    try:
        sys.exit(main(sys.argv[1], sys.argv[2]))
    except (BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        sys.exit(1)
