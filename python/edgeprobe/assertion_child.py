# SPDX-License-Identifier: Apache-2.0
"""Runs one assertion of a contract over the frames of a trace: ``python assertion_child.py FILE FUNCTION TRACE``.

Started by ``edgeprobe contract check``. Answers go to standard output, one JSON object per line: ``{"frame": 3, "state": "holds"}``, or ``fails`` or
``error`` with ``why``; ``{"done": true}`` at the end, ``{"failure": …}`` if there is nothing to run. The output of the user's code goes to standard
error.
"""
import importlib.util
import json
import os
import sys
import traceback
from typing import Any


def one_line(error: BaseException) -> str:
    said = " ".join(str(error).split())
    return type(error).__name__ + (": " + said if said else "")


def where(error: BaseException, file: str) -> str:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f" ({os.path.basename(file)} line {lines[-1]})" if lines else ""


def load(file: str, name: str) -> Any:
    """The user's function, or a sentence with the reason why it cannot be loaded."""
    base = os.path.basename(file)
    sys.path.insert(0, os.path.dirname(file))
    spec = importlib.util.spec_from_file_location("edgeprobe_user_assertions", file)
    if spec is None or spec.loader is None:
        return f"'{base}' is not a Python file; expected a name that ends in .py"
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        return f"'{base}' cannot be imported: {one_line(error)}{where(error, file)}"
    except SystemExit as error:
        return f"'{base}' ended the program while it was imported (exit code {error.code})"
    function = getattr(module, name, None)
    return function if callable(function) else f"'{base}' has no function '{name}'"


def judged(function: Any, frame: Any, file: str) -> "tuple[str, str]":
    """State and reason of one frame."""
    try:
        answer = function(frame)
    except AssertionError as error:
        return "fails", " ".join(str(error).split()) or "its assert does not hold" + where(error, file)
    except Exception as error:
        return "error", "it raises " + one_line(error) + where(error, file)
    except SystemExit as error:
        return "error", f"it ended the program (exit code {error.code})"
    if answer is None:
        return "holds", ""
    if isinstance(answer, str):
        return "fails", answer
    if type(answer).__name__ in ("bool", "bool_"):
        return ("holds", "") if answer else ("fails", "it returned False")
    return "error", f"it returned {type(answer).__name__}; expected True, False, None, or a text that says what is wrong"


def main(file: str, name: str, trace: str) -> int:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")  # the user's output must not mix with the answers
    os.dup2(2, 1)
    sys.dont_write_bytecode = True

    def say(**answer: Any) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:
        from edgeprobe.traces.trace import load as load_trace
    except ImportError as error:
        say(failure=f"{sys.executable} cannot read traces ({one_line(error)}); install numpy and mcap there, or name another "
                    "interpreter with --python or EDGEPROBE_PYTHON")
        return 1
    file = os.path.abspath(file)
    function = load(file, name)
    if isinstance(function, str):
        say(failure=function)
        return 1
    with load_trace(trace) as read:
        for frame in read.frames:
            state, why = judged(function, frame, file)
            say(frame=frame.number, sample=frame.sample or "", state=state, why=why[:1000])
    say(done=True)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: assertion_child.py FILE FUNCTION TRACE (started by edgeprobe contract check)")
    try:
        sys.exit(main(*sys.argv[1:]))
    except (BrokenPipeError, KeyboardInterrupt):
        sys.exit(1)
