# SPDX-License-Identifier: Apache-2.0
"""Tensors of embedding models and auto-encoders on real and synthetic inputs, as an app receives them.

The text encoder has random weights and the auto-encoders are principal components of their data, because no such model is available. Features
of picture and sound networks are those of real models.
"""
import glob
import warnings
import wave

import numpy as np
from PIL import Image

F = np.float32


class Recorded:
    """One model: a list of (inputs, outputs) as stored, quantisation of either, its recipe."""

    def __init__(self, name, recipe, frames, inputs=(), outputs=(), masked=False):
        self.name, self.recipe, self.frames, self.masked = name, recipe, frames, masked
        self.inputs = list(inputs) or [(0, 0)] * len(frames[0][0])
        self.outputs = list(outputs) or [(0, 0)] * len(frames[0][1])


def encoder(path, words=200, length=24, width=48, seed=5):
    """A text encoder as ONNX: embedding, one layer of attention, one of perceptrons, a layer norm."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    dice = np.random.default_rng(seed)
    draw = lambda *shape: (dice.normal(size=shape) / np.sqrt(shape[0] if len(shape) > 1 else 1)).astype(F)
    # Columns with different means, as in trained encoders.
    weights = {"words": draw(words, width) * 8, "places": draw(length, width) * 4, "wq": draw(width, width), "wk": draw(width, width), "wv": draw(width, width),
               "w1": draw(width, 2 * width), "w2": draw(2 * width, width), "gain": 1 + 0.3 * draw(width), "bias": 0.4 * draw(width),
               "one": np.array(1, F), "far": np.array(-1e9, F), "root": np.array(np.sqrt(width), F), "axis": np.array([1], np.int64)}
    nodes = [("Gather", ["words", "ids"], "looked_up"), ("Add", ["looked_up", "places"], "embedded"), ("MatMul", ["embedded", "wq"], "q"), ("MatMul", ["embedded", "wk"], "k"),
             ("MatMul", ["embedded", "wv"], "v"), ("Transpose", ["k"], "kt"), ("MatMul", ["q", "kt"], "raw"), ("Div", ["raw", "root"], "logits"), ("Cast", ["mask"], "real"),
             ("Sub", ["one", "real"], "pad"), ("Mul", ["pad", "far"], "away"), ("Unsqueeze", ["away", "axis"], "wide"), ("Add", ["logits", "wide"], "masked"),
             ("Softmax", ["masked"], "weights"), ("MatMul", ["weights", "v"], "mixed"), ("Add", ["mixed", "embedded"], "sum"), ("MatMul", ["sum", "w1"], "h"), ("Relu", ["h"], "r"),
             ("MatMul", ["r", "w2"], "p"), ("Add", ["p", "sum"], "out"), ("LayerNormalization", ["out", "gain", "bias"], "hidden")]
    more = {"Transpose": {"perm": [0, 2, 1]}, "Cast": {"to": TensorProto.FLOAT}, "Softmax": {"axis": -1}}
    graph = helper.make_graph(
        [helper.make_node(kind, given, [made], name=made, **more.get(kind, {})) for kind, given, made in nodes], "encoder",
        [helper.make_tensor_value_info(n, TensorProto.INT64, [1, length]) for n in ("ids", "mask")],
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, length, width]) for n in ("hidden", "embedded")],
        [numpy_helper.from_array(value, name) for name, value in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)


def texts(count, words=200, length=24, seed=6):
    """Token numbers of sentences of different lengths: [CLS] = 1 … [SEP] = 2, padded with 0; and their masks."""
    dice, out = np.random.default_rng(seed), []
    for n in dice.integers(5, length - 1, count):
        ids, mask = np.zeros((1, length), np.int64), np.zeros((1, length), np.int64)
        ids[0, :n], mask[0, :n] = dice.integers(3, words, n), 1
        ids[0, 0], ids[0, n - 1] = 1, 2
        out.append((ids, mask))
    return out


def principal(windows, parts):
    """Weights of an auto-encoder that keeps the principal components of the windows: encoder, decoder, mean."""
    mean = windows.mean(0)
    _, _, axes = np.linalg.svd(windows - mean, full_matrices=False)
    return axes[:parts].T.astype(F), axes[:parts].astype(F), mean.astype(F)


def auto_encoder(path, windows, batch, parts=12):
    """The same as ONNX, [batch, n] in and out."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    encode, decode, mean = principal(windows, parts)
    nodes = [("Sub", ["features", "mean"], "centred"), ("MatMul", ["centred", "encode"], "code"), ("MatMul", ["code", "decode"], "raw"), ("Add", ["raw", "mean"], "restored")]
    graph = helper.make_graph([helper.make_node(kind, given, [made], name=made) for kind, given, made in nodes], "auto_encoder",
                              [helper.make_tensor_value_info("features", TensorProto.FLOAT, [batch, windows.shape[1]])],
                              [helper.make_tensor_value_info("restored", TensorProto.FLOAT, [batch, windows.shape[1]])],
                              [numpy_helper.from_array(v, n) for n, v in (("encode", encode), ("decode", decode), ("mean", mean))])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)


def onnx(path, inputs):
    import onnxruntime
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return [session.run(None, {entry.name: x for entry, x in zip(session.get_inputs(), given)}) for given in inputs]


def log_mels(samples, bands=32, frames=5):
    """Windows of `frames` spectra of `bands` bands, in dB, the input of an anomaly detector for sound."""
    hops = np.lib.stride_tricks.sliding_window_view(samples, 512)[::256] * np.hanning(512)
    power = np.abs(np.fft.rfft(hops)) ** 2
    edges = np.unique(np.geomspace(2, 257, bands + 1).astype(int))
    mels = np.stack([power[:, a:max(b, a + 1)].mean(1) for a, b in zip(edges, edges[1:])], 1)
    mels = 10 * np.log10(mels + 1e-10)
    return np.stack([mels[i : i + frames].reshape(-1) for i in range(len(mels) - frames + 1)]).astype(F)


def machines(count, seconds=0.6, seed=7):
    """Sound of a machine: a hum with its harmonics, and knocks in every third recording."""
    dice, t = np.random.default_rng(seed), np.arange(int(16000 * seconds)) / 16000
    for i in range(count):
        speed = dice.uniform(90, 110)
        sound = sum(dice.uniform(0.3, 1) / k * np.sin(2 * np.pi * k * speed * t + dice.uniform(0, 6)) for k in range(1, 9)) + dice.normal(0, 0.02, len(t))
        if i % 3 == 2:
            for at in dice.integers(0, len(t) - 400, 4):
                sound[at : at + 400] += dice.normal(0, dice.uniform(0.3, 2), 400) * np.hanning(400)
        yield sound


def recordings(data):
    for path in sorted(glob.glob(f"{data}/audio/*.wav")):
        with wave.open(path) as file:
            samples = np.frombuffer(file.readframes(file.getnframes()), np.int16).astype(float) / 32768
        for part in np.array_split(samples, 4):
            yield part + 1e-4 * np.sin(np.arange(len(part)))


def codes(values, signed=True):
    """(codes, scale, zero point) of 8 bits over all frames, as a quantised model would give them (made here, not recorded)."""
    low, high = min(0.0, float(min(v.min() for v in values))), max(0.0, float(max(v.max() for v in values)))
    scale, least = (high - low) / 255, -128 if signed else 0
    zero = int(round(least - low / scale))
    return [np.clip(np.rint(v / scale) + zero, least, least + 255).astype(np.int8 if signed else np.uint8) for v in values], (scale, zero)


def detector(name, batches, parts, recipe, integer=False):
    """Windows through the auto-encoder of the first of them."""
    given = [(batch.astype(F),) for batch in batches]
    encode, decode, mean = principal(np.concatenate(batches[:2]), parts)
    made = [((x - mean) @ encode @ decode + mean).astype(F) for (x,) in given]
    if not integer:
        return Recorded(name, recipe, [([x], [y]) for (x,), y in zip(given, made)])
    x, qx = codes([x for (x,) in given])
    y, qy = codes(made)
    return Recorded(name, recipe, [([a], [b]) for a, b in zip(x, y)], [qx], [qy])


def inner(path, inputs, tensor):
    """A tensor inside a .tflite for each input: [(stored, quantisation)]."""
    from ai_edge_litert.interpreter import Interpreter
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runner = Interpreter(str(path), experimental_preserve_all_tensors=True, num_threads=1)
    runner.allocate_tensors()
    entry = runner.get_input_details()[0]
    place = next(d for d in runner.get_tensor_details() if tensor(d))
    out = []
    for value in inputs:
        value = np.asarray(value, F).reshape(entry["shape"])
        if entry["dtype"] != np.float32:
            scale, zero = entry["quantization"]
            info = np.iinfo(entry["dtype"])
            value = np.clip(np.rint(value / scale) + zero, info.min, info.max).astype(entry["dtype"])
        runner.set_tensor(entry["index"], value)
        runner.invoke()
        out.append(runner.get_tensor(place["index"]).copy())
    return out, place["quantization"]


def features(name, path, inputs, tensor, recipe):
    maps, quantisation = inner(path, inputs, tensor)
    quantisation = quantisation if maps[0].dtype != np.float32 else (0, 0)
    return Recorded(name, recipe, [([], [m]) for m in maps], [], [quantisation])


def signs(project, most=10):
    tests = sorted(glob.glob(f"{project}/models/data/test/*"))
    tests = [tests[i] for i in np.linspace(0, len(tests) - 1, most).astype(int)]
    return [np.asarray(Image.open(p).convert("RGB").resize((64, 64), Image.BILINEAR), F) / 127.5 - 1 for p in tests]


def last_map(side, channels):
    return lambda d: len(d["shape"]) == 4 and d["shape"][1] == side and d["shape"][3] == channels and "elu" in d["name"]


def embeddings(project, data, folder):
    """Every available embedding of this evaluation."""
    path = folder / "encoder.onnx"
    encoder(path)
    given = texts(10)
    yield Recorded("text encoder", "dequantize | pool(mean, mask=1) | normalize(l2)", list(zip([list(g) for g in given], onnx(path, given))), masked=True)
    yield Recorded("text encoder, first", "dequantize | pool(first, mask=1) | normalize(none)", list(zip([list(g) for g in given], onnx(path, given))), masked=True)
    if not data:
        return
    pictures = [np.asarray(Image.open(p).convert("RGB").resize((224, 224), Image.BILINEAR), F) / 127.5 - 1
                for p in sorted(glob.glob(f"{data}/images/*.jpg") + glob.glob(f"{data}/images/*.bmp"))[:10]]
    support = f"{data}/models/tflite_support"
    yield features("MobileNet float32", f"{support}/mobilenet_v1_0.25_224_1_default_1.tflite", pictures, last_map(7, 256), "dequantize | pool(mean) | normalize(l2)")
    yield features("MobileNet uint8", f"{support}/mobilenet_v1_0.25_224_quant.tflite", pictures, last_map(7, 256), "dequantize | pool(mean) | normalize(l2)")
    # Held out: not used before the search was complete.
    heard = [np.resize(s, 15600).astype(F) for s in recordings(data)][:10]
    yield features("YAMNet", f"{support}/yamnet_audio_classifier_with_metadata.tflite", heard, lambda d: list(d["shape"]) == [1, 3, 2, 1024], "dequantize | pool(mean) | normalize(none)")


def anomalies(project, data, folder):
    batches = [log_mels(s)[:24] for s in machines(12)]
    batches = [b[: 24 - i % 2] for i, b in enumerate(batches)]
    yield detector("machines", batches, 10, "dequantize | score(mse, windows=mean) | threshold(6)")
    yield detector("machines, int8", batches, 10, "dequantize | score(rmse, windows=max) | threshold(4)", integer=True)
    if not data:
        return
    # Held out: one has one window per frame; the other has different scores.
    small = [p.reshape(1, -1) for p in signs(project, 12)]
    yield detector("pictures, one window", [s[:, ::16] for s in small], 1, "dequantize | score(mae) | threshold(0.3)")
    heard = [log_mels(s)[:9] for s in recordings(data)]
    yield detector("recordings, int8", heard, 6, "dequantize | score(l2, windows=median) | threshold(50)", integer=True)
