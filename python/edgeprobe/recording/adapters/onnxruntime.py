# SPDX-License-Identifier: Apache-2.0
"""An onnxruntime.InferenceSession."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .recorder import Port, Wrapped

_DTYPES = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16, "tensor(int8)": np.int8,
    "tensor(uint8)": np.uint8, "tensor(int16)": np.int16, "tensor(uint16)": np.uint16, "tensor(int32)": np.int32,
    "tensor(uint32)": np.uint32, "tensor(int64)": np.int64, "tensor(uint64)": np.uint64, "tensor(bool)": np.bool_,
}


class WrappedSession(Wrapped):
    """Records run(), but not run_with_iobinding() or run_async()."""

    def __init__(self, engine: Any, probe: Any, prefix: str) -> None:
        super().__init__(engine, probe, prefix)
        self.__dict__["_inputs"] = {one.name: (Port(one.name, i), _DTYPES.get(one.type)) for i, one in enumerate(engine.get_inputs())}
        self.__dict__["_outputs"] = {one.name: Port(one.name, i) for i, one in enumerate(engine.get_outputs())}

    def run(self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any], run_options: Any = None) -> Any:
        names = list(output_names) if output_names else list(self._outputs)
        return self._recorder.inference(lambda: self._given(input_feed), lambda: self.wrapped.run(output_names, input_feed, run_options),
                                        lambda answer: ((self._outputs[name], value) for name, value in zip(names, answer)))

    def _given(self, feed: Mapping[str, Any]) -> Iterator[tuple[Port, np.ndarray]]:
        for name, value in feed.items():
            if name not in self._inputs:
                continue  # the session raises its own error
            port, dtype = self._inputs[name]
            if hasattr(value, "numpy") and not isinstance(value, np.ndarray):  # an OrtValue
                value = value.numpy()
            # Lists become arrays of the model's type; the session itself refuses arrays of another type.
            yield port, value if isinstance(value, np.ndarray) else np.asarray(value, dtype)
