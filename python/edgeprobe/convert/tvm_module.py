# SPDX-License-Identifier: Apache-2.0
"""ONNX or .tflite -> a TVM module, untuned, which contains a description of its inputs and outputs."""
import hashlib
import json
import pathlib
import platform
import shutil
import subprocess
import tempfile

import tvm
from tvm import relax

SYMBOL = "edgeprobe_model_json"


def read(request):
    if request["format"] == "tflite":
        import tflite
        from tvm.relax.frontend.tflite import from_tflite
        return from_tflite(tflite.Model.GetRootAsModel(pathlib.Path(request["model"]).read_bytes(), 0))
    import onnx
    from tvm.relax.frontend.onnx import from_onnx
    shapes = {one["name"]: one["shape"] for one in request["inputs"]}
    return from_onnx(onnx.load(request["model"]), shape_dict=shapes, keep_params_in_input=False)


def tensors(kind, parameters):
    """(dtype, shape) of each input or output of the compiled function."""
    found = []
    for one in parameters:
        if not isinstance(one, relax.TensorType if hasattr(relax, "TensorType") else relax.TensorStructInfo):
            raise ValueError(f"an {kind} of the model is not a tensor")
        shape = [int(n) for n in one.shape]
        found.append((str(one.dtype), shape))
    return found


def info(value):
    return value.ty if hasattr(value, "ty") and value.ty is not None else value.struct_info


def describe(request, mod):
    main = mod["main"]
    inputs = tensors("input", [info(one) for one in main.params])
    result = main.ret_ty if hasattr(main, "ret_ty") else main.ret_struct_info
    outputs = tensors("output", list(result.fields) if hasattr(result, "fields") else [result])
    described = {}
    for kind, found in (("inputs", inputs), ("outputs", outputs)):
        if len(found) != len(request[kind]):
            raise ValueError(f"TVM sees {len(found)} {kind} where the model has {len(request[kind])}")
        described[kind] = []
        for (dtype, shape), source in zip(found, request[kind]):
            entry = {"name": source["name"], "dtype": dtype, "shape": shape}
            if dtype == source["dtype"] and source["scale"]:
                entry.update(scale=source["scale"], zero_point=source["zero_point"], axis=source["axis"])
            described[kind].append(entry)
    return described


def target_of(text):
    """The target that a text such as "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72 -mattr=+neon,+dotprod" describes. TVM takes only a table."""
    kind, *words = text.split()
    table = {"kind": kind}
    for word in words:
        name, equals, value = word.removeprefix("-").partition("=")
        if not equals:
            raise ValueError(f"'{word}' in the target is not -NAME=VALUE")
        table[name] = value.split(",") if name == "mattr" else value
    return tvm.target.Target(table), table.get("mtriple", "")


def compiler_of(triple):
    """The C++ compiler that links for this triple."""
    if not triple or triple.split("-")[0] == platform.machine():
        return "c++"
    name = f"{triple}-g++"
    if not shutil.which(name):
        raise ValueError(f"there is no {name} to link the module with: install g++-{triple}")
    return name


def convert(request):
    mod = read(request)
    described = describe(request, mod)
    options = request["options"]
    target, triple = target_of(options["target"])
    compiler = compiler_of(triple)
    with tvm.transform.PassContext(opt_level=int(options["opt_level"])):
        executable = tvm.compile(relax.get_pipeline("zero")(mod), target=target)
    model = pathlib.Path(request["model"])
    text = json.dumps({"edgeprobe": 1, **described, "tuning": None, "tvm": tvm.__version__, "target": str(target),
                       "source": model.name, "source_sha256": hashlib.sha256(model.read_bytes()).hexdigest()})
    with tempfile.TemporaryDirectory() as folder:
        code, compiled = pathlib.Path(folder, "metadata.c"), pathlib.Path(folder, "metadata.o")
        code.write_text(f"const char {SYMBOL}[] = {json.dumps(text)};\n")
        subprocess.run([compiler, "-x", "c", "-c", "-fPIC", "-o", str(compiled), str(code)], check=True)
        executable.export_library(request["out"], addons=[str(compiled)], cc=compiler)
    answer = {"tool": f"apache-tvm {tvm.__version__}", "notes": ["untuned: no tuning record was applied, its times are not what TVM can do"]}
    return answer | ({"for_machine": triple} if compiler != "c++" else {})
