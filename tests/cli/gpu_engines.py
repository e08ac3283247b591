# SPDX-License-Identifier: Apache-2.0
"""The GPU parts that script/setup --gpu installs, for tests: WebGPU for two engines, and a Vulkan driver that computes on the processor."""
import os
import shlex
import unittest

from tool import ROOT

FOLDER = ROOT / ".deps" / "gpu"
ACCELERATOR, PROVIDER = FOLDER / "libLiteRtWebGpuAccelerator.so", FOLDER / "libonnxruntime_providers_webgpu.so"
MISSING = [path.name for path in (ACCELERATOR, PROVIDER, FOLDER / "mesa", FOLDER / "env") if not path.exists()]
NEED_GPU = unittest.skipIf(MISSING, f"no GPU is imitated here (.deps/gpu lacks {', '.join(MISSING)}); script/setup --gpu brings it")


def environment(**more):
    """This process's environment, with the driver."""
    words = [word for line in (FOLDER / "env").read_text().splitlines() for word in shlex.split(line)[1:]]
    return {**os.environ, **dict(word.split("=", 1) for word in words), **more}
