# SPDX-License-Identifier: Apache-2.0
"""An exported program of PyTorch (.pt2)."""
import torch


def load(request):
    """The program, and zeros of its inputs' shapes in the order of its signature."""
    program = torch.export.load(request["model"])
    taken = [spec.arg.name for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    if len(taken) != len(request["inputs"]):
        raise ValueError(f"the program takes {len(taken)} inputs where the engine has {len(request['inputs'])}")
    return program, tuple(torch.zeros(one["shape"], dtype=getattr(torch, one["dtype"])) for one in request["inputs"])
