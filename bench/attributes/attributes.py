# SPDX-License-Identifier: Apache-2.0
"""Plants attribute faults into models of both formats: how many does `edgeprobe check` name with layer, attribute and value?

    attributes.py EDGEPROBE [--work DIR] [--most 12] [--part seen|unseen|all]

A fault counts when it moves the outputs by more than 0.3 of their standard deviation, measured by the engines' own Python (ONNX Runtime, LiteRT's
built-in kernels) on the model inputs that edgeprobe recorded, at the logits if the model has them. Right: one confirmed cause, of that layer, of kind
`operator`, whose option is the planted one, and whose target, edited as the verdict's code says, computes the reference's outputs.
"""
import argparse
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from ai_edge_litert.interpreter import Interpreter, OpResolverType

import nets
import planted

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = ROOT.parent / "shared" / "data"
SIGNS = ROOT / "models" / "data" / "test"
MATTERS = 0.3
PHOTOS = ["bird.bmp", "cat.bmp", "grace_hopper.bmp", "hot_dog.jpg", "owl.jpg", "parrot.jpg", "pets.jpg", "sunflower.bmp"]


def models(work):
    """name: (file, recipe, pictures); the second map is the unseen part."""
    nets.both(work, "varied", 1)
    nets.both(work, "other", 11)
    nchw, nhwc = [(ROOT / "models" / name).read_text().strip() for name in ("signs_nchw.recipe", "signs.recipe")]
    seen = {"varied.onnx": (work / "varied.onnx", nchw, SIGNS), "signs_float.onnx": (ROOT / "models" / "signs_float.onnx", nchw, SIGNS),
            "varied.tflite": (work / "varied.tflite", nhwc, SIGNS), "signs_float.tflite": (ROOT / "models" / "signs_float.tflite", nhwc, SIGNS)}
    unseen = {"inception_like.onnx": (ROOT / "models" / "inception_like.onnx", nchw, SIGNS), "other.onnx": (work / "other.onnx", nchw, SIGNS), "other.tflite": (work / "other.tflite", nhwc, SIGNS),
              "signs_int8.tflite": (ROOT / "models" / "signs_int8.tflite", nhwc + " | quantize(model)", SIGNS)}
    tiny, photos = SHARED / "models" / "mlperf_tiny", work / "photos"
    if tiny.exists():
        photos.mkdir(exist_ok=True)
        for picture in PHOTOS:
            (photos / picture).unlink(missing_ok=True)
            (photos / picture).symlink_to(SHARED / "images" / picture)
        unseen["pretrainedResnet.tflite"] = (tiny / "pretrainedResnet.tflite", "resize(32x32, area)", photos)
        unseen["vww_96_float.tflite"] = (tiny / "vww_96_float.tflite", "crop(square) | resize(96x96, area, like=opencv) | scale(0..1)", photos)
    else:
        print("without", tiny, "two models are left out")
    return seen, unseen


def with_logits(path):
    """A copy of the file whose only output is the input of the last Softmax, for the engine's Python."""
    if path.suffix == ".onnx":
        model = onnx.load(path)
        last = model.graph.node[-1]
        if last.op_type == "Softmax":
            del model.graph.output[:]
            model.graph.output.extend([onnx.helper.make_empty_tensor_value_info(last.input[0])])
        return model.SerializeToString()
    model = planted.Model(path)
    model.graph.outputs = np.array([model.logits()], np.int32)
    out = path.with_suffix(".logits")
    model.save(out)
    return out.read_bytes()


def run(content, suffix, inputs):
    if suffix == ".onnx":
        onnxruntime.set_default_logger_severity(4)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        return np.stack([session.run(None, {session.get_inputs()[0].name: one})[0] for one in inputs]).astype(np.float64)
    session = Interpreter(model_content=content, experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    session.allocate_tensors()
    made = []
    for one in inputs:
        session.set_tensor(session.get_input_details()[0]["index"], one)
        session.invoke()
        made.append(session.get_tensor(session.get_output_details()[0]["index"]).copy())
    return np.stack(made).astype(np.float64)


def gap(reference, target):
    if target.shape != reference.shape:
        return float("nan")
    return float(np.sqrt(np.mean((target - reference) ** 2) / max(np.var(reference), 1e-24)))


def picture_input(graph):
    """The first input without a default value: files before IR version 4 list their weights as inputs, too."""
    stored = {one.name for one in graph.initializer}
    return next(one for one in graph.input if one.name not in stored)


def recorded(program, path, recipe, data, frames, work):
    trace, arrays = work / "inputs.mcap", work / "inputs.npz"
    for command in (["run", path, "--recipe", recipe, "--data", data, "--frames", frames, "--level", "io", "--trace", trace, "--force"],
                    ["trace", "export", trace, "--npz", arrays, "--force"]):
        subprocess.run([program, *map(str, command)], check=True, capture_output=True, stdin=subprocess.DEVNULL)
    found = np.load(arrays)
    first = next(found[name] for name in found.files if name.startswith("model_input/"))
    shape = ([d.dim_value or 1 for d in picture_input(onnx.load(path).graph).type.tensor_type.shape.dim] if path.suffix == ".onnx"
             else [max(1, int(d)) for d in planted.Model(path).tensors[planted.Model(path).graph.inputs[0]].shape])
    return [one.reshape(shape) for one in first]


def mended(cause, path, work):
    """The target, edited by running the verdict's code unchanged."""
    code = cause["fix"]["code"].get(path.suffix[1:]) if isinstance(cause.get("fix"), dict) else None
    if not code:
        return None
    script = work / "fix.py"
    script.write_text(code.replace("TARGET" + path.suffix, str(path)).replace("mended" + path.suffix, str(work / ("mended" + path.suffix))))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    if done.returncode:
        print(done.stderr[-400:])
        return None
    return work / ("mended" + path.suffix)


def judged(verdict, output, option):
    confirmed = [cause for cause in verdict["causes"] if cause["status"] == "confirmed"]
    if not confirmed:
        return "unknown", None
    first = confirmed[0]
    told = {one["values"]["option"] for one in first["evidence_values"] if one["kind"] == "attribute_differs" and "option" in one["values"]}
    if len(confirmed) == 1 and first["layer"] == output and first["kind"] == "operator":
        return ("right" if told and told <= option else "right layer and class"), first
    return "wrong", first


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("edgeprobe")
    parser.add_argument("--work")
    parser.add_argument("--most", type=int, default=12, help="faults that matter, of each model")
    parser.add_argument("--part", choices=("seen", "unseen", "all"), default="all")
    parser.add_argument("--frames", type=int, default=8)
    parser.add_argument("--models", help="names, instead of a part")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(args.work or temporary)
        work.mkdir(parents=True, exist_ok=True)
        seen, unseen = models(work)
        chosen = {**(seen if args.part != "unseen" else {}), **(unseen if args.part != "seen" else {})}
        if args.models:
            chosen = {name: one for name, one in {**seen, **unseen}.items() if name in args.models.split(",")}
        total = {}
        for name, (path, recipe, data) in chosen.items():
            inputs = recorded(args.edgeprobe, path, recipe, data, args.frames, work)
            reference = run(with_logits(path), path.suffix, inputs)
            whole = run(path.read_bytes(), path.suffix, inputs)
            faults = list((planted.in_onnx if path.suffix == ".onnx" else planted.in_tflite)(path))
            faults.sort(key=lambda one: hashlib.sha256((one[0] + one[1]).encode()).hexdigest())  # Shuffled with a fixed seed.
            kinds, table, tried = {}, {}, 0
            for fault, output, option, apply in faults:
                if kinds.get(fault, 0) == 2 or tried == args.most:
                    continue
                changed = work / ("changed" + path.suffix)
                apply(changed)
                try:
                    effect = gap(reference, run(with_logits(changed), path.suffix, inputs))
                    if fault.startswith(("SOFTMAX", "Softmax")):
                        effect = gap(whole, run(changed.read_bytes(), path.suffix, inputs))
                except Exception:  # The engine refuses it, so no app deploys such a model.
                    continue
                if not effect > MATTERS:
                    continue
                kinds[fault] = kinds.get(fault, 0) + 1
                tried += 1
                said = subprocess.run([args.edgeprobe, "check", changed, "--reference", path, "--recipe", recipe, "--reference-recipe", recipe, "--data", str(data), "--frames", str(args.frames), "--json", "--images", "none"],
                                      capture_output=True, text=True, stdin=subprocess.DEVNULL)
                if not said.stdout:
                    print(name, fault, said.stderr[-300:])
                    table["failed"] = table.get("failed", 0) + 1
                    continue
                verdict = json.loads(said.stdout)
                grade, cause = judged(verdict, output, option)
                if grade == "right":
                    edited = mended(cause, changed, work)
                    after = gap(whole, run(edited.read_bytes(), path.suffix, inputs)) if edited else float("nan")
                    table["mended"] = table.get("mended", 0) + (after < 1e-3)
                    if not after < 1e-3:
                        print(f"   not mended by the code: {fault} at {output}: {after}")
                table[grade] = table.get(grade, 0) + 1
                if grade != "right":
                    print(f"   {grade}: {name}: {fault} at {output}, gap {effect:.2g}: {(cause or {}).get('detail') or verdict['headline']}", flush=True)
            print(f"{name:26}", tried, "faults:", ", ".join(f"{key} {value}" for key, value in sorted(table.items())), flush=True)
            for key, value in table.items():
                total[path.suffix, key] = total.get((path.suffix, key), 0) + value
        for suffix in (".onnx", ".tflite"):
            print(suffix, ", ".join(f"{key} {value}" for (of, key), value in sorted(total.items()) if of == suffix))


if __name__ == "__main__":
    main()
