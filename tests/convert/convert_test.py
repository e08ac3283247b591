# SPDX-License-Identifier: Apache-2.0
"""`edgeprobe convert` on the command line; its results are compared with the tools' own Python.

Usage: convert_test.py EDGEPROBE RUN_MODEL
ONNX Runtime and OpenVINO convert in this Python. ai-edge-quantizer and TVM convert in the environments that
`edgeprobe convert` makes; if these do not exist, the test prints the reason and leaves them out
(EDGEPROBE_CONVERT_ALL=1 makes them: this downloads 230 MB).
Exit code 77: this machine lacks something that the test needs."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    import onnxruntime
    import openvino
    from ai_edge_litert.interpreter import Interpreter
    from PIL import Image
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / folder) for folder in ("engine", "cli")]
import small_tflite  # noqa: E402
from processes import interrupt, status, wait_for  # noqa: E402
from tool import PATIENCE  # noqa: E402

EDGEPROBE, RUN_MODEL = sys.argv[1:3]
ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
NHWC = (MODELS / "signs.recipe").read_text().strip()
NCHW = NHWC.replace("layout(nhwc)", "layout(nchw)")
DATA = ["--data", str(MODELS / "data/test"), "--frames", "6"]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "edgeprobe"
failures = []


def check(good, text):
    if not good:
        failures.append(text)
        print("FAILED", text)
    return good


def convert(*arguments, environment=None):
    done = subprocess.run([EDGEPROBE, "convert", *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE,
                          env={**os.environ, **(environment or {})})
    return done.returncode, done.stdout, done.stderr


def infer(engine, model, image, folder, **environment):
    (folder / "in").write_bytes(image.tobytes())
    done = subprocess.run([RUN_MODEL, engine, "-", "1", "supervised", str(model), str(folder / "out"), str(folder / "in")],
                          capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, **environment})
    if not check(done.returncode == 0, f"{engine} on {model.name}: {done.stderr.strip()}"):
        return None
    return np.frombuffer((folder / "out.0").read_bytes(), np.float32)


def refused(folder):
    model, out = MODELS / "signs_float.onnx", folder / "x.onnx"
    cases = [
        ((model, "--to", "edgetpu", "-o", out, *DATA), 1, "edgetpu_compiler"),
        ((model, "--to", "opnvino", "-o", out, *DATA), 2, "did you mean 'openvino'"),
        ((model, "--to", "openvino", "-o", out, *DATA), 2, "writes a .xml file"),
        ((model, "--to", "int8", "-o", model, *DATA), 2, "-o"),
        ((model, "--to", "int8-dynamic", "--recipe", NCHW, "-o", out, *DATA), 1, "is for .tflite"),
        ((MODELS / "signs_int8.tflite", "--to", "int8", "--recipe", NHWC + " | quantize(model)", "-o", folder / "x.tflite", *DATA), 2, "takes int8"),
        ((model, "--to", "int8", "--recipe", NCHW, "-o", folder / "no/x.onnx", "--python", sys.executable, *DATA), 2, "folder does not exist"),
        ((model, "--to", "int8", "--recipe", NCHW, "-o", out, "--python", "/nowhere/python", *DATA), 1, "cannot be started"),
        ((model, "--to", "int8", "--recipe", NCHW, "-o", out, "--python", "/bin/false", *DATA), 1, "ended without an answer"),
        ((model, "--to", "int8", "--recipe", NCHW, "-o", out, "--calibration-frames", "0", *DATA), 2, "--calibration-frames"),
    ]
    for arguments, code, words in cases:
        got, _, text = convert(*arguments)
        check(got == code and words in text, f"{arguments[1:3]}: exit code {got}, expected {code} with '{words}': {text.strip()[-300:]}")
    with tempfile.TemporaryDirectory() as texts:
        texts = pathlib.Path(texts)
        (texts / "list").write_text("# a comment\n\nsign_0000.png\nno_such.png\n")
        (texts / "none").write_text("# nothing\n")
        (texts / "keep.json").write_text('[{"regex": ".*"}]')
        (texts / "unknown.json").write_text('["no/such/node"]')
        int8 = (model, "--to", "int8", "--recipe", NCHW, "-o", out, "--python", sys.executable, *DATA)
        cases += [
            ((*int8, "--calibration", texts / "list"), 2, "line 4: 'no_such.png' is not a sample of --data"),
            ((*int8, "--calibration", texts / "none"), 2, "names no sample"),
            ((*int8, "--calibration", texts / "absent"), 1, "--calibration"),
            ((*int8, "--keep-float", texts / "keep.json"), 2, "expected a JSON list of node names"),
            ((*int8, "--keep-float", texts / "list"), 2, "expected a JSON list of node names"),
            ((*int8, "--keep-float", texts / "unknown.json"), 1, "no node of the model is called 'no/such/node'"),
            ((model, "--to", "openvino", "--recipe", NCHW, "-o", folder / "x.xml", "--keep-float", texts / "keep.json", *DATA), 2, "belongs to --to int8"),
        ]
        for arguments, code, words in cases[-7:]:
            got, _, text = convert(*arguments)
            check(got == code and words in text, f"{arguments[-2:]}: exit code {got}, expected {code} with '{words}': {text.strip()[-300:]}")
    lone = folder / "lone"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", lone], check=True)
    got, _, text = convert(model, "--to", "int8", "--recipe", NCHW, "-o", out, "--python", lone / "bin/python", *DATA)
    check(got == 1 and "ModuleNotFoundError" in text, f"a Python without the tool: {text.strip()[-300:]}")
    check(sorted(p.name for p in folder.iterdir()) == ["lone"], f"left behind: {list(folder.iterdir())}")


def no_network(folder):
    got, _, text = convert(MODELS / "signs_float.onnx", "--to", "openvino", "--recipe", NCHW, "-o", folder / "x.xml", *DATA,
                           environment={"XDG_CACHE_HOME": str(folder / "cache"), "PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_CONFIG_FILE": os.devnull,
                                        "PIP_CACHE_DIR": str(folder / "pip"), "PIP_FIND_LINKS": "", "PIP_TIMEOUT": "2"})
    if sys.version_info[:2] == (3, 11):
        check(got == 1 and "no network" in text and "--python" in text, f"no network: {got} {text.strip()[-400:]}")
    check(not list((folder / "cache").rglob("ready")), "an unfinished environment counts as made")
    print("no network:", text.strip().splitlines()[-1][:300])


def interrupted(folder):
    slow = folder / "slow"
    # The file gets its name once it is complete.
    slow.write_text(f"#!/bin/sh\nsleep 6000 & echo $! > {folder}/part && mv {folder}/part {folder}/pid\nwait\n")
    slow.chmod(0o755)
    work = subprocess.Popen([EDGEPROBE, "convert", MODELS / "signs_float.onnx", "--to", "int8", "--recipe", NCHW, "-o", folder / "x.onnx",
                             "--python", slow, *DATA], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    wait_for((folder / "pid").exists)
    interrupt(work)
    _, text = work.communicate(timeout=PATIENCE)
    child = (folder / "pid").read_text().strip()
    gone = wait_for(lambda: status(child, "State")[:1] in ("", "Z"))
    check(work.returncode != 0 and "stopped by the user" in text and gone, f"Ctrl-C: {work.returncode}, {text.strip()[-200:]}, child gone: {gone}")
    check(not list(folder.glob(".edgeprobe*")) and not (folder / "x.onnx").exists(), "Ctrl-C left files behind")


def onnx_int8(folder):
    out = folder / "signs8.onnx"
    got, text, errors = convert(MODELS / "signs_float.onnx", "--to", "int8", "--recipe", NCHW, "-o", out, "--json", "--python", sys.executable, *DATA)
    if not check(got == 0, f"onnx int8: {got} {errors.strip()[-300:]}"):
        return
    answer = json.loads(text)
    check(answer["calibration_frames"] == 6 and answer["tool"] == f"onnxruntime {onnxruntime.__version__}", f"onnx int8: {answer}")
    kinds = {node.op_type for node in onnx.load(out).graph.node}
    check("QuantizeLinear" in kinds and "Conv" in kinds, f"onnx int8: no QDQ in {kinds}")
    print(f"onnx int8 by {answer['tool']}: agrees; {out.stat().st_size} bytes from {(MODELS / 'signs_float.onnx').stat().st_size}")


def unusable_pictures(folder):
    """A file that is not a picture, and one that the recipe cannot crop: both are left out of calibration and check, counted and named."""
    data, out = folder / "pictures", folder / "signs8.onnx"
    data.mkdir()
    large = [path for path in sorted((MODELS / "data/test").iterdir()) if min(picture_size(path)) >= 112][:6]
    small = next(path for path in sorted((MODELS / "data/test").iterdir()) if min(picture_size(path)) < 112)
    for path in large + [small]:
        (data / path.name).write_bytes(path.read_bytes())
    (data / "text.png").write_text("no picture")
    recipe = NCHW.replace("crop(center, 0.875)", "crop(center, 112x112)")
    wanted = [MODELS / "signs_float.onnx", "--to", "int8", "--recipe", recipe, "-o", out, "--python", sys.executable, "--data", data]
    got, text, errors = convert(*wanted, "--json")
    if not check(got == 0, f"unusable pictures: {got} {errors.strip()[-400:]}"):
        return
    answer = json.loads(text)
    check(sorted(one["sample"] for one in answer["left_out"]) == sorted([small.name, "text.png"]), f"unusable pictures: {answer['left_out']}")
    check(answer["calibration_frames"] == 6 and answer["verdict"]["coverage"]["frames_compared"] == 6, f"unusable pictures: {answer['calibration_frames']} {answer['verdict']['coverage']}")
    check("2 of 8 samples cannot be used; they are left out of the calibration and of the check" in errors and errors.count("text.png") == 1
          and errors.count(small.name) == 1, f"unusable pictures: {errors}")
    check(any("2 of 8 samples could not be used" in one for one in answer["verdict"]["warnings"]), f"unusable pictures: {answer['verdict']['warnings']}")
    for path in large:
        (data / path.name).unlink()
    out.unlink()
    got, _, errors = convert(*wanted)
    check(got == 2 and "no sample of --data could be used" in errors and not out.exists(), f"no usable picture: {got} {errors}")


def picture_size(path):
    with Image.open(path) as picture:
        return picture.size


def kept_in_float(folder):
    """Nodes by their name or by an output's name, also if the model gives them no names, and a list for calibration."""
    source = onnx.load(MODELS / "signs_float.onnx")
    convolutions = [node for node in source.graph.node if node.op_type == "Conv"]
    convolutions[2].name = convolutions[4].name = ""
    onnx.save(source, folder / "unnamed.onnx")
    wanted = [convolutions[1].name, convolutions[2].output[0], convolutions[4].output[0]]
    (folder / "keep.json").write_text(json.dumps(wanted))
    (folder / "list.txt").write_text("sign_0003.png\nsign_0007.png\n")
    out = folder / "kept.onnx"
    got, text, errors = convert(folder / "unnamed.onnx", "--to", "int8", "--recipe", NCHW, "-o", out, "--json", "--python", sys.executable,
                                "--keep-float", folder / "keep.json", "--calibration", folder / "list.txt", *DATA)
    if not check(got in (0, 3, 4), f"kept in float: {got} {errors.strip()[-300:]}"):
        return
    check(json.loads(text)["calibration_frames"] == 2, "kept in float: another number of calibration frames than the list has")
    quantised = {node.output[0]: node.op_type for node in onnx.load(out).graph.node if node.op_type == "DequantizeLinear"}
    in_float = {node.output[0] for node in onnx.load(out).graph.node if node.op_type == "Conv" and node.input[1] not in quantised}
    check(in_float == {convolutions[i].output[0] for i in (1, 2, 4)}, f"kept in float: {in_float}")
    print(f"onnx int8 with {len(in_float)} convolutions in float32")


def older_opset(folder):
    """Scales by channel need opset 13: the file is raised to it, and ONNX Runtime opens it; a file that cannot be raised gets one scale."""
    helper, float32 = onnx.helper, onnx.TensorProto.FLOAT
    weights = onnx.numpy_helper.from_array(np.random.default_rng(1).normal(size=(4, 3, 3, 3)).astype(np.float32), "w")
    old, out = folder / "old.onnx", folder / "new.onnx"
    for end in ("Relu", "NoSuchOperator"):
        nodes = [helper.make_node("Conv", ["x", "w"], ["c"], name="conv", pads=[1] * 4), helper.make_node(end, ["c"], ["y"])]
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", float32, [1, 3, 64, 64])],
                                  [helper.make_tensor_value_info("y", float32, [1, 4, 64, 64])], [weights])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)], ir_version=4), old)
        if end != "Relu":
            break
        got, _, errors = convert(old, "--to", "int8", "--recipe", NCHW, "-o", out, "--python", sys.executable, *DATA)
        if not check(got == 0, f"older opset: {got} {errors.strip()[-300:]}"):
            return
        onnxruntime.InferenceSession(str(out), providers=["CPUExecutionProvider"])
        model = onnx.load(out)
        scales = [onnx.numpy_helper.to_array(one).size for one in model.graph.initializer if one.name.startswith("w_") and "scale" in one.name]
        check(model.opset_import[0].version == 13 and scales == [4], f"older opset: {model.opset_import[0].version}, {scales}")
        check("the opset was raised from 9 to 13" in errors, f"older opset: {errors}")
    sys.path.insert(0, str(ROOT / "python" / "edgeprobe" / "convert"))
    import onnx_int8 as converter
    notes = []
    check(converter.raised(str(old), {"model": str(old), "calibration": None}, str(folder), notes) == (str(old), False), "older opset: raised an unknown operator")
    check(len(notes) == 1 and "one scale serves all weights" in notes[0] and "opset 9" in notes[0], f"older opset: {notes}")
    print("onnx int8 of opset 9: raised to 13, or one scale")


def openvino_ir(folder):
    for source, recipe, shape in (("signs_float.onnx", NCHW, (1, 3, 64, 64)), ("signs_float.tflite", NHWC, (1, 64, 64, 3))):
        out = folder / (source.replace(".", "_") + ".xml")
        got, _, errors = convert(MODELS / source, "--to", "openvino", "--recipe", recipe, "-o", out, "--python", sys.executable, *DATA)
        if "no library for engine" in errors or "no plug-in" in errors:
            print("openvino: converted and not checked:", errors.strip().splitlines()[-1])
            check(out.exists() and out.with_suffix(".bin").exists(), f"openvino {source}: no files")
            continue
        if not check(got == 0, f"openvino {source}: {got} {errors.strip()[-300:]}"):
            continue
        image = np.random.default_rng(1).random(shape, np.float32)
        ours = infer("openvino", out, image, folder, FOLDER=str(folder))
        compiled = openvino.Core().compile_model(str(out), "CPU", {"INFERENCE_PRECISION_HINT": "f32", "EXECUTION_MODE_HINT": "ACCURACY",
                                                                   "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1})
        theirs = compiled([image])[0].ravel()
        check(ours is not None and np.array_equal(ours, theirs), f"openvino {source}: not equal to OpenVINO's Python")
        print(f"openvino from {source}: agrees, and equals OpenVINO's Python")


def made(tool):
    """The interpreter of a tool's environment, or None."""
    if os.environ.get("EDGEPROBE_CONVERT_ALL"):
        return True
    ready = [p for p in CACHE.glob(f"convert-{tool}-*/ready")]
    if not ready:
        print(f"{tool} is left out: its environment has not been made (EDGEPROBE_CONVERT_ALL=1 makes it)")
    return bool(ready)


def tflite_int8(folder):
    if not made("quantizer"):
        return
    for to in ("int8", "int8-dynamic"):
        out = folder / f"{to}.tflite"
        got, _, errors = convert(MODELS / "signs_float.tflite", "--to", to, "--recipe", NHWC, "-o", out, *DATA)
        check(got == 0 and out.stat().st_size < (MODELS / "signs_float.tflite").stat().st_size, f"tflite {to}: {got} {errors.strip()[-300:]}")
        print(f"tflite {to} by ai-edge-quantizer: agrees; {out.stat().st_size} bytes")
    random, graph = np.random.default_rng(4), small_tflite.Graph()
    a, b = graph.tensor("a", (1, 8)), graph.tensor("b", (1, 4))
    weights, bias = graph.tensor("w", values=random.normal(0, 1, (4, 8)).astype(np.float32)), graph.tensor("bias", values=np.zeros(4, np.float32))
    product, out = graph.tensor("f", (1, 4)), graph.tensor("y", (1, 4))
    graph.op("FULLY_CONNECTED", [a, weights, bias], [product], options="FullyConnectedOptions")
    graph.op("ADD", [product, b], [out], options="AddOptions")
    graph.save(folder / "two.tflite", [a, b], [out])
    arrays = {"a": random.uniform(-1, 1, (32, 1, 8)).astype(np.float32), "b": random.uniform(-50, 50, (32, 1, 4)).astype(np.float32)}
    for name, most in (("a", 1), ("b", 50)):  # in each frame, since the tool averages over the frames
        arrays[name][:, 0, 0], arrays[name][:, 0, 1] = most, -most
    np.savez(folder / "two.npz", **arrays)
    got, _, errors = convert(folder / "two.tflite", "--to", "int8", "--data", folder / "two.npz", "-o", folder / "two8.tflite")
    if check(got == 0, f"two inputs: {got} {errors.strip()[-300:]}"):
        scales = {one["name"]: one["quantization"][0] for one in Interpreter(str(folder / "two8.tflite")).get_input_details()}
        check(np.allclose([scales["a"], scales["b"]], [2 / 255, 100 / 255], rtol=0.02), f"two inputs: each has the range of its own array: {scales}")
        print("tflite int8 of two inputs, calibrated with recorded tensors: agrees")


PYTHON_OF_TVM = """
import sys, numpy as np, tvm
from tvm import relax
machine = relax.VirtualMachine(tvm.runtime.load_module(sys.argv[1]), tvm.cpu())
result = machine["main"](tvm.runtime.tensor(np.fromfile(sys.argv[2], np.float32).reshape([int(n) for n in sys.argv[3].split(",")])))
(result if hasattr(result, "numpy") else result[0]).numpy().tofile(sys.argv[4])
"""


def tvm_module(folder):
    if not made("tvm"):
        return
    for source, recipe, shape in (("signs_float.onnx", NCHW, (1, 3, 64, 64)), ("signs_float.tflite", NHWC, (1, 64, 64, 3))):
        out = folder / (source.replace(".", "_") + ".so")
        got, _, errors = convert(MODELS / source, "--to", "tvm", "--recipe", recipe, "-o", out, *DATA)
        if "no library for engine" in errors:
            print("tvm: converted and not checked:", errors.strip().splitlines()[-1])
            continue
        if not check(got == 0 and "untuned" in errors, f"tvm {source}: {got} {errors.strip()[-300:]}"):
            continue
        image = np.random.default_rng(1).random(shape, np.float32)
        ours = infer("tvm", out, image, folder)
        python = next(CACHE.glob("convert-tvm-*/bin/python"))
        subprocess.run([python, "-c", PYTHON_OF_TVM, out, folder / "in", ",".join(map(str, shape)), folder / "theirs"], check=True)
        theirs = np.fromfile(folder / "theirs", np.float32)
        check(ours is not None and np.array_equal(ours, theirs), f"tvm {source}: not equal to TVM's Python")
        print(f"tvm from {source}: agrees, and equals TVM's Python bit for bit")
    if not shutil.which("aarch64-linux-gnu-g++"):
        print("tvm for aarch64 is left out: there is no aarch64-linux-gnu-g++")
        return
    out = folder / "arm.so"
    got, text, errors = convert(MODELS / "signs_float.onnx", "--to", "tvm?target=llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72&opt_level=2", "--recipe", NCHW,
                                "-o", out, "--json", *DATA)
    if check(got == 4 and "not checked: it is compiled for aarch64-linux-gnu" in errors, f"tvm for aarch64: {got} {errors.strip()[-300:]}"):
        check(out.read_bytes()[18:20] == b"\xb7\x00", "tvm for aarch64: the file is for another machine")  # e_machine 183: AArch64
        check(json.loads(text)["for_machine"] == "aarch64-linux-gnu", f"tvm for aarch64: {text[:300]}")
        print("tvm for aarch64: compiled, and left unchecked")


for part in (refused, no_network, interrupted, onnx_int8, unusable_pictures, kept_in_float, older_opset, openvino_ir, tflite_int8, tvm_module):
    with tempfile.TemporaryDirectory() as name:
        part(pathlib.Path(name))
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
