# SPDX-License-Identifier: Apache-2.0
"""Passes of onnxoptimizer as faults made by others: a result that computes the same must cause no alarm, and any other result must be found.

    optimizer_passes.py EDGEPROBE --optimizer PYTHON [--frames 4] [--models NAME,...]

PYTHON has onnxoptimizer 0.4.2 and onnx 1.23.2 (`python -m venv V && V/bin/pip install onnxoptimizer==0.4.2 onnx==1.23.2`). Whether a result computes
the same is measured by ONNX Runtime's own Python, without its optimiser, on the model inputs that edgeprobe recorded. `unfolded` is signs_float.onnx
with patterns that the passes change: paddings, biases, batch norms and casts as separate operators, and operators that do nothing.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "attributes"))
import attributes  # noqa: E402
import nets  # noqa: E402

SHARED = ROOT.parent / "shared" / "data"
PASS = """
import sys, onnx, onnxoptimizer
model = onnx.load(sys.argv[1])
before = model.SerializeToString()
made = onnxoptimizer.optimize(model, [sys.argv[3]])
if made.SerializeToString() == before: sys.exit(9)
onnx.save(made, sys.argv[2])
"""
LIST = "import onnxoptimizer; print(' '.join(p for p in onnxoptimizer.get_available_passes() if p.startswith(('fuse_', 'eliminate_', 'adjust_', 'replace_', 'rewrite_', 'extract_'))))"


def _constant(model, name, value):
    model.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    return name


def unfolded(path):
    """Moves a part of three in four convolutions into a separate operator."""
    model = onnx.load(ROOT / "models" / "signs_float.onnx")
    stored = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    nodes, turn = [], 0
    for node in model.graph.node:
        out = node.output[0]
        if node.op_type == "Conv":
            turn += 1
            pads = next((list(a.ints) for a in node.attribute if a.name == "pads"), [])
            if sum(pads) and turn % 4 in (0, 1):
                amounts = _constant(model, out + "_amounts", np.array([0, 0, *pads[:2], 0, 0, *pads[2:]], np.int64))
                nodes.append(helper.make_node("Pad", [node.input[0], amounts], [out + "_padded"], mode="constant"))
                node.input[0] = out + "_padded"
                kept = [a for a in node.attribute if a.name != "pads"]
                del node.attribute[:]
                node.attribute.extend(kept)
            if turn % 4 in (1, 2):
                bias = _constant(model, out + "_added", stored[node.input[2]].reshape(1, -1, 1, 1))
                del node.input[2]
                node.output[0] = out + "_unbiased"
                nodes += [node, helper.make_node("Add", [out + "_unbiased", bias], [out])]
                continue
            if turn % 4 == 3:
                count, rng = len(stored[node.input[2]]), np.random.default_rng(turn)
                scale = rng.uniform(.8, 1.2, count).astype(np.float32)
                numbers = [_constant(model, out + "_bn" + key, value.astype(np.float32)) for key, value in (("s", scale), ("b", scale * 0 + .05), ("m", scale * 0), ("v", scale * 0 + .02))]
                node.output[0] = out + "_unscaled"
                nodes += [node, helper.make_node("BatchNormalization", [out + "_unscaled", *numbers], [out], epsilon=1e-2)]
                continue
        if node.op_type == "GlobalAveragePool":
            amounts = _constant(model, "pool_amounts", np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64))
            nodes += [helper.make_node("Pad", [node.input[0], amounts], ["pool_padded"], mode="constant"),
                      helper.make_node("AveragePool", ["pool_padded"], ["pooled"], kernel_shape=[3, 3], strides=[2, 2]),
                      helper.make_node("Pad", ["pooled", amounts], ["max_padded"], mode="constant"),
                      helper.make_node("MaxPool", ["max_padded"], ["maxed"], kernel_shape=[3, 3], strides=[1, 1]),
                      helper.make_node("Transpose", ["maxed"], ["turned"], perm=[0, 2, 3, 1]), helper.make_node("Transpose", ["turned"], ["returned"], perm=[0, 3, 1, 2]),
                      helper.make_node("Identity", ["returned"], ["same"]), helper.make_node("Concat", ["same"], ["alone"], axis=1),
                      helper.make_node("Cast", ["alone"], ["cast"], to=TensorProto.FLOAT), helper.make_node("Dropout", ["cast"], ["dropped"])]
            node.input[0] = "dropped"
        if node.op_type == "Gemm":
            matrix = stored[node.input[1]]
            turned = next((a.i for a in node.attribute if a.name == "transB"), 0)
            weights = _constant(model, "gemm_matrix", np.ascontiguousarray(matrix.T if turned else matrix))
            nodes += [helper.make_node("MatMul", [node.input[0], weights], [out + "_product"]), helper.make_node("Add", [out + "_product", node.input[2]], [out])]
            continue
        nodes.append(node)
    del model.graph.node[:], model.graph.value_info[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def models(work):
    signs = (ROOT / "models" / "signs_nchw.recipe").read_text().strip()
    pictures = ROOT / "models" / "data" / "test"
    nets.both(work, "varied", 1)
    unfolded(work / "unfolded.onnx")
    found = {"signs_float": (ROOT / "models" / "signs_float.onnx", signs, pictures), "inception_like": (ROOT / "models" / "inception_like.onnx", signs, pictures),
             "varied": (work / "varied.onnx", signs, pictures), "unfolded": (work / "unfolded.onnx", signs, pictures)}
    shared = {"ultraface": (SHARED / "models/ultraface/version-RFB-320_without_postprocessing.onnx", "resize(240x320) | color(rgb) | scale(-1..1) | layout(nchw)"),
              "squeezenet": (SHARED / "models/onnx_light/light_squeezenet.onnx", "resize(224x224) | color(rgb) | scale(-1..1) | layout(nchw)"),
              "mnist": (SHARED / "models/onnx/mnist.onnx", "resize(28x28) | gray | scale(0..1) | layout(nchw)")}
    photos = work / "photos"
    photos.mkdir()
    for picture in attributes.PHOTOS if (SHARED / "images").exists() else []:
        (photos / picture).symlink_to(SHARED / "images" / picture)
    for name, (path, recipe) in shared.items():
        if path.exists():
            found[name] = (path, recipe, photos)
        else:
            print("without", path)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("edgeprobe")
    parser.add_argument("--optimizer", required=True)
    parser.add_argument("--frames", type=int, default=4)
    parser.add_argument("--models")
    args = parser.parse_args()
    passes = subprocess.run([args.optimizer, "-c", LIST], check=True, capture_output=True, text=True).stdout.split()
    print(len(passes), "passes")
    total = {}
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        for name, (path, recipe, data) in models(work).items():
            if args.models and name not in args.models.split(","):
                continue
            try:
                inputs = attributes.recorded(args.edgeprobe, path, recipe, data, args.frames, work)
                reference = attributes.run(path.read_bytes(), ".onnx", inputs)
            except subprocess.CalledProcessError as error:
                print(f"{name}: not run: {error.stderr.decode(errors='replace')[-200:]}")
                continue
            table = {}
            for one in passes:
                made = work / "optimised.onnx"
                made.unlink(missing_ok=True)
                done = subprocess.run([args.optimizer, "-c", PASS, path, made, one], capture_output=True, text=True, timeout=120)
                if done.returncode == 9:
                    table["nothing to do"] = table.get("nothing to do", 0) + 1
                    continue
                if done.returncode or not made.exists():
                    print(f"   {name} {one}: the pass itself fails ({done.returncode}) {done.stderr.strip().splitlines()[-1:]}")
                    table["pass fails"] = table.get("pass fails", 0) + 1
                    continue
                try:
                    effect = attributes.gap(reference, attributes.run(made.read_bytes(), ".onnx", inputs))
                except Exception as error:
                    print(f"   {name} {one}: ONNX Runtime refuses the result: {str(error)[:120]}")
                    table["engine refuses"] = table.get("engine refuses", 0) + 1
                    continue
                said = subprocess.run([args.edgeprobe, "check", made, "--reference", path, "--recipe", recipe, "--reference-recipe", recipe, "--data", str(data), "--frames", str(args.frames), "--json", "--images", "none"],
                                      capture_output=True, text=True, stdin=subprocess.DEVNULL)
                if not said.stdout:
                    print(f"   {name} {one}: {said.stderr[-200:]}")
                    table["check fails"] = table.get("check fails", 0) + 1
                    continue
                verdict = json.loads(said.stdout)
                causes = [cause for cause in verdict["causes"] if cause["status"] == "confirmed"]
                if effect < 1e-4:
                    key = "same, no alarm" if verdict["verdict"] == "agrees" and not causes else "same, FALSE ALARM"
                elif causes:
                    key = "other, found"
                else:
                    key = "other, told without a cause" if verdict["verdict"] == "differs" else "other, MISSED" if effect > attributes.MATTERS else "other but mild, no alarm"
                table[key] = table.get(key, 0) + 1
                if key != "same, no alarm":
                    cause = (causes or verdict["causes"] or [{"detail": verdict["headline"]}])[0]
                    print(f"   {name} {one}: {key}, gap {effect:.2g}: {cause['detail'][:200]}", flush=True)
            print(f"{name:16}" + ", ".join(f"{key} {value}" for key, value in sorted(table.items())), flush=True)
            for key, value in table.items():
                total[key] = total.get(key, 0) + value
    print(f"{'all':16}" + ", ".join(f"{key} {value}" for key, value in sorted(total.items())))


if __name__ == "__main__":
    main()
