# SPDX-License-Identifier: Apache-2.0
"""Which argument of a call is wrong, in one sentence. Used only after a call has failed, so correct calls cost nothing."""
from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..errors import ArgumentError, Error


class Kind(NamedTuple):
    """The permitted values of an argument: in words, and as a test."""

    words: str
    fits: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, np.complexfloating)


def _are_numbers(value: Any) -> bool:
    try:
        np.asarray(value, np.float64)
    except (TypeError, ValueError):
        return False
    return not isinstance(value, str)


def _whole(least: int, most: int) -> Kind:
    def fits(value: Any) -> bool:
        try:
            return not isinstance(value, str) and least <= value.__index__() <= most
        except (AttributeError, TypeError):
            return False

    return Kind(f"a whole number from {least} to {most}", fits)


def _or_none(kind: Kind) -> Kind:
    return Kind(f"{kind.words}, or None", lambda value: value is None or kind.fits(value))


TEXT = Kind("a str", lambda value: isinstance(value, str))
TEXT_OR_NONE = _or_none(TEXT)
NUMBER = Kind("a number", _is_number)
NUMBER_OR_NONE = _or_none(NUMBER)
FLAG = Kind("True or False", lambda value: isinstance(value, bool))
FLAG_OR_NONE = _or_none(FLAG)
NUMBERS = Kind("a number or a list of numbers", _are_numbers)
NUMBERS_OR_NONE = _or_none(NUMBERS)
TEXT_OR_BYTES = Kind("a str, or bytes of UTF-8", lambda value: isinstance(value, (str, bytes, bytearray, memoryview)))
TEXTS_OR_NONE = Kind("a list of str, or None", lambda value: value is None or not isinstance(value, (str, bytes)) and all(isinstance(v, str) for v in value))
BYTES = Kind("bytes", lambda value: isinstance(value, (bytes, bytearray, memoryview)))
PATH = Kind("a str or a path", lambda value: isinstance(value, (str, bytes, os.PathLike)))
PATTERNS = Kind("a str or a list of them, or None",
                lambda value: value is None or isinstance(value, str) or isinstance(value, (list, tuple)) and all(isinstance(v, str) for v in value))
FUNCTION = Kind("a function, or None", lambda value: value is None or callable(value))
INT32 = _whole(-2**31, 2**31 - 1)
INT32_OR_NONE = _or_none(INT32)
UINT32 = _whole(0, 2**32 - 1)
UINT64 = _whole(0, 2**64 - 1)


def explained(error: Exception, call: str, **given: tuple[Any, Kind]) -> Exception:
    """For a failed call: an ArgumentError about the first argument of a wrong kind. If all are right, or the error already states its reason, the
    error itself."""
    if isinstance(error, Error) or not isinstance(error, (TypeError, ValueError, OverflowError, AttributeError)):
        return error
    for name, (value, kind) in given.items():
        if not kind.fits(value):
            return _argument_error(f"{call}: {name} is {_shown(value)}, expected {kind.words}")
    if "incompatible function arguments" in str(error):
        return _argument_error(f"{call}: an argument is of a type that it does not take; its own text is help({call.partition('(')[0]})")
    return error


def _shown(value: Any) -> str:
    try:
        text = " ".join(repr(value).split())
    except Exception:
        text = "an object"
    text = text if len(text) <= 60 else text[:59] + "…"
    return text if value is None or isinstance(value, (bool, type)) else f"{text} ({type(value).__name__})"


def _argument_error(sentence: str) -> ArgumentError:
    error = ArgumentError(sentence)
    error.__suppress_context__ = True  # the native module's message about its signature does not help the user
    return error
