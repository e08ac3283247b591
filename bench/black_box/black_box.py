# SPDX-License-Identifier: Apache-2.0
"""Plants wrong operators in engines without visible layers: how many does `edgeprobe bisect` find, with how many device runs, and how small is the
evidence?

black_box.py EDGEPROBE --faulty LIBFAULTY --delegate LIBPOOL [--provider LIB --onnx FILE...] [--places N] [--seed N] [--parts LIST] [--out FILE]

Planted by tests/faulty, by the tensor that an operator writes, which a cut does not renumber, in the models of bench/layer_matrix on their pictures,
and in keyword nets on random inputs. Parts: `single` (one operator computes wrongly), `crash` (one ends the process), `type` (all operators of one
type), `long` (one of a chain of 300 operators that is written here), `delegate` (a delegate that pools wrongly), `provider` (an execution provider of
ONNX Runtime without a planted fault, such as WebGPU: ONNX Runtime's own Python runs each named operator by itself, with and without the provider). A
fault counts when it moves the outputs by more than 0.3 of their standard deviation, or leaves none.
"""
import argparse
import json
import math
import multiprocessing
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "layer_matrix"))
import pairs  # noqa: E402

RANDOM = ["mlperf_tiny/kws_ref_model_float32.tflite", "mlperf_tiny/kws_ref_model.tflite"]
KINDS = ["chan0", "offset", "scale", "lastch", "sat"]


def outputs_of(model):
    """The type of each operator and the tensor that it writes, from LiteRT's own interpreter."""
    details = Interpreter(str(model))._get_ops_details()
    return [(op["op_name"], int(op["outputs"][0])) for op in details if op["op_name"] != "DELEGATE"]


def bisect(program, model, engine, fault, *more):
    env = dict(os.environ, EDGEPROBE_FAULT=fault) if fault else os.environ
    done = subprocess.run([program, "bisect", str(model), *engine, "--json", *map(str, more)], env=env, capture_output=True, text=True)
    if done.returncode not in (0, 3, 4):
        raise SystemExit("%s %s: %s" % (model, fault, done.stderr[-400:]))
    return json.loads(done.stdout)


def cases(folder):
    """Models with their input data."""
    photos = folder / "photos"
    if pairs.shared_is_here():
        photos.mkdir()
        for photo in pairs.photos():
            (photos / photo.name).symlink_to(photo)
    for pair in pairs.chosen("" if pairs.shared_is_here() else "signs"):
        data = ROOT / "models" / "data" / "test" if pair.group == "signs" else photos
        yield pair.target, ["--data", data, "--recipe", pair.target_recipe]
    if pairs.shared_is_here():
        for name in RANDOM:
            yield pairs.SHARED / "models" / name, []


def checked(model, output, provider):
    """Runs only the node that writes `output` in ONNX Runtime's Python on random values. Returns the largest difference that the provider causes,
    over the RMS of the result without it."""
    import onnx
    import onnxruntime
    from onnx.utils import Extractor

    onnxruntime.register_execution_provider_library("box", str(provider))
    graph = onnx.shape_inference.infer_shapes(onnx.load(model))
    node = next(node for node in graph.graph.node if output in node.output)
    constants = {one.name for one in graph.graph.initializer}
    alone = Extractor(graph).extract_model([name for name in node.input if name and name not in constants], [output]).SerializeToString()
    options = onnxruntime.SessionOptions()
    plain = onnxruntime.InferenceSession(alone, providers=["CPUExecutionProvider"])
    devices = [d for d in onnxruntime.get_ep_devices() if d.ep_name not in ("CPUExecutionProvider", "AzureExecutionProvider")][:1]
    options.add_provider_for_devices(devices, {})
    other = onnxruntime.InferenceSession(alone, options)
    values = np.random.default_rng(1)
    fed = {one.name: values.normal(0, 1, [d if isinstance(d, int) else 1 for d in one.shape]).astype(np.float32) for one in plain.get_inputs()}
    right, seen = plain.run(None, fed)[0], other.run(None, fed)[0]
    return float(np.abs(seen - right).max() / np.sqrt((right ** 2).mean()))


def chain(path, count):
    """`count` operators: depthwise convolutions, additions of a constant and ReLUs in turn, on 1x8x8x4."""
    values, model = np.random.default_rng(5), schema.ModelT()
    graph = schema.SubGraphT()
    model.version, model.subgraphs, model.buffers = 3, [graph], [schema.BufferT()]
    graph.tensors, graph.operators = [], []
    kinds = [(schema.BuiltinOperator.DEPTHWISE_CONV_2D, schema.DepthwiseConv2DOptionsT, schema.BuiltinOptions.DepthwiseConv2DOptions),
             (schema.BuiltinOperator.ADD, schema.AddOptionsT, schema.BuiltinOptions.AddOptions),
             (schema.BuiltinOperator.RELU, None, schema.BuiltinOptions.NONE)]
    model.operatorCodes = []
    for builtin, _, _ in kinds:
        code = schema.OperatorCodeT()
        code.builtinCode, code.deprecatedBuiltinCode, code.version = builtin, builtin, 1
        model.operatorCodes.append(code)

    def tensor(name, shape, data=None):
        one = schema.TensorT()
        one.name, one.shape, one.type, one.buffer = name, np.array(shape, np.int32), schema.TensorType.FLOAT32, 0
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(data.astype(np.float32).tobytes(), np.uint8)
            model.buffers.append(buffer)
            one.buffer = len(model.buffers) - 1
        graph.tensors.append(one)
        return len(graph.tensors) - 1

    last = tensor("input", [1, 8, 8, 4])
    graph.inputs = [last]
    for i in range(count):
        operator, kind = schema.OperatorT(), i % 3
        inputs = [last]
        if kind == 0:
            kernel = values.normal(0, 0.15, (1, 3, 3, 4))
            kernel[0, 1, 1] += 1
            inputs += [tensor("w%d" % i, [1, 3, 3, 4], kernel), tensor("b%d" % i, [4], values.normal(0, 0.1, 4))]
        elif kind == 1:
            inputs.append(tensor("c%d" % i, [1, 8, 8, 4], values.normal(0.2, 0.3, (1, 8, 8, 4))))
        operator.opcodeIndex, operator.builtinOptionsType = kind, kinds[kind][2]
        if kinds[kind][1]:
            operator.builtinOptions = kinds[kind][1]()
        if kind == 0:
            operator.builtinOptions.strideW = operator.builtinOptions.strideH = operator.builtinOptions.depthMultiplier = 1
        last = tensor("t%d" % i, [1, 8, 8, 4])
        operator.inputs, operator.outputs = np.array(inputs, np.int32), np.array([last], np.int32)
        graph.operators.append(operator)
    graph.outputs = [last]
    builder = flatbuffers.Builder(1 << 16)
    builder.Finish(model.Pack(builder), b"TFL3")
    path.write_bytes(bytes(builder.Output()))


class Score:
    def __init__(self, out):
        self.out, self.rows = out, []

    def add(self, part, model, fault, planted, found):
        named = [layer for wrong in found["wrong"] for layer in range(wrong["layers"][0], wrong["layers"][1] + 1)]
        counts = part == "crash" or found["output_nrmse"] is None or found["output_nrmse"] > 0.3
        row = {"part": part, "model": pathlib.Path(model).name, "fault": fault, "planted": planted, "named": named, "counts": counts,
               "outcome": found["outcome"], "operators": found["operators"], "runs": found["device_runs"],
               "runs_to_first": found.get("device_runs_to_first"), "bound": math.ceil(math.log2(max(2, found["operators"]))) + 3,
               "repaired": found["repaired"], "left": found["output_nrmse_repaired"], "gap": found["output_nrmse"],
               "bytes": [one["bytes"] for one in found["evidence"]]}
        self.rows.append(row)
        print("\t".join(str(row[key]) for key in ("part", "model", "fault", "planted", "named", "counts", "runs_to_first", "runs", "bound", "left", "bytes")), flush=True)
        if self.out:
            self.out.write(json.dumps(row) + "\n")
            self.out.flush()

    def summary(self):
        for part in dict.fromkeys(row["part"] for row in self.rows):
            rows = [row for row in self.rows if row["part"] == part]
            counted = [row for row in rows if row["counts"]]
            right = [row for row in counted if set(row["named"]) == set(row["planted"])]
            wrong = [row for row in rows if set(row["named"]) - set(row["planted"])]
            bytes_ = sorted(b for row in rows for b in row["bytes"] if b)
            print("%s: %d planted, %d count, exactly named %d, an operator wrongly named in %d; first named within the bound in %d of %d; evidence %d files, %s bytes, at most 10,000 in %d" % (
                part, len(rows), len(counted), len(right), len(wrong), sum((row["runs_to_first"] or 0) <= row["bound"] for row in right), len(right),
                len(bytes_), ("median %d, largest %d" % (bytes_[len(bytes_) // 2], bytes_[-1])) if bytes_ else "no", sum(b <= 10000 for b in bytes_)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--faulty", required=True)
    parser.add_argument("--delegate", type=pathlib.Path)
    parser.add_argument("--provider", type=pathlib.Path)
    parser.add_argument("--onnx", type=pathlib.Path, nargs="*", default=[])
    parser.add_argument("--places", type=int, default=4)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--parts", default="single,crash,type,long,delegate,provider")
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    parts, drawn = args.parts.split(","), random.Random(args.seed)
    score = Score(args.out.open("w") if args.out else None)
    device = ["--engine", "tflite:" + str(pathlib.Path(args.faulty).resolve()), "--kernels", "builtin"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        evidence = folder / "e.zip"
        for model, fed in cases(folder):
            operators = outputs_of(model)
            if "single" in parts:
                for n, op in enumerate(sorted(drawn.sample(range(len(operators)), min(args.places, len(operators))))):
                    fault = "output=%d kind=%s" % (operators[op][1], KINDS[(n + len(score.rows)) % len(KINDS)])
                    found = bisect(args.program, model, device, fault, *fed, "--evidence", evidence, "--force")
                    score.add("single", model, fault, [op], found)
            if "crash" in parts:
                op = drawn.randrange(len(operators))
                fault = "output=%d kind=crash" % operators[op][1]
                score.add("crash", model, fault, [op], bisect(args.program, model, device, fault, *fed, "--evidence", evidence, "--force"))
            if "delegate" in parts and args.delegate and any(kind == "AVERAGE_POOL_2D" for kind, _ in operators):
                planted = [i for i, (kind, _) in enumerate(operators) if kind == "AVERAGE_POOL_2D"]
                engine = ["--engine", "tflite", "--delegate", "external:%s" % args.delegate.resolve()]
                score.add("delegate", model, "share=0.75", planted, bisect(args.program, model, engine, None, *fed, "--evidence", evidence, "--force"))
            if "type" in parts:
                types = sorted({kind for kind, _ in operators if 2 <= sum(k == kind for k, _ in operators) <= 6})
                for kind in types[:2]:
                    planted = [i for i, (k, _) in enumerate(operators) if k == kind]
                    fault = "type=%s kind=chan0" % kind
                    score.add("type", model, fault, planted, bisect(args.program, model, device, fault, *fed))
        if "long" in parts:
            model = folder / "chain300.tflite"
            chain(model, 300)
            operators = outputs_of(model)
            for n, op in enumerate(sorted(drawn.sample(range(300), 8))):
                fault = "output=%d kind=%s" % (operators[op][1], KINDS[n % 3])
                score.add("long", model, fault, [op], bisect(args.program, model, device, fault, "--evidence", evidence, "--force"))
    if "provider" in parts and args.provider:
        for model in args.onnx:
            found = bisect(args.program, model, ["--engine", "onnxruntime", "--delegate", "external:%s" % args.provider.resolve()], None)
            print("provider", model.name, found["outcome"], "output NRMSE", found["output_nrmse"], "left", found["output_nrmse_repaired"], "runs", found["device_runs"])
            for wrong in found["wrong"]:
                with multiprocessing.get_context("spawn").Pool(1) as fresh:  # WebGPU's provider does not open two sessions in one process.
                    off = fresh.apply_async(checked, (model, wrong["output"], args.provider.resolve())).get(120)
                print("    #%d %s %s; alone by ONNX Runtime's Python: off by %.3g of the RMS" % (wrong["layer"], wrong["type"], wrong["output"],
off))
    score.summary()


if __name__ == "__main__":
    sys.exit(main())
