# SPDX-License-Identifier: Apache-2.0
"""The tools as data: the arguments of each tool, and its command line."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..verbs.verbs import flags
from .allowed import Allowed, Refused

#: Kinds of values: "read" and "model" are paths that are read, "write" is a path that is written.
Kind = Literal["read", "model", "write", "recipe", "text", "word", "whole", "number", "flag"]
#: File extensions of models. A compiled TVM module is native code, which a client may not run.
_MODELS = (".tflite", ".onnx", ".xml")


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: Kind
    says: str
    required: bool = False
    words: tuple[str, ...] = ()
    most: float | None = None
    positional: bool = False
    #: Words that are not paths.
    besides: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        kinds = {"whole": "integer", "number": "number", "flag": "boolean"}
        found: dict[str, Any] = {"type": kinds.get(self.kind, "string"), "description": self.says}
        if self.words:
            found["enum"] = list(self.words)
        if self.kind in ("whole", "number"):
            found["minimum"] = 1 if self.kind == "whole" else 0
            if self.most is not None:
                found["maximum"] = self.most
        return found


@dataclass(frozen=True)
class Tool:
    name: str
    title: str
    says: str
    parameters: tuple[Parameter, ...]
    #: Flags that are always given.
    always: Mapping[str, Any]
    writes: bool = False

    def input_schema(self) -> dict[str, Any]:
        return {"type": "object", "properties": {one.name: one.schema() for one in self.parameters},
                "required": [one.name for one in self.parameters if one.required], "additionalProperties": False}

    def words(self, arguments: Mapping[str, Any], allowed: Allowed) -> list[str]:
        """The command line, after each path was checked. Raises Refused for a value that is not permitted."""
        positional, options = [], dict(self.always)
        for one in self.parameters:
            if one.name not in arguments:
                continue
            value = _value(one, arguments[one.name], allowed)
            if one.positional:
                positional.append(value)
            else:
                options[one.name] = value
        return [self.name, *flags(options), "--json", "--", *positional]


def _value(one: Parameter, value: Any, allowed: Allowed) -> Any:
    if one.kind in ("read", "model"):
        if value in one.besides:
            return value
        path = allowed.existing(value, one.name)
        if one.kind == "model" and path.suffix not in _MODELS:
            raise Refused(f"{one.name}: {value!r} is not a model that can run here; expected a file that ends in {', '.join(_MODELS)}")
        return str(path)
    if one.kind == "write":
        return str(allowed.new(value, one.name))
    if one.kind == "recipe":
        return allowed.recipe(value, one.name)
    if one.kind == "text" and "\0" in value:
        raise Refused(f"{one.name}: a text without the character 0 is expected")
    return value


_ENGINES = ("litert", "tflite", "onnxruntime", "openvino")
_RECIPE = "Pre-processing as text, e.g. 'resize(224x224, bilinear) | color(rgb) | scale(-1..1)', or a file that contains it"


def _data(required: bool) -> tuple[Parameter, ...]:
    return (Parameter("data", "read", "Folder of pictures, one picture, or recorded tensors (.npz)", required),
            Parameter("labels", "read", "What is true: a CSV with the columns file,label, COCO's .json, an .npz, or the word 'folders'", besides=("folders",)),
            Parameter("classes", "read", "Class names, one a line"),
            Parameter("frames", "whole", "Number of evenly spread samples; 48 give a first answer in seconds"))


_ENGINE = (Parameter("engine", "word", "Runtime; by default that of the model's format", words=_ENGINES),
           Parameter("kernels", "word", "Of litert and tflite", words=("xnnpack", "builtin", "reference")),
           Parameter("threads", "whole", "Threads of the engine", most=256))
_REFERENCE = (Parameter("reference", "model", "The trusted model, e.g. the float model of the training"),
              Parameter("reference_recipe", "recipe", "How pictures were pre-processed in the training. " + _RECIPE),
              Parameter("golden", "read", "Known right outputs (.npz, .csv) instead of a reference"),
              Parameter("gate", "word", "What decides: outputs (the default) or accuracy", words=("outputs", "accuracy")))
_HTML = Parameter("html", "write", "Also write the verdict as a page into this file")

TOOLS = {tool.name: tool for tool in (
    Tool("inspect", "The contents of a model file",
         "Layers, shapes, quantisation and work of a .tflite or .onnx file, without running it; a proposed recipe where its outputs show one. "
         "With lint: what is certainly or likely wrong with the file.",
         (Parameter("model", "model", "Model file", True, positional=True), Parameter("lint", "flag", "Also search for mistakes in the file")), {}),
    Tool("run", "Run a model and record a trace",
         "Runs a model on pictures and records inputs and outputs of each into a trace, which diagnose and compare read.",
         (Parameter("model", "model", "Model file", True, positional=True), *_data(True), Parameter("recipe", "recipe", _RECIPE),
          Parameter("trace", "write", "The trace to write (.mcap); an existing file is never replaced", True),
          Parameter("level", "word", "What is recorded", words=("io", "embedding", "layers")), *_ENGINE), {}, writes=True),
    Tool("check", "Does a deployed model do what was trained?",
         "Runs the deployed model and the reference on the same pictures, and names the cause where they differ (wrong colours, range, resize, "
         "quantisation, kernels, …). Only a cause with the status 'confirmed' was reproduced.",
         (Parameter("model", "model", "The deployed model", True, positional=True), *_data(True), Parameter("recipe", "recipe", "What the app does. " + _RECIPE),
          *_REFERENCE, Parameter("level", "word", "Also compare the layers", words=("io", "embedding", "layers")), *_ENGINE, _HTML), {"images": "none"}, writes=True),
    Tool("diagnose", "Why does a recorded app differ from the reference?",
         "Reads a trace that an app recorded, computes what the reference does with the same pictures, and names the cause. Only a cause with the "
         "status 'confirmed' was reproduced.",
         (Parameter("trace", "read", "The app's trace (.mcap)", True, positional=True), *_REFERENCE,
          Parameter("model", "model", "The model that the app runs, to measure what a fix restores"), *_data(False), _HTML), {"images": "none"}, writes=True),
    Tool("compare", "Do two recordings agree?",
         "Compares two traces tensor by tensor, e.g. of yesterday's build and today's.",
         (Parameter("reference", "read", "The trusted trace", True, positional=True), Parameter("target", "read", "The trace to judge", positional=True),
          Parameter("golden", "read", "Known right outputs instead of a second trace"),
          Parameter("layers", "text", "Only layers whose name fits this pattern: '*' any characters, '?' one"),
          Parameter("labels", "read", "What is true: a CSV with the columns file,label"), Parameter("classes", "read", "Class names, one a line"),
          Parameter("floor", "number", "Mean output distance that counts as agreement")), {}),
    Tool("bench", "How fast is a model here?",
         "Latency with confidence intervals on this machine, and with layers: where the time goes.",
         (Parameter("model", "model", "Model file", True, positional=True), Parameter("threads", "whole", "Threads of the engine", most=256),
          Parameter("duration", "number", "Seconds of timed runs (5)", most=300),
          Parameter("warm_up", "number", "Longest warm-up in seconds (10); it ends when the latency is stable", most=300),
          Parameter("layers", "flag", "Also the time of each layer"),
          Parameter("engine", "word", "Runtime", words=_ENGINES), Parameter("kernels", "word", "Of litert and tflite", words=("xnnpack", "builtin", "reference"))), {}),
)}
