# SPDX-License-Identifier: Apache-2.0
"""How far is each layer of the int8 model from the float model? With edgeprobe, which also proves that capturing changed no output."""
from app import MODELS, PICTURES, RECIPE

# begin
import edgeprobe

checked = edgeprobe.check(MODELS / "signs_int8.tflite", PICTURES, recipe=RECIPE + " | quantize(model)", frames=16, level="layers",
                          reference=MODELS / "signs_float.tflite", reference_recipe=RECIPE)
print(checked.headline)
for layer in checked.layers:
    print(layer.name, layer.rmse_over_range)
# end
