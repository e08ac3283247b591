# SPDX-License-Identifier: Apache-2.0
"""What an application asserts of itself: `edgeprobe contract check` judges it."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: A truth value, a text that says what is wrong (empty: nothing), or a function that returns one of them, or None, or asserts.
Check = bool | str | Callable[[], Any]


def wrong_with(check: Check) -> str:
    """The problem in one sentence; empty if the assertion holds. A check that raises does not hold."""
    try:
        said: Any = check
        if callable(check):
            said = check()
            if said is None:  # A function of asserts alone.
                return ""
        if isinstance(said, str):
            return said
        return "" if said else "it is false"
    except AssertionError as error:
        return str(error) or "an assert does not hold"
    except Exception as error:
        return f"it raises {type(error).__name__}: {error}"
