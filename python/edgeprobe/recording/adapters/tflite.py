# SPDX-License-Identifier: Apache-2.0
"""An Interpreter of ai_edge_litert, tflite_runtime or TensorFlow."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .recorder import Port, Wrapped


class WrappedInterpreter(Wrapped):
    def __init__(self, engine: Any, probe: Any, prefix: str) -> None:
        super().__init__(engine, probe, prefix)
        self.__dict__["_ports"] = None

    def invoke(self) -> None:
        interpreter = self.wrapped
        self._recorder.inference(lambda: self._tensors(0), interpreter.invoke, lambda _: self._tensors(1))

    def get_signature_runner(self, *args: Any, **kwargs: Any) -> WrappedRunner:
        return WrappedRunner(self.wrapped.get_signature_runner(*args, **kwargs), self._recorder)

    def allocate_tensors(self) -> Any:
        self.__dict__["_ports"] = None
        return self.wrapped.allocate_tensors()

    def _tensors(self, side: int) -> Iterator[tuple[Port, np.ndarray]]:
        interpreter = self.wrapped
        if self._ports is None:
            self.__dict__["_ports"] = tuple([(port_of(i, details), details["index"]) for i, details in enumerate(sides)]
                                            for sides in (interpreter.get_input_details(), interpreter.get_output_details()))
        for port, index in self._ports[side]:
            yield port, interpreter.tensor(index)()  # a view, which must be released: the engine refuses to run while a view exists


class WrappedRunner:
    """A signature's runner: a function of named arrays."""

    def __init__(self, runner: Any, recorder: Any) -> None:
        self.wrapped = runner
        self._recorder = recorder
        self._inputs = {key: port_of(i, details) for i, (key, details) in enumerate(runner.get_input_details().items())}
        self._outputs = {key: port_of(i, details) for i, (key, details) in enumerate(runner.get_output_details().items())}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.wrapped, name)

    def __call__(self, **arrays: Any) -> Any:
        return self._recorder.inference(lambda: ((self._inputs[key], value) for key, value in arrays.items() if key in self._inputs),
                                        lambda: self.wrapped(**arrays),
                                        lambda answer: ((self._outputs[key], value) for key, value in answer.items() if key in self._outputs))


def port_of(position: int, details: dict[str, Any]) -> Port:
    quantisation = details.get("quantization_parameters", {})
    scales = np.asarray(quantisation.get("scales", ()), np.float64).ravel()
    zero_points = np.asarray(quantisation.get("zero_points", ()), np.int64).ravel()
    return Port(details["name"], position, tuple(scales.tolist()), tuple(zero_points.tolist()) if scales.size else (),
                int(quantisation.get("quantized_dimension", 0)) if scales.size > 1 else 0)
