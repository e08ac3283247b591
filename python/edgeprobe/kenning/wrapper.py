# SPDX-License-Identifier: Apache-2.0
"""A ModelWrapper of Kenning as an engine."""
from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

from ..plugins.options import Option
from ..plugins.process import Method, Refused
from ..plugins.tensor import Tensor
from . import dataset
from .classes import named
from .options import inside, made, parameters_of, taken
from .specification import tensors
from .version import version_of

#: The file of the model, which the command line names.
MODEL = ("model_path", "modelpath")


class WrapperAdapter:
    """Runs ``run_inference()``: its inputs and outputs are those of the model's file.

    So they can be compared with the ones of a deployed file, on any engine. With ``io=dataset`` they are what the data set gives and what its ``evaluate()``
    gets: ``preprocess_input()`` and ``postprocess_outputs()`` run as well.
    """

    kenning: type
    base: type
    folder: str
    input_shapes: dict[str, tuple[int, ...]]

    @classmethod
    def version(cls) -> str:
        return version_of(cls.base)

    @classmethod
    def options_for(cls, given: dict[str, str]) -> list[Option]:
        own = [one.option for one in parameters_of(cls.kenning) if one.parameter not in MODEL]
        more = [Option("io", "str", "model", "Inputs and outputs: those of the model, or with the wrapper's pre- and post-processing those of the data set",
                       None, None, ("model", "dataset")),
                Option("dataset", "str", "", "The Dataset that the wrapper asks for its classes and shapes, named like a plug-in; its options are dataset.NAME",
                       None, None, ())]
        own += [one for one in more if one.name not in {two.name for two in own}]
        if given.get("dataset"):
            own += inside("dataset", dataset.options_of(named("dataset", given["dataset"], "Dataset").plugin))
        return own

    def __init__(self, **values: Any) -> None:
        self.call = Method(self.kenning.__name__, self.folder)
        self.io = values.pop("io", "model")
        self.data = values.pop("dataset", "")
        self.data_values = taken("dataset", values)
        self.values = values

    def load(self, file: pathlib.Path) -> None:
        data = None
        if self.data:
            found = named("dataset", self.data, "Dataset")
            data = dataset.opened(found.plugin, self.data_values, Method(found.plugin.__name__, found.folder))
            self.call = Method(self.kenning.__name__, self.folder)
        try:
            self._prepare(file, data)
            if hasattr(self.wrapper, "get_io_specification"):
                return self._describe(self.call("get_io_specification", self.wrapper.get_io_specification))
            self._describe_first()
            self._prepare(file, data)  # that run leaves no trace in a state
        except Refused as error:
            if data is None:  # the usual reason
                raise Refused(error.kind, f"{error}; most wrappers need their Dataset: the options dataset=CLASS and dataset.NAME=VALUE") from None
            raise

    def _prepare(self, file: pathlib.Path, data: Any) -> None:
        name = next(one.option.name for one in parameters_of(self.kenning) if one.parameter in MODEL)
        self.wrapper: Any = self.call("__init__", lambda: made(self.kenning, {**self.values, name: str(file)}, dataset=data, from_file=True))
        self.call("prepare_model", self.wrapper.prepare_model)
        #: Since release 0.0.3 a wrapper gets and gives a list with an array for each input and output, before one array, or in the outer form a list of samples.
        self.has_lists = hasattr(self.base, "_quantize_inputs")

    def _describe(self, said: "dict[str, list[dict[str, Any]]]") -> None:
        outer = self.io == "dataset"
        where = f"{self.kenning.__name__}.get_io_specification"
        first = "input" if outer or "processed_input" not in said else "processed_input"
        last = "processed_output" if outer and "processed_output" in said else "output"
        self.inputs = tensors(said[first], first, where, self.input_shapes)
        self.outputs = tensors(said[last], last, where, {}, real=outer)

    def _describe_first(self) -> None:
        """Of the first releases, which state the inputs only: a run of zeros shows the outputs."""
        shapes, dtype = self.call("get_input_spec", self.wrapper.get_input_spec)
        asked = self.input_shapes
        self.inputs = [Tensor(name, dtype, tuple(asked.get(name) or (asked.get("") if len(shapes) == 1 else None) or shape)) for name, shape in shapes.items()]
        answers = self.run([np.zeros([1 if d < 1 else d for d in one.shape], one.dtype) for one in self.inputs])
        self.outputs = [Tensor(f"output_{i}", one.dtype.name, one.shape) for i, one in enumerate(answers)]

    def run(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        given: Any = [np.array(one) for one in inputs]  # its own: some change or keep them
        if not self.has_lists and len(given) == 1:
            given = list(given[0]) if self.io == "dataset" else given[0]
        if self.io == "dataset":
            given = self.call("preprocess_input", self.wrapper._preprocess_input, given)
        answer = self.call("run_inference", self.wrapper.run_inference, given)
        if self.io == "dataset":
            answer = self.call("postprocess_outputs", self.wrapper._postprocess_outputs, answer)
        if not isinstance(answer, (list, tuple)):
            answer = [answer]
        arrays = [np.asarray(one) for one in answer]
        for tensor, array in zip(getattr(self, "outputs", []), arrays):
            if array.dtype.name != tensor.dtype or not tensor.takes(array.shape):
                self.call.fail("run_inference" if self.io == "model" else "postprocess_outputs", f"returned output '{tensor.name}' as {array.dtype} "
                               f"{list(array.shape)}; get_io_specification() says {tensor.dtype} {list(tensor.shape)}")
        return arrays
