# SPDX-License-Identifier: Apache-2.0
"""An OpenVINO CompiledModel or InferRequest."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .recorder import Port, Recorder, Wrapped


class WrappedCompiledModel(Wrapped):
    """Records calls of the model itself, infer_new_request(), and requests created from it."""

    def __init__(self, engine: Any, probe: Any, prefix: str) -> None:
        super().__init__(engine, probe, prefix)
        self.__dict__["_request"] = None

    def __call__(self, inputs: Any = None, share_inputs: bool = True, share_outputs: bool = False, **more: Any) -> Any:
        # One request for all calls, as in the engine itself.
        if self._request is None:
            self.__dict__["_request"] = self.create_infer_request()
        return self._request.infer(inputs, share_inputs=share_inputs, share_outputs=share_outputs, **more)

    def infer_new_request(self, inputs: Any = None) -> Any:
        return self.create_infer_request().infer(inputs)

    def create_infer_request(self) -> WrappedInferRequest:
        return WrappedInferRequest(self.wrapped.create_infer_request(), self._recorder.probe, self._recorder.prefix)


class WrappedInferRequest(Wrapped):
    """Records infer(), and start_async() with its wait()."""

    def __init__(self, engine: Any, probe: Any, prefix: str) -> None:
        super().__init__(engine, probe, prefix)
        model = engine.get_compiled_model()
        self.__dict__["_inputs"] = [port_of(i, port) for i, port in enumerate(model.inputs)]
        self.__dict__["_outputs"] = [port_of(i, port) for i, port in enumerate(model.outputs)]
        self.__dict__["_waiting"] = None

    def infer(self, *args: Any, **kwargs: Any) -> Any:
        # The engine converts its arguments within the call; its input tensors contain the values that the model received.
        return self._recorder.inference(self._given, lambda: self.wrapped.infer(*args, **kwargs), lambda _: self._answered(), inputs_after=True)

    def start_async(self, *args: Any, **kwargs: Any) -> None:
        probe = self._recorder.probe
        frame = probe.current
        own = frame is None
        frame = frame or probe.frame()
        inference = frame.inference()
        inference.__enter__()
        self.__dict__["_waiting"] = (frame, inference, own)
        try:
            self.wrapped.start_async(*args, **kwargs)
        except BaseException:
            self.__dict__["_waiting"] = None
            inference.__exit__()
            if own:
                frame.end()
            raise

    def wait(self) -> Any:
        try:
            return self.wrapped.wait()
        finally:
            self._finish()

    def wait_for(self, timeout: int) -> bool:
        done = bool(self.wrapped.wait_for(timeout))
        if done:
            self._finish()
        return done

    def _finish(self) -> None:
        waiting, self.__dict__["_waiting"] = self._waiting, None
        if waiting is None:
            return
        frame, inference, own = waiting
        inference.__exit__()
        recorder: Recorder = self._recorder
        recorder.log_inputs(frame, self._given)
        recorder.log_outputs(frame, self._answered)
        if own:
            frame.end()

    def _given(self) -> Iterator[tuple[Port, np.ndarray]]:
        return ((port, self.wrapped.get_input_tensor(port.position).data) for port in self._inputs)

    def _answered(self) -> Iterator[tuple[Port, np.ndarray]]:
        return ((port, self.wrapped.get_output_tensor(port.position).data) for port in self._outputs)


def port_of(position: int, port: Any) -> Port:
    # Names from converters come first in the engine's own list; ports without a name are numbered.
    names = port.get_names()
    return Port(port.get_any_name() if names else str(position), position)
