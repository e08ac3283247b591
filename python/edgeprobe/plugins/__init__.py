# SPDX-License-Identifier: Apache-2.0
"""What plug-ins are written with: ``option()`` declares an option, ``Tensor`` an input, an output or a layer. docs/extending.md is the guide."""
import importlib

__all__ = ["Tensor", "option"]

_HOME = {"Tensor": "tensor", "option": "options"}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
