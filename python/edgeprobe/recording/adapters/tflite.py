# SPDX-License-Identifier: Apache-2.0
"""An Interpreter of ai_edge_litert, tflite_runtime or TensorFlow."""
from __future__ import annotations

from typing import Any

import numpy as np

from .recorder import Port, Wrapped


class WrappedInterpreter(Wrapped):
    def __init__(self, engine: Any, probe: Any, prefix: str) -> None:
        super().__init__(engine, probe, prefix)
        self.__dict__["_ports"] = None

    def invoke(self) -> None:
        self._recorder.inference(self._inputs, self.wrapped.invoke, self._outputs)

    def get_signature_runner(self, *args: Any, **kwargs: Any) -> WrappedRunner:
        return WrappedRunner(self.wrapped.get_signature_runner(*args, **kwargs), self._recorder)

    def allocate_tensors(self) -> Any:
        self.__dict__["_ports"] = None
        return self.wrapped.allocate_tensors()

    def _inputs(self) -> list[tuple[Port, np.ndarray]]:
        return self._tensors(0)

    def _outputs(self, _: None) -> list[tuple[Port, np.ndarray]]:
        return self._tensors(1)

    def _tensors(self, side: int) -> list[tuple[Port, np.ndarray]]:
        if self._ports is None:
            interpreter = self.wrapped
            self.__dict__["_ports"] = tuple([(port_of(i, details), interpreter.tensor(details["index"])) for i, details in enumerate(sides)]
                                            for sides in (interpreter.get_input_details(), interpreter.get_output_details()))
        # Views, which must be released: the engine refuses to run while a view exists. The functions that make them may be kept.
        return [(port, view()) for port, view in self._ports[side]]


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
