# SPDX-License-Identifier: Apache-2.0
"""What is wrong with the app's pre-processing? By hand: it keeps the app's inputs, repeats the pre-processing of the training, and tries each
suspicion. There are six suspicions of one step each; edgeprobe tries about a hundred, and several at once."""
import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter

from app import FILES, MODELS, load, preprocess

interpreter = Interpreter(str(MODELS / "signs_float.tflite"))
interpreter.allocate_tensors()
# begin
kept = {}
# end
for file in FILES:
    values = preprocess(load(file))
    # begin
    kept[file.name] = values.copy()
    # end
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], values)
    interpreter.invoke()
# begin
np.savez(sys.argv[1], **kept)

from PIL import Image


def reference(picture, kernel=Image.Resampling.BILINEAR, crop=0.875):
    height, width = (round(side * crop) for side in picture.shape[:2])
    top, left = (picture.shape[0] - height) // 2, (picture.shape[1] - width) // 2
    picture = picture[top:top + height, left:left + width]
    picture = np.asarray(Image.fromarray(picture).resize((64, 64), kernel))
    return picture[np.newaxis] / np.float32(127.5) - 1


suspicions = {
    "nothing": reference,
    "BGR instead of RGB": lambda picture: reference(picture)[..., ::-1],
    "0..1 instead of -1..1": lambda picture: (reference(picture) + 1) / 2,
    "nearest instead of bilinear": lambda picture: reference(picture, kernel=Image.Resampling.NEAREST),
    "turned by 90 degrees": lambda picture: np.rot90(reference(picture), -1, (1, 2)),
    "no crop": lambda picture: reference(picture, crop=1),
}
distances = {}
with np.load(sys.argv[1]) as inputs:
    for name, suspicion in suspicions.items():
        differences = [inputs[file.name] - suspicion(load(file)) for file in FILES]
        distances[name] = float(np.sqrt(np.mean(np.square(differences))))
best = min(distances, key=distances.get)
print(f"the app does: {best} ({distances[best]:.3g} away; the reference is {distances['nothing']:.3g} away)")
# end
