# SPDX-License-Identifier: Apache-2.0
"""The results inside an ExecuTorch program, from the runtime's ETDump and its debug buffer."""
from __future__ import annotations

import dataclasses
import math
import pathlib
import tempfile
from typing import Any

import numpy as np
from executorch.devtools.etdump.serialize import deserialize_from_etdump_flatcc
from executorch.exir._serialize._program import deserialize_pte_binary
from executorch.exir.schema import DelegateCall, KernelCall, Tensor, TensorList
from executorch.runtime import Runtime, Verification

from .torch import array_of, tensor_of

#: The types that ETDump records, by the numbers of ScalarType. After another one the dump cannot be read.
TYPES = {0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 6: "float32", 7: "float64", 11: "bool"}
#: The runtime aligns each value in the debug buffer.
ALIGNMENT = 64


@dataclasses.dataclass(frozen=True)
class Step:
    """An instruction: its operator or backend, whether it depends on an input, and which of the tensors that the tracer keeps of it are results."""

    name: str
    depends: bool
    results: list[bool]


def steps_of(content: bytes, method: str) -> tuple[list[Step], int]:
    """The instructions of a method, and the bytes of its debug buffer: of each tensor the largest size.

    No instructions if there are branches, or tensors of types that ETDump does not record.
    """
    program = deserialize_pte_binary(content).program
    plan = next(one for one in program.execution_plan if one.name == method)
    values = [one.val for one in plan.values]

    def tensors(numbers: list[int]) -> list[int]:
        flat = [inner for n in numbers for inner in (values[n].items if isinstance(values[n], TensorList) else [n])]
        return [n for n in flat if isinstance(values[n], Tensor)]

    def place(n: int) -> Any:
        """Tensors at one place in memory are views of each other, or follow each other."""
        at = values[n].allocation_info
        return (at.memory_id, at.memory_offset_low, at.memory_offset_high) if at else n

    seen, moving = set(plan.inputs), {place(n) for n in tensors(plan.inputs)}
    steps, recorded = [], tensors(plan.outputs)
    for instruction in (one.instr_args for chain in plan.chains for one in chain.instructions):
        if isinstance(instruction, KernelCall):  # its last argument holds the results
            name = plan.operators[instruction.op_index].name.rpartition("::")[2]
            kept = made = tensors(instruction.args[-1:])
        elif isinstance(instruction, DelegateCall):  # its last arguments are results; the tracer keeps all of them
            name = plan.delegates[instruction.delegate_index].id
            kept = made = tensors(instruction.args)
            while made and not set(made).isdisjoint(seen):
                made = made[1:]
        else:
            return [], 0
        depends = any(place(n) in moving for n in tensors(instruction.args) if n not in made)
        for n in made:
            (moving.add if depends else moving.discard)(place(n))
        seen.update(tensors(instruction.args))
        recorded += kept
        steps.append(Step(name, depends, [n in made for n in kept]))
    if any(values[n].scalar_type not in TYPES for n in recorded):
        return [], 0
    return steps, sum(math.prod(values[n].sizes) * np.dtype(TYPES[values[n].scalar_type]).itemsize + 2 * ALIGNMENT for n in recorded)


@dataclasses.dataclass(frozen=True)
class Traced:
    """One run of a newly loaded program: its answer, and name, kind and value of each result inside."""

    answer: list[np.ndarray]
    results: list[tuple[str, str, np.ndarray]]


def traced(file: pathlib.Path, method: str, steps: list[Step], inputs: list[np.ndarray], size: int) -> Traced:
    """A program is loaded for each run, since the runtime's tracer does not take a second one after it has written the first."""
    program = Runtime.get().load_program(file, verification=Verification.Minimal, enable_etdump=True, debug_buffer_size=size)
    answer = [array_of(one).copy() for one in program.load_method(method).execute([tensor_of(one) for one in inputs])]
    with tempfile.TemporaryDirectory(prefix="edgeprobe-etdump-") as folder:
        dump, values = pathlib.Path(folder, "etdump"), pathlib.Path(folder, "values")
        program.write_etdump_result_to_file(str(dump), str(values))
        events = [event.debug_event for run in deserialize_from_etdump_flatcc(dump.read_bytes()).run_data for event in run.events or []]
        buffer = values.read_bytes()
    kept: dict[int, list[Any]] = {}
    for event in filter(None, events):
        entry = event.debug_entry
        if not entry.output:  # an answer is told once more
            kept.setdefault(event.instruction_id, []).extend([entry.tensor] if entry.tensor else entry.tensor_list.tensors if entry.tensor_list else [])
    found: list[tuple[str, str, np.ndarray]] = []
    times: dict[str, int] = {}
    for at, step in enumerate(steps):
        for one, is_result in zip(kept.get(at, []), step.results, strict=True):
            if step.depends and is_result and 0 not in one.sizes:
                number = times[step.name] = times.get(step.name, -1) + 1
                found.append((step.name + (f":{number}" if number else ""), step.name, _array(one, buffer)))
    return Traced(answer, found)


def _array(tensor: Any, buffer: bytes) -> np.ndarray:
    dtype = np.dtype(TYPES[tensor.scalar_type])
    flat = np.frombuffer(buffer, dtype, math.prod(tensor.sizes), tensor.offset)
    return np.lib.stride_tricks.as_strided(flat, tensor.sizes, [one * dtype.itemsize for one in tensor.strides]).copy()
