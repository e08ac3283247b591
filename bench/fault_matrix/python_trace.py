# SPDX-License-Identifier: Apache-2.0
"""A target that shares no code with edgeprobe: it uses the tensors of pictures.py, LiteRT's own interpreter and the official MCAP writer."""
import hashlib
import json
import time

from ai_edge_litert.interpreter import Interpreter
from mcap.writer import CompressionType, Writer


class Target:
    """A model in LiteRT's Python interpreter."""

    def __init__(self, model):
        self._interpreter = Interpreter(str(model), num_threads=1)
        self._interpreter.allocate_tensors()
        self.input = self._interpreter.get_input_details()[0]
        self.output = self._interpreter.get_output_details()[0]

    def answer(self, tensor):
        self._interpreter.set_tensor(self.input["index"], tensor.reshape(self.input["shape"]).astype(self.input["dtype"], copy=False))
        self._interpreter.invoke()
        return self._interpreter.get_tensor(self.output["index"])


def _metadata(details):
    out = {"dtype": details["dtype"].__name__, "shape": ",".join(str(n) for n in details["shape"]), "position": "0"}
    scales, zeros = details["quantization_parameters"]["scales"], details["quantization_parameters"]["zero_points"]
    if len(scales) == 1:
        out.update(scale="%.9g" % scales[0], zero_point=str(int(zeros[0])))
    return out


def write_trace(path, target, frames):
    """Writes docs/reference/trace-format.md for [(picture file, input tensor in memory order)]: undeclared, without the pictures."""
    with open(path, "wb") as out:
        writer = Writer(out, compression=CompressionType.NONE)
        writer.start(profile="edgeprobe", library="an app in Python")
        given = writer.register_channel("/model_input/" + target.input["name"], "x-tensor", 0, _metadata(target.input))
        got = writer.register_channel("/model_output/" + target.output["name"], "x-tensor", 0, _metadata(target.output))
        record = writer.register_channel("/frame", "json", 0, {})
        writer.add_metadata("edgeprobe.trace", {"version": "1"})
        for number, (picture, tensor) in enumerate(frames):
            about = {"sample": picture.name, "sha256": hashlib.sha256(picture.read_bytes()).hexdigest()}
            now = time.time_ns()
            for channel, data in ((given, tensor.tobytes()), (got, target.answer(tensor).tobytes()), (record, json.dumps(about).encode())):
                writer.add_message(channel, log_time=now, publish_time=now, sequence=number, data=data)
        writer.finish()
