# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as one family of exceptions."""
from __future__ import annotations


class Error(Exception):
    """What all of them are. The text is one sentence: what was wrong, where, and what was expected."""


class UsageError(Error, ValueError):
    """The call itself is wrong: sizes that do not fit, a frame that has ended, flags that exclude each other."""


class ArgumentError(UsageError, TypeError):
    """An argument is of another type than the call takes, or a whole number outside its range."""


class NotFoundError(Error, FileNotFoundError):
    """A file or folder that is not there."""


class CorruptError(Error):
    """Bytes that are not what they claim to be."""


class UnsupportedError(Error):
    """Valid, and beyond what this version does."""


class LimitError(Error):
    """Memory, disk, or a stated limit."""


class FailedError(Error):
    """The system or an engine refused; the text says what."""


class OffError(Error):
    """There is no probe."""


class TraceError(CorruptError):
    """The file is no trace, or a part of it is damaged."""


#: By the status codes of edgeprobe.h.
OF_STATUS: dict[int, type[Error]] = {
    1: UsageError, 2: NotFoundError, 3: CorruptError, 4: UnsupportedError, 5: LimitError, 6: FailedError, 7: OffError,
}


def error_of_status(status: int, sentence: str) -> Error:
    """The exception of a failed call of the C library."""
    return OF_STATUS.get(status, Error)(sentence)
