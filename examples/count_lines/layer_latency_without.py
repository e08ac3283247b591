# SPDX-License-Identifier: Apache-2.0
"""How long does each layer take? By hand, from ONNX Runtime's own profile. Fused kernels have only the names that the engine gave them."""
import sys

import numpy as np

from app import MODELS

# begin
import collections
import json
import os
import statistics

import onnxruntime

settings = onnxruntime.SessionOptions()
settings.enable_profiling = True
settings.profile_file_prefix = os.path.splitext(sys.argv[1])[0]
settings.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(str(MODELS / "signs_float.onnx"), settings, providers=["CPUExecutionProvider"])
given = session.get_inputs()[0]
for _ in range(200):
    session.run(None, {given.name: np.zeros(given.shape, np.float32)})
path = session.end_profiling()
with open(path) as file:
    events = json.load(file)
times = collections.defaultdict(list)
kinds = {}
for event in events:
    if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
        times[event["name"]].append(event["dur"])
        kinds[event["name"]] = event["args"]["op_name"]
medians = {name: statistics.median(durations) for name, durations in times.items()}
total = sum(medians.values())
for name, median in sorted(medians.items(), key=lambda item: -item[1]):
    print(f"{kinds[name]:24} {name.removesuffix('_kernel_time'):40} {median:8.0f} us {median / total:6.1%}")
os.remove(path)
# end
