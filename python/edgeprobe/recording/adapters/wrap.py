# SPDX-License-Identifier: Apache-2.0
"""Probes around engines: ``interpreter = edgeprobe.wrap(Interpreter("net.tflite"), probe)``; the application needs no other change.

No engine is imported here. The module of an object's type identifies the engine.
"""
from __future__ import annotations

import hashlib
import importlib
import os
import sys
from typing import TYPE_CHECKING, Any, TypeVar

from ...errors import UnsupportedError

if TYPE_CHECKING:
    from ..open_frame import Recording

Engine = TypeVar("Engine")

#: Type name, packages that may contain it, our module, its class, name of the engine in the trace.
_KNOWN = (
    ("Interpreter", ("ai_edge_litert",), "tflite", "WrappedInterpreter", "litert"),
    ("Interpreter", ("tflite_runtime", "tensorflow"), "tflite", "WrappedInterpreter", "tflite"),
    ("InferenceSession", ("onnxruntime",), "onnxruntime", "WrappedSession", "onnxruntime"),
    ("CompiledModel", ("openvino",), "openvino", "WrappedCompiledModel", "openvino"),
    ("InferRequest", ("openvino",), "openvino", "WrappedInferRequest", "openvino"),
)


def wrap(engine: Engine, probe: Recording, *, prefix: str = "", model: str | os.PathLike[str] | None = None) -> Engine:
    """Returns the same engine and records each inference: the model's inputs, the time of the inference only, its outputs.

    ``engine`` is an ``ai_edge_litert`` (or ``tflite_runtime``) ``Interpreter``, an ``onnxruntime.InferenceSession``, an OpenVINO
    ``CompiledModel`` or ``InferRequest``, or any function with array arguments and results. The wrapped object has all methods and attributes of the
    engine, and returns the engine's own results, bit for bit.

    Inside ``with probe.frame() as frame:`` an inference belongs to that frame, else it is its own frame. If one frame contains inferences of several
    models, ``prefix`` distinguishes their tensors. ``model`` writes the name and hash of the model file to the trace. For a model patched by
    ``edgeprobe instrument`` and a probe with ``own_outputs``, further outputs are layers.

    Raises UnsupportedError for any other engine.
    """
    for type_name, packages, module, wrapper, name in _KNOWN:
        package = _package_of(type(engine), type_name, packages)
        if package is None:
            continue
        probe.describe(engine=name, engine_version=getattr(sys.modules.get(package), "__version__", "unknown"))
        if model is not None:
            _describe_model(probe, model)
        wrapped: Any = getattr(importlib.import_module(f".{module}", __package__), wrapper)(engine, probe, prefix)
        return wrapped  # type: ignore[no-any-return]
    if not callable(engine):
        raise UnsupportedError(f"a {type(engine).__module__}.{type(engine).__qualname__} cannot be wrapped; expected a LiteRT Interpreter, an "
                               "onnxruntime InferenceSession, an OpenVINO CompiledModel or InferRequest, or a function")
    if model is not None:
        _describe_model(probe, model)
    from .function import wrapped_function

    function: Any = wrapped_function(engine, probe, prefix)
    return function  # type: ignore[no-any-return]


def _package_of(kind: type, name: str, packages: tuple[str, ...]) -> str | None:
    for base in kind.__mro__:
        package = base.__module__.partition(".")[0]
        if base.__name__ == name and package in packages:
            return package
    return None


def _describe_model(probe: Recording, model: str | os.PathLike[str]) -> None:
    try:
        with open(model, "rb") as file:
            probe.describe(model=model, model_sha256=hashlib.file_digest(file, "sha256").hexdigest())
    except OSError as error:
        probe._failed(error)
