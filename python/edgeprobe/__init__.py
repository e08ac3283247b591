"""edgeprobe: what a model really got, computed and answered, as NumPy arrays.

``load()`` opens a recorded trace, ``replay()`` runs its pictures through your own pre-processing and writes a trace of
what that gives.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .replaying import replay
    from .trace import Channel, Frame, Trace, TraceError, load

__version__ = "0.1.0"
__all__ = ["Channel", "Frame", "Trace", "TraceError", "load", "replay", "__version__"]


def __getattr__(name: str) -> Any:
    # The pipeline process of the command line imports this package where `mcap` may be missing.
    if name in ("Channel", "Frame", "Trace", "TraceError", "load"):
        from . import trace

        return getattr(trace, name)
    if name == "replay":
        from .replaying import replay

        return replay
    raise AttributeError(f"module 'edgeprobe' has no attribute {name!r}")
