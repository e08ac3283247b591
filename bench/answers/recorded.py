# SPDX-License-Identifier: Apache-2.0
"""Outputs of real classifiers on real inputs, computed by LiteRT and ONNX Runtime, as an app receives them."""
import glob
import os
import wave

import numpy as np
from PIL import Image


class Recorded:
    """A classifier: its post-processing recipe, its label file, and its outputs for some inputs."""

    def __init__(self, name, recipe, labels, outputs, other=None):
        self.name, self.recipe, self.labels, self.outputs, self.other = name, recipe, labels, outputs, other


def pictures(data, side, most=14):
    """Crops of the available pictures, as float RGB 0..255."""
    out = []
    for path in sorted(glob.glob(f"{data}/images/*.jpg") + glob.glob(f"{data}/images/*.bmp")):
        picture = Image.open(path).convert("RGB")
        w, h = picture.size
        for box in ((0, 0, w, h), (w // 4, h // 4, w, h)):
            out.append(np.asarray(picture.crop(box).resize((side, side), Image.BILINEAR), np.float32))
    return [out[i] for i in np.linspace(0, len(out) - 1, most).astype(int)]


def tflite(path, inputs):
    """All outputs of a .tflite for each input: (stored values, scale, zero point)."""
    from ai_edge_litert.interpreter import Interpreter
    runner = Interpreter(path, num_threads=1)
    runner.allocate_tensors()
    entry = runner.get_input_details()[0]
    out = []
    for value in inputs:
        value = np.asarray(value, np.float32).reshape(entry["shape"])
        if entry["dtype"] != np.float32:
            scale, zero = entry["quantization"]
            info = np.iinfo(entry["dtype"])
            value = np.clip(np.rint(value / scale) + zero, info.min, info.max).astype(entry["dtype"])
        runner.set_tensor(entry["index"], value)
        runner.invoke()
        out.append([(runner.get_tensor(o["index"]).copy(), *o["quantization"]) for o in runner.get_output_details()])
    return out


def onnx(path, inputs):
    import onnxruntime
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    entry = session.get_inputs()[0]
    return [[(np.asarray(value), 0.0, 0) for value in session.run(None, {entry.name: x})] for x in inputs]


def quantised(outputs, signed=True):
    """The same outputs as codes, as a quantised model would give them (made here, not recorded)."""
    values = np.concatenate([frame[0][0].reshape(-1) for frame in outputs])
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    scale = (high - low) / 255
    least = -128 if signed else 0
    zero = int(round(least - low / scale))
    kind = np.int8 if signed else np.uint8
    return [[(np.clip(np.rint(frame[0][0] / scale) + zero, least, least + 255).astype(kind), scale, zero)]
            for frame in outputs]


def sound(data, seconds=0.975):
    out = []
    for path in sorted(glob.glob(f"{data}/audio/*.wav")):
        with wave.open(path) as file:
            samples = np.frombuffer(file.readframes(file.getnframes()), np.int16).astype(np.float32) / 32768
        out.append(np.resize(samples, int(16000 * seconds)))
        out.append(np.resize(samples[::-1], int(16000 * seconds)))
    return out


def lines(path):
    return [line.strip() for line in open(path, encoding="utf-8").read().splitlines()]


def classifiers(project, data):
    """Every available classifier of this evaluation."""
    out = []
    signs = lines(f"{project}/models/data/labels.txt")
    tests = sorted(glob.glob(f"{project}/models/data/test/*"))
    tests = [tests[i] for i in np.linspace(0, len(tests) - 1, 14).astype(int)]
    # The pictures are stretched instead of cropped, so the answers are less certain.
    small = [np.asarray(Image.open(p).convert("RGB").resize((64, 64), Image.BILINEAR), np.float32) / 127.5 - 1 for p in tests]
    float_signs = tflite(f"{project}/models/signs_float.tflite", small)
    out.append(Recorded("signs float32", "dequantize | topk(5)", signs, float_signs))
    out.append(Recorded("signs int8", "dequantize | topk(3)", signs, tflite(f"{project}/models/signs_int8.tflite", small)))
    if not data:
        return out
    imagenet = lines(f"{data}/labels/imagenet_labels.txt")
    large = pictures(data, 224)
    support = f"{data}/models/tflite_support"
    out.append(Recorded("MobileNet float32", "dequantize | topk(5) | threshold(0.02)", imagenet,
                        tflite(f"{support}/mobilenet_v1_0.25_224_1_default_1.tflite", [p / 127.5 - 1 for p in large])))
    out.append(Recorded("MobileNet uint8", "dequantize | topk(5)", imagenet,
                        tflite(f"{support}/mobilenet_v1_0.25_224_quant.tflite", [p / 127.5 - 1 for p in large])))
    digits = [f"digit {word}" for word in "zero one two three four five six seven eight nine".split()]
    rng = np.random.default_rng(3)
    drawn = []
    for path in sorted(glob.glob(f"{data}/images/mnist/*"))[:14]:
        try:
            drawn.append(np.asarray(Image.open(path).convert("L").resize((28, 28)), np.float32).reshape(1, 1, 28, 28))
        except OSError:
            continue
    while len(drawn) < 14:
        base = drawn[len(drawn) % max(1, len(drawn))] if drawn else np.zeros((1, 1, 28, 28), np.float32)
        drawn.append(np.clip(base + rng.normal(0, 60, base.shape), 0, 255).astype(np.float32))
    logits = onnx(f"{data}/models/onnx/mnist.onnx", drawn)
    logits = [[(frame[0][0] / 400, 0.0, 0)] for frame in logits]
    out.append(Recorded("digits, logits", "dequantize | softmax | topk(5)", digits, logits))
    out.append(Recorded("digits, int8 logits", "dequantize | softmax | topk(5) | threshold(0.01)", digits, quantised(logits)))
    cifar = "airplane automobile bird cat deer dog frog horse ship truck".split()
    tiny = [np.asarray(Image.fromarray(p.astype(np.uint8)).resize((32, 32), Image.BOX), np.float32) for p in large]
    out.append(Recorded("ResNet int8", "dequantize | topk(3)", cifar,
                        tflite(f"{data}/models/mlperf_tiny/pretrainedResnet_quant.tflite", tiny), other=signs[:10]))
    yamnet = lines(f"{data}/labels/yamnet_521_labels.txt")
    heard = tflite(f"{support}/yamnet_audio_classifier_with_metadata.tflite", sound(data))
    heard = [[next(o for o in frame if o[0].size == 521)] for frame in heard]
    out.append(Recorded("YAMNet", "dequantize | topk(10) | threshold(0.05)", yamnet, heard))
    return out
