# SPDX-License-Identifier: Apache-2.0
"""PyTorch: exported programs and TorchScript."""
from __future__ import annotations

import dataclasses
import operator
import pathlib
from typing import Any, Literal

import numpy as np
import torch

from ..plugins.arrays import numpy_dtype
from ..plugins.options import option
from ..plugins.tensor import Tensor


@dataclasses.dataclass
class Torch:
    """PyTorch on the CPU: exported programs (.pt2, from torch.export.save) and TorchScript (.pt, .ts, from torch.jit.save).

    A file of torch.save(model) is refused: it is a pickle, and loading it would run code that it names.
    """

    formats = (".pt2", ".pt", ".pth", ".ts", ".torchscript")
    threads: int = option(1, "Threads of an operator", least=1, most=256)
    precision: Literal["f32", "engine"] = option("f32", "f32, or engine: products of float32 may be computed in bfloat16 where the processor does so faster")

    types: str = option("", "Types of the inputs of TorchScript, which does not state them, as ids:int64,mask:bool; float32 for those not named")

    @staticmethod
    def version() -> str:
        return torch.__version__

    def load(self, file: pathlib.Path) -> None:
        torch.set_num_threads(self.threads)
        torch.set_float32_matmul_precision("highest" if self.precision == "f32" else "medium")
        self.notes = ["float32 products may be computed in bfloat16 (--precision engine)"] if self.precision == "engine" else []
        self.layers: list[Tensor] = []
        if file.suffix == ".pt2":
            self._load_exported(file)
        else:
            self._load_script(file)
        try:
            values = self._zeros()
        except RuntimeError as error:
            said = next((line for line in reversed(str(error).splitlines()) if line.strip()), "")
            kinds = ", ".join(f"'{one.name}' {one.dtype} {list(one.shape)}" for one in self.inputs)
            hint = "" if file.suffix == ".pt2" else f"; other types are stated as --engine 'torch?types={self.inputs[0].name}:int64'"
            raise ValueError(f"the model does not take the inputs {kinds}: {said}{hint}") from None
        names = self.names if len(self.names) == len(values) else [f"output_{i}" for i in range(len(values))]
        self.outputs = [Tensor(name, value.dtype.name, value.shape) for name, value in zip(names, values)]

    def _load_exported(self, file: pathlib.Path) -> None:
        try:
            program = torch.export.load(file)
        except Exception as error:
            said = next(iter(str(error).splitlines()), "") or type(error).__name__
            raise ValueError(f"'{file.name}' is no exported program of PyTorch {torch.__version__}, or is damaged ({said})") from None
        signature = program.graph_signature
        shown = {node.name: node.meta.get("val") for node in program.graph.nodes}
        given = [name for name in signature.user_inputs if isinstance(name, str) and isinstance(shown.get(name), torch.Tensor)]
        if len(given) < len(signature.user_inputs):
            raise ValueError("the exported program takes arguments that are not tensors; export it with them fixed")
        self.inputs = [Tensor(name, _dtype(shown[name].dtype), self._shape_of(name, shown[name].shape, len(given))) for name in given]
        for tensor in self.inputs:
            stated = [int(d) if isinstance(d, int) else -1 for d in shown[tensor.name].shape]
            if len(stated) != len(tensor.shape) or any(s not in (-1, d) for s, d in zip(stated, tensor.shape)):
                raise ValueError(f"the exported program takes '{tensor.name}' with the shape {stated}, not {list(tensor.shape)}")
        self.names = [str(name) for name in signature.user_outputs]
        module = self.module = program.module(check_guards=False)
        wanted = [(node, node.meta["val"]) for node in module.graph.nodes if node.op == "call_function" and isinstance(node.meta.get("val"), torch.Tensor)]
        self.layers = [Tensor(node.name, _dtype(value.dtype), tuple(d if isinstance(d, int) else -1 for d in value.shape), layer_type=_operator(node))
                       for node, value in wanted]
        if not self.capturing:
            self.call = module
            return
        kept: dict[str, torch.Tensor] = {}
        self.kept = kept

        class Keeper(torch.fx.Interpreter):
            def run_node(self, node: Any) -> Any:
                value = super().run_node(node)
                if isinstance(value, torch.Tensor):
                    kept[node.name] = value.clone()  # a later operator may change it in place
                return value

        self.call = Keeper(module).run

    def _load_script(self, file: pathlib.Path) -> None:
        try:
            self.call = self.module = torch.jit.load(str(file), map_location="cpu").eval()
        except RuntimeError as error:
            raise ValueError(f"'{file.name}' is not TorchScript ({str(error).splitlines()[0]}); export the model: torch.export.save(torch.export.export(model, (x,)), "
                             "'model.pt2')") from None
        given = [one.name for one in self.call.forward.schema.arguments[1:]]
        shapes = dict(self.input_shapes)
        if "" in shapes and len(given) == 1:
            shapes[given[0]] = shapes.pop("")
        missing = [name for name in given if name not in shapes]
        if missing:
            raise ValueError(f"TorchScript states no sizes: give one for input '{missing[0]}', as --input-shape {missing[0]}=1x3x224x224")
        types = dict(one.rpartition(":")[::2] for one in self.types.split(",") if one)
        if set(types) - set(given):
            raise ValueError(f"the option types names '{min(set(types) - set(given))}'; the inputs are {', '.join(map(repr, given))}")
        self.inputs = [Tensor(name, types.get(name, "float32"), tuple(shapes[name])) for name in given]
        self.names = []

    def _shape_of(self, name: str, shape: Any, inputs: int) -> tuple[int, ...]:
        asked = self.input_shapes.get(name) or (self.input_shapes.get("") if inputs == 1 else None)
        if asked is not None:
            return tuple(asked)
        # The size that the program was exported with stands for an open one.
        return tuple(int(d) if isinstance(d, int) else int(d.node.hint or 1) for d in shape)

    def _zeros(self) -> list[np.ndarray]:
        """A first answer, which shows the shapes. What it changed of a stateful model is put back."""
        held = dict(self.module.named_buffers())
        before = {name: value.clone() for name, value in held.items()}
        values = [value.copy() for value in self.run([np.zeros(one.shape, numpy_dtype(one.dtype)) for one in self.inputs])]
        with torch.no_grad():
            for name, value in held.items():
                value.copy_(before[name])
        return values

    def run(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        with torch.inference_mode():
            answer = self.call(*map(tensor_of, inputs))
        return [array_of(one) for one in _flat(answer)]

    def layer_values(self, numbers: list[int]) -> list[np.ndarray]:
        return [array_of(self.kept[self.layers[number].name]) for number in numbers]


def _dtype(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _operator(node: Any) -> str:
    """ "aten.conv2d.default" -> "conv2d"; a part of a tuple is of the operator that gives the tuple."""
    if node.target is operator.getitem:
        return _operator(node.args[0])
    parts = str(node.target).split(".")
    return parts[1] if parts[0] == "aten" and len(parts) > 1 else str(node.target)


def _flat(answer: Any) -> list[torch.Tensor]:
    if isinstance(answer, dict):
        return [value for key in answer for value in _flat(answer[key])]
    if isinstance(answer, (list, tuple)):
        return [value for one in answer for value in _flat(one)]
    return [answer]


def array_of(value: torch.Tensor) -> np.ndarray:
    value = value.detach().contiguous()
    if value.dtype == torch.bfloat16:
        return value.view(torch.int16).numpy().view(numpy_dtype("bfloat16"))
    return value.numpy()


def tensor_of(array: np.ndarray) -> torch.Tensor:
    """A copy: an operator may write into its input."""
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(np.array(array))
