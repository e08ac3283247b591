# SPDX-License-Identifier: Apache-2.0
"""Code that the adapters share: the frame of an inference, and the tensors of a model."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MethodType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from ...errors import Error, UnsupportedError
from ..open_frame import STAGES

if TYPE_CHECKING:
    from ..open_frame import OpenFrame, Recording

Answer = TypeVar("Answer")


class Port(NamedTuple):
    """An input or output of a model."""

    name: str
    position: int
    scale: tuple[float, ...] = ()
    zero_point: tuple[int, ...] = ()
    axis: int = 0


class Recorder:
    def __init__(self, probe: Recording, prefix: str) -> None:
        self.probe = probe
        self.prefix = prefix

    def inference(self, inputs: Callable[[], Iterable[tuple[Port, Any]]], invoke: Callable[[], Answer],
                  outputs: Callable[[Answer], Iterable[tuple[Port, Any]]], inputs_after: bool = False) -> Answer:
        """Runs ``invoke`` and records around it. Exceptions of ``invoke`` are passed on; others only if the probe is strict. ``inputs_after``: for an
        engine that converts inputs within the call, read them after it."""
        probe = self.probe
        frame = probe.current
        own = frame is None
        if frame is None:
            frame = probe.frame()
        try:
            if not inputs_after:
                self._log(frame, "model_input", inputs)
            # As in `with frame.inference():`, whose object and two calls would be a tenth of an adapter's cost.
            native = frame._native
            try:
                native.start()
            except Exception as error:
                probe._failed(error)
            try:
                answer = invoke()
            finally:
                try:
                    native.stop()
                except Exception as error:
                    probe._failed(error)
            if inputs_after:
                self._log(frame, "model_input", inputs)
            self._log(frame, "model_output", outputs, answer)
            return answer
        finally:
            if own:
                frame.end()

    def log_inputs(self, frame: OpenFrame, ports: Callable[[], Iterable[tuple[Port, Any]]]) -> None:
        self._log(frame, "model_input", ports)

    def log_outputs(self, frame: OpenFrame, ports: Callable[[], Iterable[tuple[Port, Any]]]) -> None:
        """The library records outputs beyond the probe's own_outputs as layers. If outputs are not wanted, layers are not wanted either."""
        self._log(frame, "model_output", ports)

    def _log(self, frame: OpenFrame, stage: Literal["model_input", "model_output"], ports: Callable[..., Iterable[tuple[Port, Any]]],
             *answer: Any) -> None:
        native, code, prefix = frame._native, STAGES[stage], self.prefix
        try:
            if not native.wants(code):
                return
            for (name, position, scale, zero_point, axis), array in ports(*answer):
                # Arrays that need no conversion go straight to the library, because frame.tensor() would be most of an adapter's cost.
                if native.tensor(prefix + name, array, code, -1, scale, zero_point, axis, position, None) is False:
                    frame.tensor(prefix + name, array, stage, scale=scale or None, zero_point=zero_point or None, axis=axis, position=position)
        except Exception as error:
            self._could_not_read(error)

    def _could_not_read(self, error: Exception) -> None:
        if isinstance(error, Error):
            self.probe._failed(error)
            return
        self.probe._failed(UnsupportedError(f"the model's tensors cannot be read: {' '.join(str(error).split()) or type(error).__name__}"))


class Wrapped:
    """Has all methods and attributes of the engine; its subclasses define the recording."""

    def __init__(self, engine: Any, probe: Recording, prefix: str) -> None:
        self.__dict__["wrapped"] = engine
        self.__dict__["_recorder"] = Recorder(probe, prefix)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.wrapped, name)
        if isinstance(value, MethodType):  # cached, so that the next lookup is fast
            self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__ or hasattr(type(self), name):
            super().__setattr__(name, value)
        else:
            setattr(self.wrapped, name, value)

    def __repr__(self) -> str:
        return f"<recorded {self.wrapped!r}>"
