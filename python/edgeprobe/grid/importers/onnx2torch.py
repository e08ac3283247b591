# SPDX-License-Identifier: Apache-2.0
"""onnx2torch, which makes a module of PyTorch."""
from __future__ import annotations

import time


def run(request: dict, samples: list) -> tuple[list, float]:
    import onnx2torch
    import torch

    torch.set_num_threads(1)
    begin = time.monotonic()
    module = onnx2torch.convert(request["model"]).eval()
    seconds = time.monotonic() - begin
    outputs = []
    with torch.no_grad():
        for sample in samples:
            made = module(*(torch.from_numpy(array) for array in sample))
            outputs.append([value.numpy() for value in (made if isinstance(made, (list, tuple)) else [made])])
    return outputs, seconds
