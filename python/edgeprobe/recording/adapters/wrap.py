# SPDX-License-Identifier: Apache-2.0
"""Probes around engines: ``interpreter = edgeprobe.wrap(Interpreter("net.tflite"), probe)``, and the application stays as it is.

No engine is imported here. What is wrapped is told by the module that its type comes from.
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

#: Type name, packages that may have it, module here, class there, name of the engine in the trace.
_KNOWN = (
    ("Interpreter", ("ai_edge_litert",), "tflite", "WrappedInterpreter", "litert"),
    ("Interpreter", ("tflite_runtime", "tensorflow"), "tflite", "WrappedInterpreter", "tflite"),
    ("InferenceSession", ("onnxruntime",), "onnxruntime", "WrappedSession", "onnxruntime"),
    ("CompiledModel", ("openvino",), "openvino", "WrappedCompiledModel", "openvino"),
    ("InferRequest", ("openvino",), "openvino", "WrappedInferRequest", "openvino"),
)


def wrap(engine: Engine, probe: Recording, *, prefix: str = "", model: str | os.PathLike[str] | None = None) -> Engine:
    """The same engine, of which each inference is recorded: the model's inputs, the time of the inference alone, its outputs.

    ``engine`` is an ``ai_edge_litert`` (or ``tflite_runtime``) ``Interpreter``, an ``onnxruntime.InferenceSession``, an OpenVINO
    ``CompiledModel`` or ``InferRequest``, or any function that takes and gives arrays. What is wrapped has all methods and
    attributes of the engine, and gives the engine's own results, bit for bit.

    Inside ``with probe.frame() as frame:`` an inference belongs to that frame, else it is a frame of its own. Where one frame holds
    inferences of several models, ``prefix`` keeps their tensors apart. ``model`` names the model file in the trace, with its hash.
    Of a model that ``edgeprobe instrument`` has patched, and a probe with ``own_outputs``, further outputs are layers.

    UnsupportedError when it is none of these.
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
