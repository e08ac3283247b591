# SPDX-License-Identifier: Apache-2.0
"""int8 files by ONNX Runtime's own quantizer, from arrays instead of pictures."""
from onnxruntime import quantization


def write(source, path, frames, name="image", **options):
    """`source` quantised by channel into `path`, calibrated with `frames` for its input `name`."""

    class Frames(quantization.CalibrationDataReader):
        left = iter(frames)

        def get_next(self):
            frame = next(self.left, None)
            return None if frame is None else {name: frame}

    quantization.quantize_static(str(source), str(path), Frames(), per_channel=True, activation_type=quantization.QuantType.QInt8, **options)
    return path
