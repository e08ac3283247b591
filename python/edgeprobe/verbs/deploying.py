# SPDX-License-Identifier: Apache-2.0
"""A verdict as an assertion: ``assert_deploys("net_int8.tflite", data="pictures", reference="net.tflite", …)``.

Use it in any test. The pytest plug-in offers it as a fixture that also keeps the page of the verdict.
"""
from __future__ import annotations

import os
import unittest
from typing import Any, Literal

from ..errors import UsageError
from .verbs import Path, Result, check, diagnose

Undecided = Literal["fail", "skip", "pass"]
#: The first bytes of a trace.
_MAGIC = b"\x89MCAP0\r\n"
#: Most causes, and most lines of one list, in a message.
_MOST = 3


class DeploymentFailed(AssertionError):
    """The deployment does not match the reference, or the verdict is undecided. ``result`` is the whole verdict."""

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message)
        self.result = result


# pytest prints this name at the start of its report.
DeploymentFailed.__module__ = "edgeprobe"


def assert_deploys(subject: Path, *, data: Path | None = None, undecided: Undecided = "fail", **options: Any) -> Result:
    """Returns the verdict if a deployment matches the reference; else raises DeploymentFailed.

    ``subject``: a model, which ``check()`` runs on ``data``, or a recorded trace, which ``diagnose()`` examines. ``options`` are those of that verb.
    ``undecided``: the result for an undecided verdict: "fail", "skip" (skips the test with the reason) or "pass".
    """
    __tracebackhide__ = True
    if undecided not in ("fail", "skip", "pass"):
        raise UsageError(f"undecided is {undecided!r}; expected 'fail', 'skip' or 'pass'")
    result = _verdict(subject, data, options)
    if result.agrees or (result.undecided and undecided == "pass"):
        return result
    message = explanation(result, options.get("html"))
    if result.undecided and undecided == "skip":
        raise unittest.SkipTest(message)
    raise DeploymentFailed(message, result)


def _verdict(subject: Path, data: Path | None, options: dict[str, Any]) -> Result:
    if is_trace(subject):
        return diagnose(subject, **(options if data is None else {"data": data, **options}))
    if data is None:
        raise UsageError(f"'{os.fspath(subject)}' is a model, which runs on data: give data=FOLDER, or a trace that an app recorded")
    return check(subject, data, **options)


def is_trace(subject: Path) -> bool:
    """Decided by its first bytes, or by its name if the file does not exist."""
    try:
        with open(subject, "rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return os.fspath(subject).endswith(".mcap")


def explanation(result: Result, page: Path | None = None) -> str:
    """A verdict of ``check`` or ``diagnose`` in a few lines: headline, causes with their fixes, the data that would decide, the page."""
    said = [result["headline"]]
    for cause in result["causes"][:_MOST]:
        said += _cause(cause)
    if len(result["causes"]) > _MOST:
        said.append(f"  and {len(result['causes']) - _MOST} more causes")
    if result["verdict"] == "undecided":
        said += _listed("would decide", result["would_decide"])
    said += _listed("warning", result["warnings"])
    if page is not None:
        said.append(_line("page", os.path.abspath(page)))
    return "\n".join(said)


def _cause(cause: Result) -> list[str]:
    # A nearest explanation is not the cause, and has no fix.
    name = "nearest" if cause["status"] == "partial" else "cause"
    said = [_line(name, f"{cause['kind']} ({cause['status']}): {cause['detail']}")]
    if cause["fix"] and cause["status"] == "confirmed":
        if cause["fix"]["step"]:
            said.append(_line("fix", cause["fix"]["step"]))
        for library, code in cause["fix"]["code"].items():
            said += [_line(library if number == 0 else "", line) for number, line in enumerate(code.splitlines())]
    return said


def _listed(name: str, sentences: list[str]) -> list[str]:
    more = [_line("", f"and {len(sentences) - _MOST} more")] if len(sentences) > _MOST else []
    return [_line(name, one) for one in sentences[:_MOST]] + more


def _line(name: str, text: str) -> str:
    return f"  {name:<12} {text}"
