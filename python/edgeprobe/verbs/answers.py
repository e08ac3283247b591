# SPDX-License-Identifier: Apache-2.0
"""Arguments and results of a user's pipeline function, in one place for the replay in this process and for the command line."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ..traces.dtypes import DTYPES

#: The name of the model input among the arrays that a function returns.
INPUT = "input"
#: "output", or "output/NAME" for each of several, when the function also runs the model.
OUTPUT = "output"


class BadAnswer(ValueError):
    """The function returned something that a trace cannot contain."""


def takes_bytes(function: Callable[..., Any]) -> bool:
    """Whether the first parameter is annotated ``bytes``: the function then receives the encoded picture file instead of pixels."""
    try:
        first = next(iter(inspect.signature(function).parameters.values()), None)
    except (TypeError, ValueError):  # built-in functions have no signature
        return False
    return first is not None and first.annotation in (bytes, "bytes")


def arrays_of(answer: Any) -> list[tuple[str, np.ndarray]]:
    """The named arrays of an answer, in order.

    One array is the model input. A mapping, or pairs that a generator yields, are stages by name; the one called
    ``"input"`` is the model input, ``"output"`` or ``"output/NAME"`` are outputs of the model. A generator may also
    return the model input.
    """
    named: list[tuple[str, np.ndarray]] = []
    seen: set[str] = set()
    for name, value in _pairs(answer):
        if not isinstance(name, str) or not name:
            raise BadAnswer(f"a stage has the name {name!r}, expected a text that is not empty")
        if name in seen:
            raise BadAnswer(f"two stages are called {name!r}")
        seen.add(name)
        named.append((name, _array(name, value)))
    if not named:
        raise BadAnswer("no array was returned; expected the model input, or named stages with one called 'input'")
    return named


def _pairs(answer: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(answer, Mapping):
        yield from answer.items()
    elif inspect.isgenerator(answer):
        last = yield from _checked(answer)
        if last is not None:
            yield INPUT, last
    elif answer is None:
        raise BadAnswer("None was returned (is a 'return' missing?)")
    else:
        yield INPUT, answer


def _checked(generator: Iterable[Any]) -> Generator[tuple[Any, Any], None, Any]:
    iterator = iter(generator)
    while True:
        try:
            pair = next(iterator)
        except StopIteration as end:
            return end.value
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise BadAnswer(f"a generator must yield pairs (name, array), not {type(pair).__name__}")
        yield pair


def _array(name: str, value: Any) -> np.ndarray:
    if hasattr(value, "detach"):  # a torch tensor that requires gradients refuses np.asarray
        value = value.detach().cpu()
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:  # rows of different lengths
        raise BadAnswer(f"stage {name!r} cannot be made an array: {' '.join(str(error).split())}") from None
    if array.dtype.name not in DTYPES:
        raise BadAnswer(f"stage {name!r} has the dtype {array.dtype.name}; expected numbers such as float32 or uint8")
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    return np.ascontiguousarray(array).reshape(array.shape)
