# SPDX-License-Identifier: Apache-2.0
"""PyTorch's exported program -> .pte: ExecuTorch, lowered to its XNNPACK backend where that has the operators."""
import importlib.metadata

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower

from . import torch_program


def convert(request):
    program, _ = torch_program.load(request)
    lowered = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    portable = sorted({node.target.__name__ for node in lowered.exported_program().graph.nodes
                       if node.op == "call_function" and "edge" in type(node.target).__module__})
    with open(request["out"], "wb") as file:
        lowered.to_executorch().write_to_file(file)
    notes = [f"not on XNNPACK but on the portable kernels: {', '.join(portable)}"] if portable else []
    return {"tool": f"executorch {importlib.metadata.version('executorch')}", "notes": notes}
