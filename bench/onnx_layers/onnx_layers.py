# SPDX-License-Identifier: Apache-2.0
"""Plants faults into .onnx models: how many does `edgeprobe check` name with node and class, and what does it report without a fault?

    onnx_layers.py EDGEPROBE --model MODEL.onnx --recipe RECIPE --data PICTURES [--quantized QUANTIZED.onnx] [--most 40] [--seed 1] [--frames 12]

With --quantized the faults are planted into that file, whose float form is MODEL: written with QuantizeLinear and DequantizeLinear
(QDQ), with operators that compute in integers (QOperator), or quantised while it runs (ConvInteger, MatMulInteger).

The effect of each fault is measured by ONNX Runtime's own Python on the same pictures, read by Pillow: the root of
the mean over outputs of MSE / variance. Needs script/setup --test (.deps/venv/bin/python).
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from PIL import Image

import dynamic_faults
import onnx_faults
import qdq_faults
import qoperator_faults

MATTERS = 0.3


def pictures(folder, shape, most):
    _, _, height, width = shape
    files = sorted(path for path in pathlib.Path(folder).iterdir() if path.suffix in (".png", ".jpg", ".bmp"))
    chosen = [files[i * len(files) // most] for i in range(min(most, len(files)))] if len(files) > most else files
    for path in chosen:
        values = np.asarray(Image.open(path).convert("RGB").resize((width, height), Image.BILINEAR), np.float32)
        yield (values.transpose(2, 0, 1)[None] / 127.5 - 1)


def outputs(model, inputs):
    onnxruntime.set_default_logger_severity(3)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return [np.stack(values) for values in zip(*(session.run(None, {name: one}) for one in inputs))]


def gap(reference, target):
    if any(not np.isfinite(t).all() for t in target):
        return float("inf")
    return float(np.sqrt(np.mean([np.mean((t - r) ** 2) / max(np.var(r), 1e-24) for r, t in zip(reference, target)])))


def grade(fault, verdict):
    """right, unknown (nothing is confirmed), or wrong (another node or class is confirmed)."""
    confirmed = [cause for cause in verdict["causes"] if cause["status"] == "confirmed"]
    if not confirmed:
        return "unknown"
    first = confirmed[0]
    kind = "weights" if first["kind"] == "bias" else first["kind"]
    return "right" if (first["layer"], kind) == (fault.output, fault.kind) and len(confirmed) == 1 else "wrong"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("edgeprobe")
    for flag in ("--model", "--recipe", "--data"):
        parser.add_argument(flag, required=True)
    parser.add_argument("--quantized")
    parser.add_argument("--most", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--frames", type=int, default=12)
    args = parser.parse_args()
    model = onnx.load(args.model)
    shape = [one.dim_value for one in model.graph.input[0].type.tensor_type.shape.dim]
    recipe = pathlib.Path(args.recipe).read_text().strip() if os.path.exists(args.recipe) else args.recipe
    inputs = list(pictures(args.data, shape, args.frames))
    reference = outputs(args.model, inputs)
    if args.quantized:
        quantized = onnx.load(args.quantized)
        types = {node.op_type for node in quantized.graph.node}
        form = dynamic_faults if types & set(dynamic_faults.OPERATORS) else qoperator_faults if types & set(qoperator_faults.PLACES) else qdq_faults
        faults = form.planted(quantized, model)
    else:
        faults = onnx_faults.planted(model)
    random.Random(args.seed).shuffle(faults)
    table, wrong, first_right, seen = {}, [], 0, 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def tried(job):
            number, fault = job
            changed = fault.apply()
            if changed is None:
                return None
            path = os.path.join(folder, f"{number}.onnx")
            onnx.save(changed, path)
            try:
                effect = gap(reference, outputs(path, inputs))
            except Exception:  # The engine refuses a model that the checker accepted.
                return None
            said = subprocess.run([args.edgeprobe, "check", path, "--reference", args.model, "--recipe", recipe, "--reference-recipe", recipe, "--data", args.data,
                                   "--frames", str(args.frames), "--json", "--images", "none"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
            os.remove(path)
            return fault, effect, json.loads(said.stdout) if said.stdout else said.stderr
        chosen, kinds = [], {}
        for job in enumerate(faults):
            kinds[job[1].name] = kinds.get(job[1].name, 0) + 1
            if kinds[job[1].name] <= 3:
                chosen.append(job)
        for result in pool.map(tried, chosen[:args.most]):
            if result is None:
                continue
            fault, effect, verdict = result
            if isinstance(verdict, str):
                wrong.append(f"{fault.name} at {fault.output}: {verdict[-200:]}")
                continue
            group = "matters" if effect > MATTERS else "milder" if effect > 1e-3 else "no effect"
            said = grade(fault, verdict)
            table[group, said] = table.get((group, said), 0) + 1
            if group == "matters":
                seen += 1
                first_right += (verdict["first_layer"] or {}).get("name") == fault.output
            if said == "wrong" or (said != "right" and group == "matters"):
                wrong.append(f"{fault.name} at {fault.output}, gap {effect:.2g}: {verdict['headline'][:160]}")
    name = pathlib.Path(args.quantized or args.model).name
    for group in ("matters", "milder", "no effect"):
        print(f"{name:28} {group:10}" + "".join(f"  {said} {table.get((group, said), 0)}" for said in ("right", "unknown", "wrong")))
    print(f"{name:28} first layer that differs is the planted one: {first_right} of {seen} that matter")
    for line in wrong:
        print("  " + line)


if __name__ == "__main__":
    main()
