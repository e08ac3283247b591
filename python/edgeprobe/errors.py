# SPDX-License-Identifier: Apache-2.0
"""One family of exceptions for all errors."""
from __future__ import annotations


class Error(Exception):
    """The base class. The text is one sentence: what was wrong, where, and what was expected."""


class UsageError(Error, ValueError):
    """The call itself is wrong: sizes that do not match, a frame that has ended, flags that exclude each other."""


class ArgumentError(UsageError, TypeError):
    """An argument has a wrong type, or is an integer outside its range."""


class NotFoundError(Error, FileNotFoundError):
    """A file or folder does not exist."""


class CorruptError(Error):
    """The bytes of a file are invalid."""


class UnsupportedError(Error):
    """Valid, but not supported by this version."""


class LimitError(Error):
    """Memory, disk space, or a documented limit is exhausted."""


class FailedError(Error):
    """The system or an engine failed; the text says how."""


class OffError(Error):
    """The probe is off."""


class TraceError(CorruptError):
    """The file is not a trace, or a part of it is damaged."""


#: Exception classes by the status codes of edgeprobe.h.
OF_STATUS: dict[int, type[Error]] = {
    1: UsageError, 2: NotFoundError, 3: CorruptError, 4: UnsupportedError, 5: LimitError, 6: FailedError, 7: OffError,
}


def error_of_status(status: int, sentence: str) -> Error:
    """The exception of a failed call of the C library."""
    return OF_STATUS.get(status, Error)(sentence)
