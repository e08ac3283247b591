# SPDX-License-Identifier: Apache-2.0
"""Compares every model, engine and kernel set with the Python interpreter of ai-edge-litert 2.3.0.

Usage: conformance.py RUN_MODEL POOL_DELEGATE
Requirements:
  litert xnnpack    bit-equal to the interpreter with its default delegate (same kernels, same version)
  litert builtin    bit-equal to the interpreter without default delegates
  tflite reference  integers within 1 code of BUILTIN_REF, floats within 1e-5 of the range
  tflite builtin, tflite xnnpack: another version's optimised kernels; within 4 codes, and printed. Floats
                    are only printed: noise images put the joints of a pose anywhere.
Exit code 77: this machine lacks something that the test needs."""
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
try:
    import numpy as np
    from ai_edge_litert import interpreter as litert
    from ai_edge_litert import schema_py_generated as schema
    import flatbuffers
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

RUN_MODEL, POOL_DELEGATE = sys.argv[1:3]
ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT / "../shared/data")) / "models"
ROUTES = {
    "xnnpack": litert.OpResolverType.AUTO,
    "builtin": litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    "reference": litert.OpResolverType.BUILTIN_REF,
}
# Float inputs and outputs, int8 weights: activations are quantised during inference, which turns 1e-7 into 1e-1.
HYBRID = {"kws_ref_model_float32.tflite"}
failures = []


def check(good, text):
    if not good:
        failures.append(text)
        print("FAILED", text)


def run(engine, kernels, model, inputs, folder, mode="supervised", extra=(), shapes=(), environment=None):
    """The outputs and the printed lines of our engine, or its error text."""
    files = []
    for i, value in enumerate(inputs):
        files.append(folder / f"in{i}")
        files[-1].write_bytes(np.ascontiguousarray(value).tobytes())
    command = [RUN_MODEL, engine, kernels, "1", mode, str(model), str(folder / "out"), *map(str, files), *extra]
    if shapes:
        command += ["--", *shapes]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        return None, done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
    outputs = []
    for line in done.stdout.splitlines():
        if line.startswith("output "):
            _, dtype, shape, *_ = line.split(" ")
            raw = (folder / f"out.{len(outputs)}").read_bytes()
            outputs.append(np.frombuffer(raw, dtype).reshape([int(n) for n in shape.split(",") if n]))
    return outputs, done.stdout


def interpreter(model, kernels, **options):
    it = litert.Interpreter(model_path=str(model), experimental_op_resolver_type=ROUTES[kernels], num_threads=1, **options)
    return it


def expected(model, kernels, inputs, **options):
    it = interpreter(model, kernels, **options)
    for detail, value in zip(it.get_input_details(), inputs):
        it.resize_tensor_input(detail["index"], value.shape)
    it.allocate_tensors()
    for detail, value in zip(it.get_input_details(), inputs):
        it.set_tensor(detail["index"], value)
    it.invoke()
    return [it.get_tensor(detail["index"]) for detail in it.get_output_details()]


def seeded(model, seed):
    rng = np.random.default_rng(seed)
    values = []
    for detail in interpreter(model, "builtin").get_input_details():
        shape, dtype = detail["shape"], detail["dtype"]
        if np.issubdtype(dtype, np.floating):
            high = 255 if "Resnet" in model.name else 1
            values.append((rng.random(shape) * high).astype(dtype))
        else:
            info = np.iinfo(dtype)
            values.append(rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True))
    return values


def distance(ours, theirs):
    """(largest difference in codes over integer outputs, largest difference over the range of floats)"""
    codes, share = 0, 0.0
    for a, b in zip(ours, theirs):
        if np.issubdtype(b.dtype, np.floating):
            finite = np.isfinite(b)
            check((np.isfinite(a) == finite).all(), "NaN or infinity at other places")
            scale = max(float(np.ptp(b[finite])), 1e-6) if finite.any() else 1
            share = max(share, float(np.abs(a[finite] - b[finite]).max(initial=0)) / scale)
        else:
            codes = max(codes, int(np.abs(a.astype(np.int64) - b.astype(np.int64)).max(initial=0)))
    return codes, share


def all_models(folder, have_tflite):
    models = sorted(p for p in MODELS.rglob("*") if p.suffix in (".tflite", ".bin") and "invalid" not in p.parts)
    print(f"{'model':52s} {'litert xnnpack':>15s} {'litert builtin':>15s} {'tflite xnnpack':>15s} {'tflite builtin':>15s} {'tflite reference':>17s}")
    compared = 0
    for model in models:
        try:
            inputs = seeded(model, 1)
            expected(model, "builtin", inputs)
        except (RuntimeError, ValueError) as refused:
            # Our engine must also refuse each model that the interpreter refuses, with the interpreter's reason.
            _, text = run("litert", "builtin", model, [], folder)
            reason = str(refused).split("\n")[0].rstrip(".")
            check(isinstance(text, str) and reason.split(":")[0] in text, f"{model.name}: refused with '{text}', not '{reason}'")
            print(f"{model.name:52s} refused by both: {reason}")
            continue
        cells = []
        for engine, kernels in (("litert", "xnnpack"), ("litert", "builtin"), ("tflite", "xnnpack"), ("tflite", "builtin"), ("tflite", "reference")):
            if engine == "tflite" and not have_tflite:
                cells.append("-")
                continue
            codes, share = 0, 0.0
            for seed in (1, 2):
                inputs = seeded(model, seed)
                ours, text = run(engine, kernels, model, inputs, folder, "here" if seed == 2 else "supervised")
                if ours is None and kernels == "reference" and "Didn't find op" in text:
                    codes = "lacks " + text.split("opcode '")[1].split("'")[0]
                    break
                if ours is None:
                    check(False, f"{engine} {kernels} {model.name}: {text}")
                    break
                theirs = expected(model, kernels, inputs)
                check([a.shape for a in ours] == [b.shape for b in theirs], f"{engine} {kernels} {model.name}: shapes")
                one = distance(ours, theirs)
                codes, share = max(codes, one[0]), max(share, one[1])
            if isinstance(codes, str):
                cells.append(codes)
                continue
            compared += 1
            name = f"{engine} {kernels} {model.name}: {codes} codes, {share:.2g} of the range"
            if engine == "litert":
                check(codes == 0 and share == 0, name + ", must be bit-equal")
            elif kernels == "reference" and model.name not in HYBRID:
                check(codes <= 1 and share <= 1e-5, name + ", must be within 1 code and 1e-5")
            else:
                check(codes <= 4, name + ", must be within 4 codes")
            cells.append("equal" if codes == 0 and share == 0 else f"{codes}" if codes else f"{share:.1e}")
        print(f"{model.name:52s} " + " ".join(f"{c:>{15 + 2 * (i == 4)}s}" for i, c in enumerate(cells)))
    check(compared >= 20 or not models, f"only {compared} comparisons")


def resized(folder, have_tflite):
    model = MODELS / "mlperf_tiny/vww_96_int8.tflite"
    rng = np.random.default_rng(3)
    batch = rng.integers(-128, 127, (3, 96, 96, 3), dtype=np.int8, endpoint=True)
    name = interpreter(model, "builtin").get_input_details()[0]["name"]
    routes = [("litert", "xnnpack"), ("litert", "builtin")] + [("tflite", "reference")] * have_tflite
    for engine, kernels in routes:
        ours, text = run(engine, kernels, model, [batch], folder, shapes=[f"{name}=3,96,96,3"])
        check(ours is not None, f"resized {engine} {kernels}: {text}")
        if ours is not None:
            codes, _ = distance(ours, expected(model, kernels, [batch]))
            check(codes <= (1 if engine == "tflite" else 0), f"resized {engine} {kernels}: {codes} codes")
            print(f"batch of 3 in {engine} {kernels}: {codes} codes from the interpreter")


def delegated(folder):
    """Our test delegate gives the same wrong numbers in C++ and in Python (reference kernels)."""
    model = MODELS / "coral/mobilenet_v2_1.0_224_quant.tflite"
    inputs = seeded(model, 5)
    delegate = litert.load_delegate(POOL_DELEGATE, {"value": "90"})
    theirs = expected(model, "reference", inputs, experimental_delegates=[delegate])
    ours, text = run("tflite", "reference", model, inputs, folder, environment={"DELEGATE": f"{POOL_DELEGATE}?value=90"})
    check(ours is not None, f"delegate: {text}")
    if ours is not None:
        codes, _ = distance(ours, theirs)
        check(codes <= 1, f"delegate: {codes} codes")
        print(f"with the delegate that fills AVERAGE_POOL_2D: {codes} codes from the interpreter with it")


def endless(folder, have_tflite):
    """A valid model whose WHILE never ends, made here, must end with an error sentence."""
    path = folder / "endless.tflite"
    path.write_bytes(endless_model())
    for engine in ["litert"] + ["tflite"] * have_tflite:
        for kernels in ("xnnpack", "builtin"):
            outputs, text = run(engine, kernels, path, [np.zeros(1, np.float32)], folder, environment={"LIMIT_MS": "700"})
            check(outputs is None and "longer than the limit of 700 ms and was stopped" in text, f"endless in {engine} {kernels}: {text}")
            print(f"endless WHILE in {engine} {kernels}: {text}")


def endless_model():
    def tensor(kind):
        t = schema.TensorT()
        t.shape, t.type, t.buffer, t.name = [1], kind, 0, b"t"
        return t

    def graph(tensors, inputs, outputs, operators):
        g = schema.SubGraphT()
        g.tensors, g.inputs, g.outputs, g.operators, g.name = tensors, inputs, outputs, operators, b"g"
        return g

    def operator(code, inputs, outputs, kind=0, options=None):
        o = schema.OperatorT()
        o.opcodeIndex, o.inputs, o.outputs = code, inputs, outputs
        o.builtinOptionsType, o.builtinOptions = kind, options
        return o

    B, T, O = schema.BuiltinOperator, schema.TensorType, schema.BuiltinOptions
    codes = []
    for builtin in (B.WHILE, B.EQUAL, B.ABS):
        c = schema.OperatorCodeT()
        c.deprecatedBuiltinCode, c.builtinCode, c.version = min(builtin, 127), builtin, 1
        codes.append(c)
    loop = schema.WhileOptionsT()
    loop.condSubgraphIndex, loop.bodySubgraphIndex = 1, 2
    f, b = T.FLOAT32, T.BOOL
    model = schema.ModelT()
    model.version, model.description, model.operatorCodes = 3, b"endless", codes
    model.buffers = [schema.BufferT()]
    model.subgraphs = [
        graph([tensor(f), tensor(f)], [0], [1], [operator(0, [0], [1], O.WhileOptions, loop)]),
        graph([tensor(f), tensor(b)], [0], [1], [operator(1, [0, 0], [1], O.EqualOptions, schema.EqualOptionsT())]),
        graph([tensor(f), tensor(f)], [0], [1], [operator(2, [0], [1], O.AbsOptions, schema.AbsOptionsT())]),
    ]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "none").write_bytes(b"")
        _, absent = run("litert", "builtin", folder / "none", [], folder)
        if "no library for engine" in absent:
            print("skipped:", absent)
            sys.exit(77)
        _, absent = run("tflite", "builtin", folder / "none", [], folder)
        have_tflite = "no library for engine" not in absent
        if not have_tflite:
            print("tflite is left out:", absent)
        endless(folder, have_tflite)
        if MODELS.exists():
            all_models(folder, have_tflite)
            resized(folder, have_tflite)
            if have_tflite:
                delegated(folder)
        else:
            print(f"the models are left out: {MODELS} does not exist (EDGEPROBE_SHARED_DATA)")
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
