# SPDX-License-Identifier: Apache-2.0
"""Inference by the engines' own Python and undeclared traces by the official MCAP writer."""
import hashlib
import json
import time

from mcap.writer import CompressionType, Writer


class _LiteRt:
    def __init__(self, model):
        from ai_edge_litert.interpreter import Interpreter
        self._interpreter = Interpreter(str(model), num_threads=1)
        self._interpreter.allocate_tensors()
        self.input = self._described(self._interpreter.get_input_details()[0])
        self.outputs = [self._described(d) for d in self._interpreter.get_output_details()]

    @staticmethod
    def _described(details):
        about = {"name": details["name"], "index": details["index"], "dtype": details["dtype"].__name__, "shape": [int(n) for n in details["shape"]]}
        quantisation = details["quantization_parameters"]
        if len(quantisation["scales"]) == 1:
            about.update(scale="%.9g" % quantisation["scales"][0], zero_point=str(int(quantisation["zero_points"][0])))
        return about

    def answer(self, tensor):
        self._interpreter.set_tensor(self.input["index"], tensor.reshape(self.input["shape"]))
        self._interpreter.invoke()
        return [self._interpreter.get_tensor(o["index"]) for o in self.outputs]


class _OnnxRuntime:
    def __init__(self, model):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self.input = self._described(self._session.get_inputs()[0])
        self.outputs = [self._described(o) for o in self._session.get_outputs()]

    @staticmethod
    def _described(value):
        return {"name": value.name, "dtype": {"tensor(float)": "float32"}[value.type], "shape": [int(n) for n in value.shape]}

    def answer(self, tensor):
        return self._session.run(None, {self.input["name"]: tensor.reshape(self.input["shape"])})


def engine_for(model):
    return _OnnxRuntime(model) if str(model).endswith(".onnx") else _LiteRt(model)


def _metadata(about, position):
    out = {"dtype": about["dtype"], "shape": ",".join(map(str, about["shape"])), "position": str(position)}
    out.update({k: about[k] for k in ("scale", "zero_point") if k in about})
    return out


def write_trace(path, engine, frames):
    """docs/reference/trace-format.md for [(picture file, input tensor in memory order)]: undeclared, without the pictures."""
    with open(path, "wb") as out:
        writer = Writer(out, compression=CompressionType.NONE)
        writer.start(profile="edgeprobe", library="an app in Python")
        given = writer.register_channel("/model_input/" + engine.input["name"], "x-tensor", 0, _metadata(engine.input, 0))
        got = [writer.register_channel("/model_output/" + o["name"], "x-tensor", 0, _metadata(o, i)) for i, o in enumerate(engine.outputs)]
        record = writer.register_channel("/frame", "json", 0, {})
        writer.add_metadata("edgeprobe.trace", {"version": "1"})
        for number, (picture, tensor) in enumerate(frames):
            about = {"sample": picture.name, "sha256": hashlib.sha256(picture.read_bytes()).hexdigest()}
            messages = [(given, tensor.tobytes()), *((c, a.tobytes()) for c, a in zip(got, engine.answer(tensor))), (record, json.dumps(about).encode())]
            now = time.time_ns()
            for channel, data in messages:
                writer.add_message(channel, log_time=now, publish_time=now, sequence=number, data=data)
        writer.finish()
