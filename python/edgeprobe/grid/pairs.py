# SPDX-License-Identifier: Apache-2.0
"""Versions that fail together, and what works instead. Each row was run both ways."""
from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    of: str  #: framework or importer
    #: Package -> the least version that fails, and the least above it that works again (empty: none is known).
    fails: dict[str, tuple[tuple[int, ...], tuple[int, ...]]]
    #: A regular expression that is found in the reason.
    reason: str
    works: str


PAIRS = (
    Pair("sklearn", {"protobuf": ((7,), ()), "skl2onnx": ((1, 20), ())}, r"Unable to create node 'TreeEnsemble|Expected an int, got a boolean",
         "skl2onnx 1.20.0 writes truth values where protobuf 7 takes only integers; it works with protobuf 6.33.6"),
    Pair("onnx2torch", {"onnx2torch": ((1, 5), ())},
         r"operation_type='(AveragePool|Constant|Reshape)', version=(19|2\d)|'ReduceMean', version=18|\"allowzero=1\" is not implemented",
         "onnx2torch 1.5.15 knows this operator only of older opsets; PyTorch 2.15.0's small CNN, attention block and MobileNetV2 work when they are exported "
         "with dynamo=False, opset_version=17"),
    Pair("pytorch", {"torch": ((2, 15), ())}, r"GuardOnDataDependentSymNode",
         "The default exporter of PyTorch 2.15.0 cannot follow the number of boxes; with dynamo=False, opset_version=17 torchvision 0.29.2's Faster R-CNN, "
         "RetinaNet and Mask R-CNN are exported and ONNX Runtime runs the files, Faster R-CNN with an error of 1e-05"),
    Pair("onnxruntime", {"onnxruntime": ((1, 24), (1, 32))}, r"Unsupported model IR version: 14|Opset 2[78] is under development",
         "ONNX Runtime 1.24 to 1.31 read IR 13 and opset 26 at most, onnx 1.23 writes IR 14 and opset 28 by default; ONNX Runtime 1.32.0 reads them"),
)


def with_hint(result: dict, of: str) -> dict:
    """The result, with what works instead if its failure is a known one."""
    if result.get("status") in ("supported", "differs"):
        return result
    versions = result.get("versions") or {}
    for pair in PAIRS:
        if pair.of == of and re.search(pair.reason, result.get("reason", "")) and all(is_in(versions.get(package, ""), *span)
                                                                                      for package, span in pair.fails.items()):
            return {**result, "pair": pair.works}
    return result


def is_in(version: str, first: tuple[int, ...], end: tuple[int, ...]) -> bool:
    found = tuple(int(part) for part in re.findall(r"\d+", version)[:4])
    return bool(found) and found >= first and (not end or found < end)
