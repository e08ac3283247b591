# SPDX-License-Identifier: Apache-2.0
"""TVM: `edgeprobe convert --to tvm` compiles the file, and edgeprobe's engine runs the library."""
from __future__ import annotations

import time

from ..program import call
from .engine import computed, refusal_of


def run(request: dict, samples: list) -> tuple[list, float]:
    begin = time.monotonic()
    words = ["convert", request["model"], "--to", "tvm", "--data", request["inputs_file"], "-o", "model.so"]
    done = call(request["program"], words + (["--python", request["tvm_python"]] if request.get("tvm_python") else []))
    # 3 and 4 are the verdicts of its own check, which the comparison with the framework replaces.
    if done.returncode not in (0, 3, 4):
        raise refusal_of(done.stderr)
    return computed(request, "model.so", "tvm", len(samples)), time.monotonic() - begin
