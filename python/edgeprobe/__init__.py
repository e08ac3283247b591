# SPDX-License-Identifier: Apache-2.0
"""edgeprobe: records a model's inputs, layers and outputs inside your application, and explains differences.

``Probe`` records a trace, ``wrap()`` records the inferences of an engine, ``load()`` opens a trace, and ``run()``, ``replay()``, ``compare()``,
``diagnose()``, ``check()``, ``bench()``, ``inspect()``, ``contract.check()`` and ``stretch.search()`` are verbs of the command line.
docs/guides/python.md is the guide.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .folders import FOLDERS, native_folders

if TYPE_CHECKING:
    from .command_line import executable
    from .errors import ArgumentError, CorruptError, Error, FailedError, LimitError, NotFoundError, OffError, TraceError, UnsupportedError, UsageError
    from .recording.adapters.wrap import wrap
    from .recording.open_frame import OpenFrame
    from .recording.probe import Probe, Statistics
    from .traces.answer import Answer
    from .traces.channel import Channel
    from .traces.frame import Frame, Frames, Span
    from .traces.series import Absence, LevelStep, Mark, Series
    from .traces.sketch import Sketch
    from .traces.trace import Trace, load
    from .verbs import contract, stretch
    from .verbs.deploying import DeploymentFailed, assert_deploys
    from .verbs.models import bench, inspect
    from .verbs.dumps import why
    from .verbs.replaying import replay
    from .verbs.verbs import Result, check, compare, diagnose, run

__version__ = "1.0.0rc1"
__all__ = [
    "Absence", "Answer", "ArgumentError", "Channel", "CorruptError", "DeploymentFailed", "Error", "FailedError", "Frame", "Frames", "LevelStep", "LimitError", "Mark", "NotFoundError",
    "OffError", "OpenFrame", "Probe", "Result", "Series", "Sketch", "Span", "Statistics", "Trace", "TraceError", "UnsupportedError",
    "UsageError", "__version__", "assert_deploys", "bench", "check", "compare", "contract", "diagnose", "executable", "inspect", "load", "replay", "run", "stretch", "why", "wrap",
]

#: The module of each public name. A name is imported on first use, because the pipeline process of the command line needs this
#: package when only NumPy is installed, and an application should not pay for parts that it does not use.
_HOME = {
    "command_line": "executable",
    "errors": "ArgumentError CorruptError Error FailedError LimitError NotFoundError OffError TraceError UnsupportedError UsageError",
    "recording.adapters.wrap": "wrap",
    "recording.open_frame": "OpenFrame",
    "recording.probe": "Probe Statistics",
    "traces.answer": "Answer",
    "traces.channel": "Channel",
    "traces.frame": "Frame Frames Span",
    "traces.series": "Absence LevelStep Mark Series",
    "traces.sketch": "Sketch",
    "traces.trace": "Trace load",
    "verbs.contract": "contract",
    "verbs.dumps": "why",
    "verbs.deploying": "DeploymentFailed assert_deploys",
    "verbs.models": "bench inspect",
    "verbs.replaying": "replay",
    "verbs.stretch": "stretch",
    "verbs.verbs": "Result check compare diagnose run",
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names.split()}

__path__.extend(native_folders())
FOLDERS.extend(__path__)


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'edgeprobe' has no attribute {name!r}")
    try:
        value = getattr(importlib.import_module(f".{module}", __name__), name)
    except ImportError:
        from importlib.util import find_spec  # most programs never need it

        if find_spec(f"{__name__}._native") is not None:
            raise
        raise ImportError("the native part of edgeprobe is not built for this Python: pip install . in the checkout, or script/setup --test there "
                          "(docs/guides/python.md, Build it)") from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
