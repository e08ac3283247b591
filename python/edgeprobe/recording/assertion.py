# SPDX-License-Identifier: Apache-2.0
"""Assertions of an application about itself; `edgeprobe contract check` judges them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: A truth value, a text with the problem (empty: no problem), or a function that returns one of these or None, or uses assert.
Check = bool | str | Callable[[], Any]


def wrong_with(check: Check) -> str:
    """The problem in one sentence; empty if the assertion holds. A check that raises does not hold."""
    try:
        said: Any = check
        if callable(check):
            said = check()
            if said is None:  # A function that only uses assert returns None.
                return ""
        if isinstance(said, str):
            return said
        return "" if said else "it is false"
    except AssertionError as error:
        return str(error) or "an assert does not hold"
    except Exception as error:
        return f"it raises {type(error).__name__}: {error}"
