# SPDX-License-Identifier: Apache-2.0
"""Engine plug-ins for tests."""
import dataclasses
import os
import time
from typing import Literal

import numpy as np

from edgeprobe.plugins import Tensor, option


@dataclasses.dataclass
class Affine:
    """factor * x + offset of a float input, and the sum of an integer one; the file states the number of elements."""

    factor: float = option(2.0, "The factor", least=0, most=100)
    offset: int = 0
    threads: int = option(1, least=1)
    precision: Literal["f32", "engine"] = "f32"
    fault: str = ""
    version = "1.5"

    def load(self, file):
        if self.fault == "load":
            raise KeyError("weights")
        n = int(file.read_text())
        self.inputs = [Tensor("x", "float32", (1, n)), Tensor("k", "int64", (2,))]
        self.outputs = [Tensor("y", "float32", (1, n)), Tensor("total", "int64", (1,)), Tensor("many", "uint8", (-1,))]
        self.notes = [f"threads {self.threads}, precision {self.precision}"]
        self.count = 0
        if self.fault == "inputs":
            del self.inputs

    def run(self, inputs):
        self.count += 1
        x, k = inputs
        if self.fault == "keep":
            self.row = x[0]  # a view of the input
        y = np.float32(self.factor) * x + np.float32(self.offset)
        answer = {"y": y, "total": k.sum(keepdims=True), "many": np.arange(self.count, dtype=np.uint8)}
        return FAULTS[self.fault](answer) if self.fault in FAULTS else [answer["y"], answer["total"], answer["many"]]


def raises(_):
    raise ValueError("bad value")


class NoText(Exception):
    def __str__(self):
        raise ValueError


def no_text(_):
    raise NoText


def forks(answer):
    """Both processes return from the call."""
    os.fork()
    return answer


def prints(answer):
    print("noise", flush=True)
    os.write(1, b"more noise")
    return answer


def writes(answer):
    answer["y"][:] = 1
    return answer


FAULTS = {
    "raise": raises,
    "exit": lambda _: os._exit(3),
    "abort": lambda _: os.abort(),
    "hang": lambda _: time.sleep(1000),
    "system_exit": lambda _: exit(4),
    "print": prints,
    "none": lambda _: None,
    "keep": lambda a: a,
    "big_endian": lambda a: {**a, "y": a["y"].astype(">f4")},
    "no_text": no_text,
    "forks": forks,
    "few": lambda a: [a["y"]],
    "names": lambda a: {"z": a["y"]},
    "shape": lambda a: {**a, "y": a["y"][:, :1]},
    "type": lambda a: {**a, "y": a["y"].astype(np.float64)},
    "object": lambda a: {**a, "y": object()},
    "nan": lambda a: {**a, "y": a["y"] * np.float32("nan")},
}


class Running:
    """The sum of its inputs so far, and a batch of open size."""

    def load(self, file):
        self.inputs = [Tensor("x", "float32", (-1, 4))]
        self.outputs = [Tensor("sum", "float32", (-1, 4))]
        self.sum = np.float32(0)

    def run(self, inputs):
        self.sum = self.sum + inputs[0]
        return [self.sum]


class Slow(Running):
    """The third run takes long; a file tells that it began."""

    count = 0

    def load(self, file):
        super().load(file)
        self.third = file.with_suffix(".third")

    def run(self, inputs):
        self.count += 1
        if self.count == 3:
            self.third.write_text("")
            time.sleep(100_000)
        return super().run(inputs)


class NoRun:
    def load(self, file):
        pass


@dataclasses.dataclass
class BadField:
    table: dict = None

    def load(self, file):
        pass

    def run(self, inputs):
        pass


class Litert(Affine):
    """An engine of the name of a built-in one."""


class OfLayers:
    """Two layers of NumPy before the output; the second is the output itself."""

    formats = (".txt",)

    def load(self, file):
        self.inputs = [Tensor("x", "float32", (1, 4))]
        self.outputs = [Tensor("twice", "float32", (1, 4))]
        self.layers = [Tensor("square", "float32", (1, 4), layer_type="Square"), Tensor("twice", "float32", (1, 4), layer_type="Double")]

    def run(self, inputs):
        self.values = [inputs[0] ** 2, 2 * inputs[0] ** 2]
        return [self.values[1]]

    def layer_values(self, numbers):
        return [self.values[n] for n in numbers]


class Interpreter:
    """TensorFlow Lite by its Python package: an independent route to the built-in engine."""

    name = "litert-python"

    def load(self, file):
        from ai_edge_litert.interpreter import Interpreter as Real
        from ai_edge_litert.interpreter import OpResolverType

        self.real = Real(str(file), num_threads=1, experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
        self.real.allocate_tensors()
        self.inputs, self.outputs = ([self.described(d) for d in details] for details in (self.real.get_input_details(), self.real.get_output_details()))

    @staticmethod
    def described(detail):
        codes = detail["quantization_parameters"]
        return Tensor(detail["name"], np.dtype(detail["dtype"]).name, tuple(int(n) for n in detail["shape"]),
                      codes["scales"].tolist(), codes["zero_points"].tolist(), int(codes["quantized_dimension"]))

    def run(self, inputs):
        for detail, array in zip(self.real.get_input_details(), inputs):
            self.real.set_tensor(detail["index"], array)
        self.real.invoke()
        return [self.real.get_tensor(d["index"]) for d in self.real.get_output_details()]


class Forks:
    """Starts another process, which outlives a call, and waits as long as its file says."""

    def load(self, file):
        self.inputs = [Tensor("x", "float32", (1,))]
        self.outputs = [Tensor("y", "float32", (1,))]
        pid = os.fork()
        if pid == 0:
            time.sleep(1000)
        file.with_suffix(".pids").write_text(f"{os.getpid()} {pid}")

    def run(self, inputs):
        10 ** 100_000_000  # One long call that holds the interpreter's lock.
        return [inputs[0]]
