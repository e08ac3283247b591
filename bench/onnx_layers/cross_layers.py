# SPDX-License-Identifier: Apache-2.0
"""Plants faults into one of two files of one network, a .tflite and an .onnx: how many does `edgeprobe check` name with layer and class if the other
file is the reference?

    cross_layers.py EDGEPROBE --onnx MODEL.onnx --tflite MODEL.tflite --onnx-recipe R --tflite-recipe R --data PICTURES
                    [--target onnx|tflite] [--most 40] [--seed 1] [--frames 8]

The .onnx is changed by the onnx package, the .tflite by finding the bytes of its weights, as LiteRT's own interpreter shows them. The values in both
interpreters show which layers belong together. They also measure the effect of a fault: the root of the mean over outputs of MSE / variance. Needs
script/setup --test (.deps/venv/bin/python).
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import tempfile

import numpy as np
import onnx
import onnxruntime
from ai_edge_litert.interpreter import Interpreter
from PIL import Image

import onnx_faults
from onnx_faults import Fault
from onnx_layers import MATTERS, gap, grade

onnxruntime.set_default_logger_severity(3)


def pictures(folder, height, width, most):
    files = sorted(path for path in pathlib.Path(folder).iterdir() if path.suffix in (".png", ".jpg", ".bmp"))
    chosen = [files[i * len(files) // most] for i in range(min(most, len(files)))]
    for path in chosen:
        yield np.asarray(Image.open(path).convert("RGB").resize((width, height), Image.BILINEAR), np.float32)[None] / 127.5 - 1


def of_onnx(model, inputs, tensors=None):
    if tensors:
        model = onnx.ModelProto.FromString(model)
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in tensors if name not in {one.name for one in model.graph.output})
        model = model.SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_outputs()]
    runs = [session.run(None, {session.get_inputs()[0].name: one.transpose(0, 3, 1, 2)}) for one in inputs]
    return {name: np.stack(values) for name, values in zip(names, zip(*runs))}


def of_tflite(model, inputs, layers=False):
    run = Interpreter(model_content=model, experimental_preserve_all_tensors=layers)
    run.allocate_tensors()
    outputs = {}
    for one in inputs:
        run.set_tensor(run.get_input_details()[0]["index"], one)
        run.invoke()
        for tensor in (run.get_tensor_details() if layers else run.get_output_details()):
            if not tensor["name"] or tensor["dtype"] != np.float32:
                continue
            try:
                outputs.setdefault(tensor["name"], []).append(run.get_tensor(tensor["index"]).copy())
            except ValueError:
                pass
    return {name: np.stack(values) for name, values in outputs.items() if len(values) == len(inputs)}


def alike(a, b):
    """Whether two stacks of tensors contain the same values, with channels first or last."""
    forms = [b] if b.ndim < 5 else [b, b.transpose(0, 1, 4, 2, 3)]
    return any(one.size == a.size and np.std(a) > 0 and np.allclose(one.reshape(-1), a.reshape(-1), rtol=1e-3, atol=1e-4 * np.std(a)) for one in forms)


def partners(onnx_values, tflite_values, model):
    """Maps the ONNX tensor that a node makes to the .tflite's tensor with the same values. Up to three single readers are followed if a tensor has no
    equal."""
    readers = {}
    for node in model.graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    found = {}
    for node in model.graph.node:
        name = node.output[0]
        for _ in range(4):
            same = [other for other, values in tflite_values.items() if name in onnx_values and alike(onnx_values[name], values)]
            if same:
                found[node.output[0]] = (same, name)
                break
            after = readers.get(name, [])
            if len(after) != 1:
                break
            name = after[0].output[0]
    return found


def tflite_faults(path, found):
    """Faults in weights and biases of the layers: the bytes that the interpreter shows are searched in the file and changed there."""
    content = pathlib.Path(path).read_bytes()
    run = Interpreter(model_content=content)
    run.allocate_tensors()
    by_index = {tensor["index"]: tensor for tensor in run.get_tensor_details()}
    onnx_of = {}
    for name, (same, _) in found.items():
        for other in same:
            onnx_of.setdefault(other, name)
    for op in run._get_ops_details():
        made = by_index[op["outputs"][0]]["name"]
        if op["op_name"] not in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED") or made not in onnx_of:
            continue
        for slot, changes in ((1, (("weights doubled", lambda v: v * 2), ("filters reversed", lambda v: v[..., ::-1] if v.shape[0] == 1 else v[::-1]))),
                              (2, (("bias zero", lambda v: v * 0), ("bias times 4", lambda v: v * 4)))):
            if slot >= len(op["inputs"]) or op["inputs"][slot] < 0:
                continue
            values = run.get_tensor(int(op["inputs"][slot]))
            if values.dtype != np.float32 or content.count(values.tobytes()) != 1:
                continue
            for name, change in changes:
                new = np.ascontiguousarray(change(values)).astype(np.float32).tobytes()
                yield Fault(name, "weights", onnx_of[made], lambda old=values.tobytes(), new=new: content.replace(old, new))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("edgeprobe")
    for flag in ("--onnx", "--tflite", "--onnx-recipe", "--tflite-recipe", "--data"):
        parser.add_argument(flag, required=True)
    parser.add_argument("--target", choices=("onnx", "tflite"), default="onnx")
    parser.add_argument("--most", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--frames", type=int, default=8)
    args = parser.parse_args()
    recipe = {side: pathlib.Path(text).read_text().strip() if os.path.exists(text) else text
              for side, text in (("onnx", args.onnx_recipe), ("tflite", args.tflite_recipe))}
    model = onnx.load(args.onnx)
    _, _, height, width = [one.dim_value for one in model.graph.input[0].type.tensor_type.shape.dim]
    inputs = list(pictures(args.data, height, width, args.frames))
    content = pathlib.Path(args.tflite).read_bytes()
    layers = [name for node in model.graph.node for name in node.output]
    found = partners(of_onnx(model.SerializeToString(), inputs[:2], layers), of_tflite(content, inputs[:2], True), model)
    outputs_onnx, outputs_tflite = of_onnx(model.SerializeToString(), inputs), of_tflite(content, inputs)
    if args.target == "onnx":
        faults, reference = [one for one in onnx_faults.planted(model) if one.output in found], args.tflite
        whole = outputs_onnx
    else:
        faults, reference = list(tflite_faults(args.tflite, found)), args.onnx
        whole = outputs_tflite
    random.Random(args.seed).shuffle(faults)
    kinds, chosen = {}, []
    for fault in faults:
        kinds[fault.name] = kinds.get(fault.name, 0) + 1
        if kinds[fault.name] <= 3:
            chosen.append(fault)
    table, wrong = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for fault in chosen[:args.most]:
            changed = fault.apply()
            if changed is None:
                continue
            path = os.path.join(folder, "target." + args.target)
            if args.target == "onnx":
                onnx.save(changed, path)
            else:
                pathlib.Path(path).write_bytes(changed)
            try:
                got = of_onnx(changed.SerializeToString(), inputs) if args.target == "onnx" else of_tflite(changed, inputs)
                effect = gap([whole[name] for name in sorted(whole)], [got[name] for name in sorted(got)])
            except Exception:  # The engine refuses a model that the checker accepted.
                continue
            other = "tflite" if args.target == "onnx" else "onnx"
            said = subprocess.run([args.edgeprobe, "check", path, "--reference", reference, "--recipe", recipe[args.target], "--reference-recipe", recipe[other],
                                   "--data", args.data, "--frames", str(args.frames), "--json", "--images", "none"],
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if not said.stdout:
                wrong.append(f"{fault.name} at {fault.output}: {said.stderr[-200:]}")
                continue
            verdict = json.loads(said.stdout)
            # The reference's name of the layer, which may correspond to several layers of the other side.
            same, end = found[fault.output]
            names = same if args.target == "onnx" else [fault.output, end]
            group = "matters" if effect > MATTERS else "milder" if effect > 1e-3 else "no effect"
            answers = [grade(Fault(fault.name, fault.kind, name, None), verdict) for name in names]
            answer = "right" if "right" in answers else answers[0]
            table[group, answer] = table.get((group, answer), 0) + 1
            if answer == "wrong" or (answer != "right" and group == "matters"):
                wrong.append(f"{fault.name} at {fault.output}, gap {effect:.2g}: {verdict['headline'][:180]}")
    name = f"{pathlib.Path(args.onnx).name} against {pathlib.Path(args.tflite).name}, faults in the .{args.target}"
    for group in ("matters", "milder", "no effect"):
        print(f"{name:28} {group:10}" + "".join(f"  {said} {table.get((group, said), 0)}" for said in ("right", "unknown", "wrong")))
    for line in wrong:
        print("  " + line)


if __name__ == "__main__":
    main()
