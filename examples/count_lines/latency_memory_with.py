# SPDX-License-Identifier: Apache-2.0
"""How long does an inference take in the app, and how much memory does the process use? With edgeprobe."""
import resource
import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter

from app import FILES, MODELS, load, preprocess

interpreter = Interpreter(str(MODELS / "signs_float.tflite"))
# begin
import edgeprobe

probe = edgeprobe.Probe(sys.argv[1], level="none")
interpreter = edgeprobe.wrap(interpreter, probe)
# end
interpreter.allocate_tensors()
for file in FILES:
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], preprocess(load(file)))
    interpreter.invoke()
    # begin
    probe.sensor("memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MB")
# end
# begin
probe.close()
with edgeprobe.load(sys.argv[1]) as trace:
    print("latency", np.median([frame.latency_ns for frame in trace.frames]) / 1e6, "ms")
    print("memory", trace.series("sensor/memory").values.max(), "MB")
# end
