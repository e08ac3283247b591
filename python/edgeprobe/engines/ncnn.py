# SPDX-License-Identifier: Apache-2.0
"""ncnn, from its Python package."""
from __future__ import annotations

import dataclasses
import pathlib
from typing import Any, Literal

import ncnn
import numpy as np

from ..plugins.options import option
from ..plugins.tensor import Tensor

#: Keys of the Input layer's sizes in a .param file, in the order of NumPy's dimensions: channels, depth, height, width.
SIZES = ("2", "11", "1", "0")
#: Layers that hand on integers, so that their result can be the input of an Embed layer.
MOVES = {"Split", "Noop", "Reshape", "Squeeze", "ExpandDims", "Flatten", "Crop", "Slice", "Permute"}


@dataclasses.dataclass
class Ncnn:
    """ncnn. The model is the .param file; its .bin lies next to it under the same name.

    ncnn has no batch: each tensor is shown with a first dimension of 1. Inputs of an embedding are int32. ncnn may store and compute in float16 or
    bfloat16 by default; with --precision f32, the default here, it does not. With --precision engine the notes of a run say what a trial showed.
    """

    formats = (".param",)
    stateful = False
    threads: int = option(1, "Threads of ncnn", least=1, most=256)
    precision: Literal["f32", "engine"] = option("f32", "f32, or ncnn's own choice")

    @staticmethod
    def version() -> str:
        return ncnn.__version__

    def load(self, file: pathlib.Path) -> None:
        weights = file.with_suffix(".bin")
        if not weights.is_file():
            raise FileNotFoundError(f"'{weights.name}' is not next to '{file.name}'; ncnn keeps the weights there")
        self._check(file)
        self.net = self._net(file, weights, self.precision == "f32")
        sizes = self._stated_sizes(file)
        names = list(self.net.input_names())
        numbers = self._integers()
        self.inputs = [Tensor(name, "int32" if name in numbers else "float32", self._shape_of(name, sizes, names)) for name in names]
        self.names = list(self.net.output_names())
        if not names or not self.names:
            raise ValueError(f"'{file.name}' has no {'output' if names else 'input'}: ncnn takes the blobs that no layer {'reads' if names else 'computes'}")
        self.tops = [(self.net.blobs()[top].name, layer.type) for layer in self.net.layers() if layer.type != "Input" for top in layer.tops]
        values = self.run([np.zeros(one.shape, one.dtype) for one in self.inputs])
        self.outputs = [Tensor(name, value.dtype.name, value.shape) for name, value in zip(self.names, values)]
        inner = [self._extract(name) for name, _ in self.tops]
        self.layers = [Tensor(name, value.dtype.name, value.shape, layer_type=kind) for (name, kind), value in zip(self.tops, inner)]
        self.net.opt.lightmode = not self.capturing
        self.notes = self._what_engine_is(file, weights) if self.precision == "engine" else []

    def _net(self, file: pathlib.Path, weights: pathlib.Path, precise: bool) -> Any:
        net = ncnn.Net()
        net.opt.num_threads = self.threads
        # In its light mode ncnn frees each result once it is read.
        net.opt.lightmode = False
        if precise:
            for name in ("fp16_packed", "fp16_storage", "fp16_arithmetic", "bf16_packed", "bf16_storage"):
                setattr(net.opt, "use_" + name, False)
        if net.load_param(str(file)):
            raise ValueError(f"ncnn cannot read '{file.name}'{self._unknown(file)}")
        if net.load_model(str(weights)):
            raise ValueError(f"ncnn cannot read '{weights.name}' as the weights of '{file.name}'")
        return net

    @staticmethod
    def _check(file: pathlib.Path) -> None:
        """ncnn ends the process on some files of another kind."""
        with open(file, "rb") as text:
            head = text.readline(40).split()
        if head != [b"7767517"]:
            raise ValueError(f"'{file.name}' is no .param of ncnn: its first line is not 7767517")

    @staticmethod
    def _unknown(file: pathlib.Path) -> str:
        """The layers that this ncnn lacks."""
        kinds = {line.split()[0] for line in file.read_text(encoding="utf-8", errors="replace").splitlines()[2:] if line.strip()}
        lacking = sorted(kind for kind in kinds if ncnn.layer_to_index(kind) < 0)
        return f": ncnn {ncnn.__version__} has no layer type {', '.join(map(repr, lacking[:5]))}" if lacking else ""

    def _integers(self) -> set[str]:
        """The inputs that an Embed layer reads: it takes their bits for int32."""
        blobs, layers = self.net.blobs(), self.net.layers()
        open_, seen = [b for layer in layers if layer.type == "Embed" for b in layer.bottoms], set()
        while open_:
            blob = open_.pop()
            if blob not in seen:
                seen.add(blob)
                maker = next((layer for layer in layers if blob in layer.tops), None)
                open_ += maker.bottoms if maker and maker.type in MOVES else []
        return {blobs[b].name for b in seen}

    @staticmethod
    def _stated_sizes(file: pathlib.Path) -> dict[str, tuple[int, ...]]:
        """The sizes that Input layers of the .param state, by blob."""
        found = {}
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines()[2:]:
            words = line.split()
            if len(words) > 4 and words[0] == "Input":
                stated = dict(word.split("=", 1) for word in words[5:] if "=" in word)
                sizes = tuple(int(stated[key]) for key in SIZES if stated.get(key, "0") not in ("0", ""))
                if sizes:
                    found[words[4]] = (1, *sizes)
        return found

    def _shape_of(self, name: str, stated: dict[str, tuple[int, ...]], names: list[str]) -> tuple[int, ...]:
        shape = self.input_shapes.get(name) or (self.input_shapes.get("") if len(names) == 1 else None) or stated.get(name)
        if shape is None:
            raise ValueError(f"input '{name}' has no size in the .param; give one: --input-shape {name}=1x3x224x224")
        if shape[0] != 1 or not 2 <= len(shape) <= 5:
            raise ValueError(f"input '{name}' has the shape {list(shape)}; ncnn takes one sample of 1 to 4 dimensions, so 1 and then those")
        return tuple(shape)

    def _extract(self, name: str) -> np.ndarray:
        code, value = self.extractor.extract(name)
        if code:
            raise RuntimeError(f"ncnn cannot compute '{name}' (code {code})")
        array = np.array(value)
        if not array.ndim:
            raise RuntimeError(f"ncnn computes no value of '{name}'")
        return array.reshape(1, *array.shape)

    def run(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        self.extractor: Any = self.net.create_extractor()
        for tensor, array in zip(self.inputs, inputs):
            # A copy: a layer that works in place writes into its input, and ncnn pads channels.
            if self.extractor.input(tensor.name, ncnn.Mat(np.ascontiguousarray(array[0])).clone()):
                raise RuntimeError(f"ncnn does not take input '{tensor.name}'")
        return [self._extract(name) for name in self.names]

    def layer_values(self, numbers: list[int]) -> list[np.ndarray]:
        return [self._extract(self.tops[number][0]) for number in numbers]

    def _what_engine_is(self, file: pathlib.Path, weights: pathlib.Path) -> list[str]:
        """What ncnn's own choice means here: its answers to some inputs, next to those of a net that keeps float32, and the size of its results."""
        random = np.random.default_rng(0)
        inputs = [random.normal(size=one.shape).astype(np.float32) if one.dtype == "float32" else np.zeros(one.shape, one.dtype) for one in self.inputs]
        chosen, net = self.run(inputs), self.net
        bits = set()
        for name, _ in self.tops if not net.opt.lightmode else [(name, "") for name in self.names]:
            code, value = self.extractor.extract(name, 1)  # without the conversion that extract() makes by default
            if not code and value.elempack:
                bits.add(8 * value.elemsize // value.elempack)
        self.net = self._net(file, weights, True)
        precise = self.run(inputs)
        self.net = net
        if all(np.array_equal(a, b, equal_nan=True) for a, b in zip(chosen, precise)):
            return ["ncnn's own choice of precision gives the answers of float32 to a trial, bit for bit"]
        narrow = " and ".join(str(b) for b in sorted(bits) if b < 32)
        return ["ncnn's own choice of precision gives other answers than float32 to a trial; "
                + (f"it keeps results in {narrow} bits" if narrow else "its results have 32 bits, so it rounds weights or factors, and does not tell which")
                + "; --precision f32 keeps float32"]
