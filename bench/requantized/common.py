# SPDX-License-Identifier: Apache-2.0
"""Shared by the evaluations: pictures, models with a signature, the program under test, and answers by LiteRT's own Python."""
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "layer_matrix"))

from model_file import Model, schema  # noqa: E402

SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT.parent / "shared" / "data"))
TINY = SHARED / "models" / "mlperf_tiny"
PHOTOS = ["bird.bmp", "cat.bmp", "grace_hopper.bmp", "hot_dog.jpg", "owl.jpg", "parrot.jpg", "pets.jpg", "sklearn_flower.jpg", "squat.bmp", "sunflower.bmp"]
RECIPES = {"resnet": "resize(32x32, area)", "vww": "crop(square) | resize(96x96, area, like=opencv) | scale(0..1)",
           "signs": (ROOT / "models" / "signs.recipe").read_text().strip()}
FLOATS = {"resnet": TINY / "pretrainedResnet.tflite", "vww": TINY / "vww_96_float.tflite", "signs": ROOT / "models" / "signs_float.tflite"}
INT8 = {"resnet": TINY / "pretrainedResnet_quant.tflite", "vww": TINY / "vww_96_int8.tflite", "signs": ROOT / "models" / "signs_int8.tflite"}


def crops(folder, each=4, seed=1):
    """Square cuts of the photos, PNG; the same for one seed."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for name in PHOTOS:
        image = Image.open(SHARED / "images" / name).convert("RGB")
        for i in range(each):
            side = int(min(image.size) * rng.uniform(0.4, 1))
            x, y = int(rng.integers(0, image.width - side + 1)), int(rng.integers(0, image.height - side + 1))
            image.crop((x, y, x + side, y + side)).resize((128, 128)).save(folder / ("%s_%d.png" % (name.split(".")[0], i)))
    return folder


def pictures(folder, arrays):
    folder.mkdir(parents=True, exist_ok=True)
    for i, array in enumerate(arrays):
        Image.fromarray(array).save(folder / ("%d.png" % i))
    return folder


def with_signature(source, out):
    """Adds a signature, because ai-edge-quantizer calibrates only by signature."""
    model = Model(source)
    if not model._model.signatureDefs:
        def one(name, index):
            entry = schema.TensorMapT()
            entry.name, entry.tensorIndex = name, int(index)
            return entry
        signature = schema.SignatureDefT()
        signature.signatureKey, signature.subgraphIndex = "serving_default", 0
        signature.inputs, signature.outputs = [one("input", model.graph.inputs[0])], [one("output", model.graph.outputs[0])]
        model._model.signatureDefs = [signature]
    model.save(out)
    return out


def call(program, *arguments, codes=(0, 3, 4)):
    done = subprocess.run([str(program), *map(str, arguments)], capture_output=True, stdin=subprocess.DEVNULL, timeout=560)
    if done.returncode not in codes:
        raise RuntimeError("exit code %d of %s\n%s" % (done.returncode, " ".join(map(str, arguments)), done.stderr.decode(errors="replace")))
    return done.stdout.decode()


def check(program, target, reference, recipe, data, work):
    quantised = Model(target).scales(int(Model(target).graph.inputs[0]))[0] is not None
    return json.loads(call(program, "check", target, "--recipe", recipe + (" | quantize(model)" if quantised else ""), "--reference", reference,
                           "--reference-recipe", recipe, "--data", data, "--keep-traces", work, "--json"))


def answers(path, inputs):
    """The largest class of each input, by LiteRT's interpreter. `inputs`: real values."""
    from ai_edge_litert.interpreter import Interpreter
    session = Interpreter(model_path=str(path))
    session.allocate_tensors()
    fed, made = session.get_input_details()[0], session.get_output_details()[0]
    found = []
    for values in inputs:
        if fed["dtype"] != np.float32:
            scale, zero = fed["quantization"]
            bounds = np.iinfo(fed["dtype"])
            values = np.clip(np.rint(values / scale) + zero, bounds.min, bounds.max)
        session.set_tensor(fed["index"], values.reshape(fed["shape"]).astype(fed["dtype"]))
        session.invoke()
        found.append(int(session.get_tensor(made["index"]).ravel().argmax()))
    return np.array(found)


def fed(program, trace, work):
    """The real model inputs in a trace of a float model."""
    npz = work / "inputs.npz"
    call(program, "trace", "export", trace, "--npz", npz, "--force")
    arrays = np.load(npz)
    return next(arrays[name] for name in arrays.files if name.startswith("model_input/"))
