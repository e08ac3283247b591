#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes signs_float.onnx and signs_int8.onnx from the weights of signs_float.tflite, and inception_like.onnx from a seed."""

import argparse
import logging
import pathlib
import tempfile

import numpy as np
import onnx
from onnxruntime import quantization

import generate
import inception_like
import onnx_writer
import preprocess
import signs

HERE = pathlib.Path(__file__).resolve().parent
CALIBRATION_IMAGES = 240  # The first pictures of the training set calibrate, as for the .tflite.
FIT_PER_CLASS = 100
DESCRIPTION = "12 traffic signs, RGB 1x3x64x64 in -1..1"


def training_tensors(count):
    """Float tensors [n, 3, 64, 64] and labels of the first pictures that training draws."""
    per_class = -(-count // len(signs.CLASSES))
    tensors, labels = [], []
    for offset, (image, label) in enumerate(generate.draw_many(generate.TRAIN_SEED, per_class, 0)):
        _, data = generate.encode(image, offset)
        tensors.append(preprocess.reference(preprocess.decode(data)).transpose(2, 0, 1))
        labels.append(label)
    return np.ascontiguousarray(np.stack(tensors[:count])), np.array(labels[:count])


class _Calibration(quantization.CalibrationDataReader):
    def __init__(self, tensors):
        self.left = iter(tensors)

    def get_next(self):
        tensor = next(self.left, None)
        return None if tensor is None else {"image": tensor[None]}


def quantize(float_model, path, tensors):
    """Static int8 as QuantizeLinear and DequantizeLinear nodes, weights per channel."""
    logging.getLogger().setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "float.onnx"
        onnx.save(float_model, source)
        quantization.quantize_static(str(source), str(path), _Calibration(tensors), quant_format=quantization.QuantFormat.QDQ, per_channel=True,
                                     activation_type=quantization.QuantType.QInt8, weight_type=quantization.QuantType.QInt8)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=pathlib.Path, default=HERE / "signs_float.tflite")
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    tensors, labels = training_tensors(FIT_PER_CLASS * len(signs.CLASSES))
    model = onnx_writer.from_tflite(options.weights.read_bytes(), "edgeprobe signs: " + DESCRIPTION)
    onnx.save(model, options.out / "signs_float.onnx")
    quantize(model, options.out / "signs_int8.onnx", tensors[:CALIBRATION_IMAGES])
    onnx.save(inception_like.build(tensors, labels, preprocess.SIDE, "edgeprobe inception-like: " + DESCRIPTION), options.out / "inception_like.onnx")
    for name in ("signs_float.onnx", "signs_int8.onnx", "inception_like.onnx"):
        print(f"{name}: {(options.out / name).stat().st_size} bytes")


if __name__ == "__main__":
    main()
