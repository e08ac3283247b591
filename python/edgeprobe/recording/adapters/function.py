# SPDX-License-Identifier: Apache-2.0
"""Any function of arrays."""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from .recorder import Port, Recorder


def wrapped_function(function: Callable[..., Any], probe: Any, prefix: str) -> Callable[..., Any]:
    recorder = Recorder(probe, prefix)
    names = _parameter_names(function)

    def record(*args: Any, **kwargs: Any) -> Any:
        return recorder.inference(lambda: _numbered(_given(names, args, kwargs)), lambda: function(*args, **kwargs),
                                  lambda answer: _numbered(_answered(answer)))

    try:
        return functools.wraps(function)(record)
    except AttributeError:  # a callable object
        return record


def stage_of(function: Callable[..., Any], probe: Any, name: str) -> Callable[..., Any]:
    """A step of pre- or post-processing: in the open frame, its time becomes a span and its result a tensor."""

    @functools.wraps(function)
    def record(*args: Any, **kwargs: Any) -> Any:
        frame = probe.current
        if frame is None:
            return function(*args, **kwargs)
        with frame.span(name):
            answer = function(*args, **kwargs)
        found = list(_answered(answer))
        for key, array in found:
            frame.tensor(name if len(found) == 1 else f"{name}/{key}", array)
        return answer

    return record


def _parameter_names(function: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # built-in functions have no signature
        return []


def is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) or hasattr(value, "__array__") and not isinstance(value, (np.generic, type))


def _given(names: list[str], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    named = [(names[i] if i < len(names) else f"input{i}", value) for i, value in enumerate(args)]
    for name, value in [*named, *kwargs.items()]:
        if is_array(value):
            yield name, value
        elif isinstance(value, Mapping):
            yield from ((str(key), one) for key, one in value.items() if is_array(one))
        elif isinstance(value, (list, tuple)):
            yield from ((f"{name}/{i}", one) for i, one in enumerate(value) if is_array(one))


def _answered(answer: Any) -> Iterator[tuple[str, Any]]:
    if is_array(answer):
        yield "output", answer
    elif isinstance(answer, Mapping):
        yield from ((str(key), one) for key, one in answer.items() if is_array(one))
    elif isinstance(answer, (list, tuple)):
        yield from ((f"output/{i}", one) for i, one in enumerate(answer) if is_array(one))


def _numbered(arrays: Iterator[tuple[str, Any]]) -> Iterator[tuple[Port, Any]]:
    return ((Port(name, i), array) for i, (name, array) in enumerate(arrays))
