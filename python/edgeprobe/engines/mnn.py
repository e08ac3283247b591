# SPDX-License-Identifier: Apache-2.0
"""MNN, from its Python package."""
from __future__ import annotations

import dataclasses
import pathlib
from typing import Any, Literal

import MNN
import numpy as np

from ..plugins.options import option
from ..plugins.tensor import Tensor


@dataclasses.dataclass
class Mnn:
    """MNN, on the CPU. --precision f32 asks for MNN's precision 'high'; engine for 'low', with which it may compute in float16 or bfloat16."""

    formats = (".mnn",)
    stateful = False
    threads: int = option(1, "Threads of MNN", least=1, most=256)
    precision: Literal["f32", "engine"] = option("f32", "f32 (MNN's 'high') or engine (its 'low')")

    @staticmethod
    def version() -> str:
        return MNN.version()

    def load(self, file: pathlib.Path) -> None:
        self.config = {"numThread": self.threads, "precision": "high" if self.precision == "f32" else "low", "backend": "CPU"}
        self.layers, self.notes, self.module = [], [], None
        try:
            self.interpreter = MNN.Interpreter(str(file))
        except Exception:  # its sentence names no file
            raise ValueError(f"'{file.name}' is no model of MNN {MNN.version()}, or is damaged") from None
        self.session = self.interpreter.createSession({key: value for key, value in self.config.items() if key != "backend"})
        given = self.interpreter.getSessionInputAll(self.session)
        for name, tensor in given.items():
            shape = self.input_shapes.get(name) or (self.input_shapes.get("") if len(given) == 1 else None)
            if shape is None and min(tensor.getShape(), default=1) < 1:
                raise ValueError(f"input '{name}' has the open shape {list(tensor.getShape())}; give one: --input-shape {name}=1x3x224x224")
            if shape is not None:
                self.interpreter.resizeTensor(tensor, tuple(shape))
        self.interpreter.resizeSession(self.session)
        self.given = self.interpreter.getSessionInputAll(self.session)
        self.inputs = [self._described(name, tensor) for name, tensor in self.given.items()]
        self.answers = self.interpreter.getSessionOutputAll(self.session)
        if self.interpreter.runSession(self.session) == 0:
            self.outputs = [self._described(name, tensor) for name, tensor in self.answers.items()]
            self.layers = self._layers()
        else:
            self._load_module(file)
        if self.precision == "engine":
            self.notes.append(self._what_low_is())

    def _what_low_is(self) -> str:
        """What low precision means here, which MNN does not tell: its answers to some inputs, next to those of high precision."""
        asked = "MNN was asked for low precision"
        if self.module is not None:
            return f"{asked}: it may compute in float16 or bfloat16 where the processor has them; it does not tell in which it did"
        random = np.random.default_rng(0)
        inputs = [random.normal(size=one.shape).astype(one.dtype) if one.dtype == "float32" else np.zeros(one.shape, one.dtype) for one in self.inputs]
        low, mine = self.run(inputs), (self.session, self.given, self.answers)
        self.session = self.interpreter.createSession({"numThread": self.threads, "precision": "high"})
        self.given, self.answers = self.interpreter.getSessionInputAll(self.session), self.interpreter.getSessionOutputAll(self.session)
        for tensor, one in zip(self.given.values(), self.inputs):
            self.interpreter.resizeTensor(tensor, one.shape)
        self.interpreter.resizeSession(self.session)
        high = self.run(inputs)
        self.session, self.given, self.answers = mine
        if all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(low, high)):
            return f"{asked}; its answers to a trial are those of high precision, bit for bit: on this processor it computes in float32"
        return f"{asked}; its answers to a trial differ from those of high precision: it computes in float16 or bfloat16 in part; it does not tell where"

    def _load_module(self, file: pathlib.Path) -> None:
        """MNN's other interface, for what a session cannot compute: loops and branches."""
        names = list(self.answers)
        self.module = MNN.nn.load_module_from_file(str(file), [one.name for one in self.inputs], names,
                                                   runtime_manager=MNN.nn.create_runtime_manager((self.config,)))
        self.formats_of = [one.data_format for one in self.module.get_info()["inputs"]]
        try:
            values = self._run_module([np.zeros(one.shape, one.dtype) for one in self.inputs])
        except Exception as error:
            raise ValueError(f"MNN cannot compute '{file.name}' with inputs of the shapes {', '.join(str(list(one.shape)) for one in self.inputs)} ({error})") from None
        self.outputs = [Tensor(name, value.dtype.name, value.shape) for name, value in zip(names, values)]
        self.notes.append("the model has loops or branches: it runs by MNN's Module, which shows no layers")

    def _run_module(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        kinds = {"float32": MNN.expr.float, "int32": MNN.expr.int, "uint8": MNN.expr.uint8, "int64": MNN.expr.int64}
        variables = []
        for tensor, array, layout in zip(self.inputs, inputs, self.formats_of):
            # A layout of four channels at a time is MNN's own: the value is written plainly and converted.
            own = layout == MNN.expr.NC4HW4
            variable = MNN.expr.placeholder(list(array.shape), MNN.expr.NCHW if own else layout, kinds[tensor.dtype])
            variable.write(np.ascontiguousarray(array))
            variables.append(MNN.expr.convert(variable, MNN.expr.NC4HW4) if own else variable)
        answers = self.module.forward(variables)
        if not answers:
            raise RuntimeError("MNN computes no output")
        answers = [MNN.expr.convert(one, MNN.expr.NCHW) if one.data_format == MNN.expr.NC4HW4 else one for one in answers]
        return [np.array(one.read()).reshape(one.shape) for one in answers]

    def _layers(self) -> list[Tensor]:
        """The results of all operators, which MNN names only while it runs."""
        wanted, self.capturing = self.capturing, True
        self.run([np.zeros(one.shape, one.dtype) for one in self.inputs])
        self.capturing = wanted
        return [tensor for tensor, _ in self.captured]

    @staticmethod
    def _dtype(tensor: Any) -> str:
        kinds = {"float32": MNN.Halide_Type_Float, "int32": MNN.Halide_Type_Int, "uint8": MNN.Halide_Type_Uint8, "int64": MNN.Halide_Type_Int64}
        for name, kind in kinds.items():
            if tensor.getDataType() == kind:
                return name
        raise ValueError(f"MNN reports the unknown type {tensor.getDataType()!r}")

    def _described(self, name: str, tensor: Any, layer_type: str = "") -> Tensor:
        return Tensor(name, self._dtype(tensor), tuple(int(d) for d in tensor.getShape()), layer_type=layer_type)

    @staticmethod
    def _layout(tensor: Any) -> Any:
        """The plain layout of a tensor's values: NC4HW4 is MNN's own and is copied out as NCHW."""
        return MNN.Tensor_DimensionType_Tensorflow if tensor.getDimensionType() == MNN.Tensor_DimensionType_Tensorflow else MNN.Tensor_DimensionType_Caffe

    def _values(self, tensor: Any) -> np.ndarray:
        shape = tuple(int(d) for d in tensor.getShape())
        host = MNN.Tensor(shape, tensor.getDataType(), np.zeros(shape, self._dtype(tensor)), self._layout(tensor))
        if not tensor.copyToHostTensor(host):
            raise RuntimeError("MNN does not hand out a result")
        return np.array(host.getNumpyData()).reshape(shape)

    def run(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        if self.module is not None:
            return self._run_module(inputs)
        for tensor, array in zip(self.given.values(), inputs):
            host = MNN.Tensor(tuple(int(d) for d in tensor.getShape()), tensor.getDataType(), np.ascontiguousarray(array), self._layout(tensor))
            tensor.copyFrom(host)
        if self.capturing:
            self.captured: list[tuple[Tensor, np.ndarray]] = []
            code = self.interpreter.runSessionWithCallBackInfo(self.session, lambda *_: True, self._keep)
        else:
            code = self.interpreter.runSession(self.session)
        if code:
            raise RuntimeError(f"MNN cannot run the model (code {code})")
        return [self._values(tensor) for tensor in self.answers.values()]

    def _keep(self, tensors: list[Any], operator: Any) -> bool:
        for at, tensor in enumerate(tensors):
            name = operator.getName() + (f":{at}" if at else "")
            if operator.getType() != "Raster":  # a change of layout between operators
                self.captured.append((self._described(name, tensor, operator.getType()), self._values(tensor)))
        return True

    def layer_values(self, numbers: list[int]) -> list[np.ndarray]:
        return [self.captured[number][1] for number in numbers]
