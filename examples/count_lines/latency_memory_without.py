# SPDX-License-Identifier: Apache-2.0
"""How long does an inference take in the app, and how much memory does the process use? By hand; the figures are also written to a file."""
import resource
import sys
import time

import numpy as np
from ai_edge_litert.interpreter import Interpreter

from app import FILES, MODELS, load, preprocess

interpreter = Interpreter(str(MODELS / "signs_float.tflite"))
interpreter.allocate_tensors()
# begin
import csv

rows = []
# end
for file in FILES:
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], preprocess(load(file)))
    # begin
    began = time.perf_counter_ns()
    # end
    interpreter.invoke()
    # begin
    took = time.perf_counter_ns() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows.append({"time": time.time_ns(), "latency_ns": took, "memory_mb": memory})
# end
# begin
with open(sys.argv[1], "w", newline="") as file:
    table = csv.DictWriter(file, ["time", "latency_ns", "memory_mb"])
    table.writeheader()
    table.writerows(rows)
with open(sys.argv[1], newline="") as file:
    rows = list(csv.DictReader(file))
print("latency", np.median([float(row["latency_ns"]) for row in rows]) / 1e6, "ms")
print("memory", max(float(row["memory_mb"]) for row in rows), "MB")
# end
