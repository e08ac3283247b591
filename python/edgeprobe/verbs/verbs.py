# SPDX-License-Identifier: Apache-2.0
"""The verbs of the command line as functions, with a keyword for each flag; they return the parsed JSON result.

A keyword is its flag with ``_`` for ``-``: ``check(..., reference_recipe=R)`` is ``edgeprobe check --reference-recipe R``. True sets a flag without a
value, None and False omit it, a list repeats it, a tuple of numbers is a shape (``1x96x96x3``). ``edgeprobe VERB --help`` explains the flags.
"""
from __future__ import annotations

import inspect
import json
import os
import reprlib
from collections.abc import Callable, Sequence
from typing import Any, Literal, NoReturn, TypedDict, Unpack

from ..command_line import DIFFERS, UNDECIDED, call
from ..errors import FailedError, UsageError

Path = str | os.PathLike[str]
#: "FILE.py:FUNCTION", or a function that is defined at the top level of a file.
Pipeline = str | Callable[..., Any]


#: Results may be hundreds of kilobytes long.
_SHORT = reprlib.Repr()
_SHORT.maxdict, _SHORT.maxstring, _SHORT.maxother = 20, 120, 200


class Result(dict[str, Any]):
    """A JSON object from the program. Keys are also attributes: ``result.frames.joined``. Objects in lists are Results, too."""

    #: Exit code of the program: 0 agrees or done, 3 differs, 4 undecided. Only the outermost Result has it.
    exit_code: int = 0
    #: For check() and diagnose(): the file of the HTML page, and in a notebook its text, because a later page may replace the file.
    _page_path: str | None = None
    _page: str | None = None

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the result has no {name!r}; it has {', '.join(self)}") from None

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"results are not changed by attributes ({name!r})")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(key for key in self if key.isidentifier())]

    @property
    def agrees(self) -> bool:
        return self.exit_code == 0

    @property
    def differs(self) -> bool:
        return self.exit_code == DIFFERS

    @property
    def undecided(self) -> bool:
        """The data do not decide; the result says what would."""
        return self.exit_code == UNDECIDED

    def __repr__(self) -> str:
        """Shortened with "..."; ``dict(result)`` and ``json.dumps(result)`` show everything."""
        return f"Result({_SHORT.repr(dict(self))})"

    def _repr_html_(self) -> str:
        from ..notebook.results import result_html  # only for notebooks

        return result_html(self, self._page, self._page_path)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """The text that IPython shows, kept short: the notebook's file would otherwise store a verdict of hundreds of kilobytes."""
        from ..notebook.results import result_text

        printer.text("Result(…)" if cycle else result_text(self) or repr(self))


class LocalEngineOptions(TypedDict, total=False):
    engine: str
    plugin: Path | list[Path]
    kernels: Literal["xnnpack", "builtin", "reference"]
    threads: int | str
    delegate: str | list[str]
    custom_ops: Path | list[Path]
    trust: bool
    optimization: Literal["off", "basic", "extended", "all", "file"]
    precision: Literal["f32", "engine"]
    no_spinning: bool
    input_shape: str | tuple[int, ...] | list[str]
    time_limit: float


class EngineOptions(LocalEngineOptions, total=False):
    target: str
    target_program: Path


class PartOptions(TypedDict, total=False):
    download_dataset: bool
    split: Literal["train", "validation", "test", "all"]
    split_fraction_test: float
    split_fraction_val: float
    split_seed: int


class DataOptions(PartOptions, total=False):
    labels: Path
    classes: Path
    frames: int
    python: Path
    state: str | list[str]


class RunOptions(EngineOptions, DataOptions, total=False):
    recipe: Path
    pipeline: Pipeline
    tokenizer: Path
    level: Literal["none", "io", "embedding", "layers"]
    layer_times: bool
    there: bool
    trace: Path
    undeclared: bool
    sensors: bool | str
    measurements: Path
    metric: Pipeline
    conversion: Path
    raw: Literal["encoded", "pixels", "none"]
    no_raw: bool
    force: bool
    max_size: str
    cpus: str


class ReplayOptions(EngineOptions, DataOptions, total=False):
    recipe: Path
    pipeline: Pipeline
    tokenizer: Path
    level: Literal["none", "io", "embedding", "layers"]
    layer_times: bool
    max_size: str
    cpus: str


class CompareOptions(TypedDict, total=False):
    golden: Path
    layers: str | list[str]
    map: Path
    top: int
    by_frame_number: bool
    floor: float
    first_above: float
    labels: Path
    classes: Path
    boxes: str
    metric: Pipeline
    python: Path
    html: Path
    node_data: Path
    junit: Path
    sarif: Path
    markdown: Path
    annotations: Path
    images: Literal["full", "none"]


class ReferenceOptions(TypedDict, total=False):
    reference: Path
    reference_recipe: Path
    reference_pipeline: Pipeline
    reference_tokenizer: Path
    reference_state: str | list[str]
    golden: Path
    reference_engine: str
    reference_plugin: Path | list[Path]
    reference_kernels: Literal["xnnpack", "builtin", "reference"]
    reference_python: Path
    reference_threads: int
    reference_delegate: str | list[str]
    reference_custom_ops: Path | list[Path]
    reference_trust: bool
    reference_optimization: Literal["off", "basic", "extended", "all", "file"]
    reference_precision: Literal["f32", "engine"]
    reference_no_spinning: bool
    reference_input_shape: str | tuple[int, ...] | list[str]
    reference_time_limit: float
    gate: Literal["outputs", "accuracy", "metric"]
    metric: Pipeline
    boxes: str
    html: Path
    node_data: Path
    junit: Path
    sarif: Path
    markdown: Path
    annotations: Path
    images: Literal["full", "none"]
    max_replay: int
    exhaustive: bool
    first_above: float
    write_fix: Path
    fix_python: Path


class DiagnoseOptions(EngineOptions, DataOptions, ReferenceOptions, total=False):
    reference_trace: Path
    model: Path
    data: Path
    map: Path


class CheckOptions(EngineOptions, DataOptions, ReferenceOptions, total=False):
    recipe: Path
    tokenizer: Path
    level: Literal["io", "embedding", "layers"]
    keep_traces: Path
    map: Path
    max_size: str
    cpus: str


def run(model: Path, data: Path, **options: Unpack[RunOptions]) -> Result:
    """Runs a model on pictures and records a trace: ``edgeprobe run``."""
    return _verb("run", [model], RunOptions, dict(options), data=data)


def compare(reference: Path, target: Path | None = None, **options: Unpack[CompareOptions]) -> Result:
    """Compares two recorded traces: ``edgeprobe compare``. Without a target, ``golden=`` outputs judge the only trace."""
    return _verb("compare", [reference] if target is None else [reference, target], CompareOptions, dict(options))


def diagnose(trace: Path, **options: Unpack[DiagnoseOptions]) -> Result:
    """Finds out why a recorded trace differs from the reference: ``edgeprobe diagnose``."""
    return _with_page("diagnose", [trace], DiagnoseOptions, dict(options))


def check(model: Path, data: Path, **options: Unpack[CheckOptions]) -> Result:
    """Checks that a deployment matches its training, and finds the cause if not: ``edgeprobe check``."""
    return _with_page("check", [model], CheckOptions, dict(options), data=data)


def replay_model(trace: Path, model: Path | None, out: Path, data: Path | None, force: bool, options: dict[str, Any]) -> Result:
    """``edgeprobe replay``, see ``edgeprobe.replay``."""
    return _verb("replay", [trace] if model is None else [trace, model], ReplayOptions, options, trace=out, data=data, force=force)


def _with_page(verb: str, positional: Sequence[Path], known: type, options: dict[str, Any], **own: Any) -> Result:
    """A verdict that knows its page: in a notebook it always has one."""
    from ..notebook.pages import new_page, read_page

    page = options["html"] = options.get("html") or new_page()
    result = _verb(verb, positional, known, options, **own)
    if page:
        object.__setattr__(result, "_page_path", os.path.abspath(page))
        object.__setattr__(result, "_page", read_page(page))
    return result


def _verb(verb: str, positional: Sequence[Path], known: type, options: dict[str, Any], **own: Any) -> Result:
    for name in options:
        if name not in known.__annotations__:
            raise TypeError(f"{verb}() got an unexpected keyword argument {name!r}; it knows {', '.join(sorted(known.__annotations__))}")
    done = call([*verb.split(), *flags({**own, **options}), "--json", "--", *map(_text, positional)])
    try:
        result: Result = json.loads(done.out, object_hook=Result)
    except ValueError as error:
        raise FailedError(f"edgeprobe {verb} did not answer with JSON: {error}") from None
    object.__setattr__(result, "exit_code", done.code)
    return result


def flags(options: dict[str, Any]) -> list[str]:
    """Keywords as flags of the command line."""
    given: list[str] = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            given.append(flag)
        elif isinstance(value, list):
            for one in value:
                given += [flag, _text(one)]
        else:
            given += [flag, _text(value)]
    return given


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return "x".join(map(str, value))
    if callable(value):
        return _place(value)
    text = os.fspath(value) if isinstance(value, (str, os.PathLike)) else str(value)
    # An argument that begins with a dash is a file here, never a flag.
    return f"./{text}" if text.startswith("-") and not _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _place(function: Callable[..., Any]) -> str:
    name = getattr(function, "__qualname__", "")
    # The process that runs the function called it again, and would do so without end.
    if getattr(function, "__module__", "") == "edgeprobe_user_plugin":
        raise UsageError(f"the file of the function {name!r} starts a verb while it is imported; put that under if __name__ == '__main__':")
    try:
        file = inspect.getsourcefile(function)
    except TypeError:
        file = None
    if not name.isidentifier() or file is None or not os.path.isfile(file):
        raise UsageError(f"the function {name or function!r} is not at the top level of a file; a process of its own runs it, so it must be "
                         "importable: move it there, or give 'FILE.py:FUNCTION'")
    return f"{file}:{name}"
