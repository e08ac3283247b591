# SPDX-License-Identifier: Apache-2.0
"""What is wrong with the app's pre-processing? With edgeprobe: the headline names it."""
import sys

from ai_edge_litert.interpreter import Interpreter

from app import FILES, MODELS, RECIPE, load, preprocess

interpreter = Interpreter(str(MODELS / "signs_float.tflite"))
# begin
import edgeprobe

probe = edgeprobe.Probe(sys.argv[1])
interpreter = edgeprobe.wrap(interpreter, probe)
# end
interpreter.allocate_tensors()
for file in FILES:
    picture = load(file)
    # begin
    with probe.frame(sample=file.name) as frame:
        frame.image("camera", picture)
        # end
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], preprocess(picture))
        interpreter.invoke()
# begin
probe.close()
print(edgeprobe.diagnose(sys.argv[1], reference=MODELS / "signs_float.tflite", reference_recipe=RECIPE).headline)
# end
