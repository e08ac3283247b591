# SPDX-License-Identifier: Apache-2.0
"""int8 files from ONNX Runtime's own quantizer, calibrated with arrays instead of pictures."""
from onnxruntime import quantization


class Frames(quantization.CalibrationDataReader):
    """Frames for calibration: the values of each input by name, or those of input `name`."""

    def __init__(self, frames, name=None):
        self.left = iter({name: frame} if name else frame for frame in frames)

    def get_next(self):
        return next(self.left, None)


def write(source, path, frames, name="image", **options):
    """Quantises `source` by channel into `path`, calibrated with `frames` for its input `name`."""
    quantization.quantize_static(str(source), str(path), Frames(frames, name), per_channel=True, **{"activation_type": quantization.QuantType.QInt8, **options})
    return path
