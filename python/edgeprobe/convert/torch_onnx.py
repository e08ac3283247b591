# SPDX-License-Identifier: Apache-2.0
"""PyTorch's exported program -> .onnx: torch.onnx with the program's own graph."""
import onnx
import torch

from . import torch_program


def convert(request):
    program, _ = torch_program.load(request)
    made = torch.onnx.export(program, opset_version=int(request["options"]["opset"]), dynamo=True, input_names=[one["name"] for one in request["inputs"]],
                             output_names=[one["name"] for one in request["outputs"]], verbose=False)
    made.save(request["out"], external_data=False)
    onnx.checker.check_model(request["out"])
    return {"tool": f"torch {torch.__version__}", "notes": []}
