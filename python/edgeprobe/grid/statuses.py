# SPDX-License-Identifier: Apache-2.0
"""The statuses of a cell, and how a failure becomes one."""
from __future__ import annotations

SUPPORTED = "supported"
DIFFERS = "differs"
INVALID = "invalid"
UNSUPPORTED = "unsupported"
ERROR = "error"
UNVERIFIED = "unverified"
NOT_IMPLEMENTED = "not_implemented"

#: Status -> its text in a table and its meaning.
MEANINGS = {
    SUPPORTED: ("supported", "the export is a valid file; the import computes the framework's own outputs"),
    DIFFERS: ("differs", "it works without an error, but the outputs are not the framework's own"),
    INVALID: ("invalid ONNX model", "the exporter wrote a file that `onnx.checker` refuses"),
    UNSUPPORTED: ("unsupported", "the tool itself says that it cannot do this, or the framework has no such tool"),
    ERROR: ("ERROR", "the tool failed in another way, or exceeded a limit"),
    UNVERIFIED: ("unverified", "it could not be tried: no file, no tool on this machine, or outputs that cannot be judged"),
    NOT_IMPLEMENTED: ("not implemented", "this grid does not try it"),
}


class Refusal(Exception):
    """A cell's result that is no success: a status with its reason. `found` makes the outputs of another try, which `tried` names."""

    def __init__(self, status: str, reason: str, tried: str = "", found=None):
        super().__init__(reason)
        self.status, self.tried, self.found = status, tried, found


#: Words by which tools say that they do not support something, in lower case.
_UNSUPPORTED_WORDS = (
    "not implemented", "not_implemented", "notimplemented", "is not supported", "not supported yet", "unsupported", "no translator", "no conversion",
    "not yet implemented", "no converter", "no onnx function", "unrecognized", "is under development", "no opset import", "only guarantees support",
    "converter is not", "not registered", "no schema registered", "not supported by", "missing plugin", "cannot export", "supported yet",
)


def of_error(error: BaseException) -> tuple[str, str]:
    """The status of an exception and a sentence."""
    if isinstance(error, Refusal):
        return error.status, str(error)
    text = sentence(error)
    name = type(error).__name__.lower()
    says_so = isinstance(error, NotImplementedError) or "unsupported" in name or "notimplemented" in name
    return UNSUPPORTED if says_so or is_unsupported(str(error)) else ERROR, text


def is_unsupported(text: str) -> bool:
    text = text.lower()
    return any(words in text for words in _UNSUPPORTED_WORDS)


def sentence(error: BaseException) -> str:
    """The type of an exception and the line of its message that says the most."""
    causes = [error]
    while causes[-1].__cause__ is not None and len(causes) < 8:
        causes.append(causes[-1].__cause__)
    # The innermost cause of a wrapped error says the most.
    lines = [line.strip() for line in str(causes[-1]).splitlines() if any(letter.isalpha() for letter in line)]
    text = lines[0] if lines else "no reason given"
    if len(lines) > 1 and text.endswith(":"):
        # A heading; MXNet names the failed operator in the last line.
        text = next((line for line in reversed(lines) if "rror" in line), lines[1])
    name = type(causes[-1]).__name__
    return clean(text if text.startswith(f"{name}:") else f"{name}: {text}")


def clean(text: str, longest: int = 400) -> str:
    """One printable line."""
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return text if len(text) <= longest else text[: longest - 1] + "…"
