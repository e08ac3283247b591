# SPDX-License-Identifier: Apache-2.0
"""`edgeprobe stretch` with a GPU in addition to the CPUs, exactness first. Without a GPU it prints this and ends with 0; nothing depends on it.

    python bench/stretch/on_gpu.py build/edgeprobe FOLDER [--webgpu LIB] [--cuda LIB] [--accelerator LIB] [--nets NAME ...] [--rounds 3] [--seconds 0.3] [--json FILE]
    python bench/stretch/on_gpu.py build/edgeprobe FOLDER --software          the same on a Vulkan driver that computes on the processor, and is labelled so

GPUs are ONNX Runtime's WebGPU and CUDA providers (a library each: --webgpu, --cuda, or EDGEPROBE_WEBGPU_PROVIDER, EDGEPROBE_CUDA_PROVIDER) and LiteRT's accelerator (--accelerator, or the one that --delegate gpu finds).
For each GPU and network:

    exact     every layer of the whole model there against the CPU's (check), in order; the search must refuse what differs
    plan      a plan that gives one branch to the GPU: its layers against the whole model's (check)
    search    every plain way and the best divisions over two CPUs and the GPU
    table     the best division that uses the GPU, or else that plan, against what the CPU's engine does by itself
    regret    the ways of the search timed anew, each in processes that share nothing with it
"""
import argparse
import glob
import json
import os
import pathlib
import shlex
import subprocess
import sys

import numpy as np
import onnx

import nets
import regret
import tflite_nets

ROOT = pathlib.Path(__file__).resolve().parents[2]
BROUGHT = ROOT / ".deps" / "gpu"
DEVICES = ("/dev/dri/renderD*", "/dev/nvidia[0-9]*", "/dev/kfd", "/dev/mali*", "/dev/dxg")
TFLITE = {"fork_16": lambda: tflite_nets.fork(16, 16, 1), "fork_64": lambda: tflite_nets.fork(64, 64, 4, 8), "fork_128": lambda: tflite_nets.fork(128, 64, 6, 8)}
ONNX = {"fork_6": lambda: nets.fork(6), "fork_8": lambda: nets.fork(8), **nets.NETS}
# A software driver takes minutes to compile a network of fifty operators.
SMALL, LARGE = ["fork_6", "fork_8", "fork_16"], ["fork_6", "fork_8", "towers_96", "towers_128", "ensemble_4", "inception_64", "detector_128", "attention_4", "chain_96", "residual", "fork_16", "fork_64", "fork_128"]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(0)


class Failed(Exception):
    """A step with an unexpected exit code, with its output."""


class Tool:
    def __init__(self, program, environment):
        self.program, self.environment = program, environment

    def run(self, *arguments, codes=(0,)):
        """The output of a verb."""
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, env=self.environment, stdin=subprocess.DEVNULL)
        if done.returncode not in codes:
            said = [line for line in done.stderr.splitlines() if line.startswith("edgeprobe: ")] or done.stderr.splitlines() or [f"exit code {done.returncode}"]
            raise Failed(said[-1].removeprefix("edgeprobe: "))
        return done.stdout

    def json(self, *arguments, codes=(0,)):
        return json.loads(self.run(*arguments, "--json", "-", codes=codes))


def gpus(args):
    """Name, engine and delegate of each GPU with a known library."""
    accelerator = args.accelerator or (str(BROUGHT / "libLiteRtWebGpuAccelerator.so") if BROUGHT.is_dir() else None)
    webgpu = args.webgpu or os.environ.get("EDGEPROBE_WEBGPU_PROVIDER") or (str(BROUGHT / "libonnxruntime_providers_webgpu.so") if BROUGHT.is_dir() else None)
    cuda = args.cuda or os.environ.get("EDGEPROBE_CUDA_PROVIDER")
    known = [("onnxruntime webgpu", "onnxruntime", webgpu and f"external:{webgpu}")]
    known.append(("onnxruntime cuda", "onnxruntime", cuda and f"external:{cuda}" if not args.software else None))
    known.append(("litert gpu", "litert", f"gpu:{accelerator}" if accelerator else "gpu"))
    return [one for one in known if one[2]]


class Subject:
    """A network on a GPU."""

    def __init__(self, tool, args, name, engine, delegate, network):
        self.tool, self.args, self.name, self.network = tool, args, name, network
        self.engine, self.delegate = engine, delegate
        self.folder = args.folder / f"{name} {network}".replace(" ", "_")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.model, shapes = self.written()
        random = np.random.default_rng(7)
        self.data = self.folder / "data.npz"
        np.savez(self.data, **{one: random.random((2, *shape), dtype=np.float32) for one, shape in shapes.items()})

    def written(self):
        """The model's file, and the shapes of its inputs."""
        if self.engine == "litert":
            net, output = TFLITE[self.network]()
            path = self.folder / "model.tflite"
            net.save(path, [net.x], [output])
            return path, {"x": [int(n) for n in net.graph.tensors[net.x].shape]}
        made, path = ONNX[self.network](), self.folder / "model.onnx"
        onnx.save(made, path)
        return path, {one.name: [n.dim_value for n in one.type.tensor_type.shape.dim] for one in made.graph.input}

    def device(self, name, cpus, gpu_cpu):
        lines = [f"  - {{name: cpu{cpu}, engine: {self.engine}, cpus: [{cpu}]}}" for cpu in cpus]
        lines.append(f"  - {{name: gpu, engine: {self.engine}, cpus: [{gpu_cpu}], delegate: {json.dumps(self.delegate)}}}")
        path = self.folder / name
        path.write_text("device: 1\nprocessors:\n" + "\n".join(lines) + "\n")
        return path

    def agrees(self, *engine):
        """Whether each layer equals that of the model on the CPU, and the report of check."""
        limits = ("--time-limit", self.args.time_limit)
        verdict = self.tool.json("check", self.model, *engine, "--reference", self.model, "--data", self.data, *limits, codes=(0, 3))
        return verdict["verdict"] == "agrees", verdict["headline"], verdict["outputs"]["distance"]

    def run(self):
        cpus = sorted(os.sched_getaffinity(0))[:2]
        row = {"gpu": self.name, "network": self.network}
        exact, row["headline"], row["distance"] = self.agrees("--engine", self.engine, "--delegate", self.delegate)
        row["exact"] = exact
        row["plan"] = self.plan(cpus) if exact else None
        plans = self.folder / "plans"
        chosen = self.folder / "chosen.json"
        found = self.tool.json("stretch", "search", self.model, "--device", self.device("search.yaml", cpus, cpus[-1]), "--trust", "--output", chosen, "--force", "--plans", plans,
                               "--seconds", self.args.seconds, "--rounds", self.args.rounds, "--time-limit", self.args.time_limit, codes=(0, 4))
        row["search"] = found
        plans_of = {one["name"]: plans / f"{i + 1}.json" for i, one in enumerate(found["candidates"])}
        on_gpu = [one for one in found["candidates"] if any(processor["name"] == "gpu" for processor in json.loads(plans_of[one["name"]].read_text())["processors"])]
        [whole] = [one for one in on_gpu if one["plain"]]
        row["whole_on_gpu"] = whole["median"] if whole["refused"] is None else None
        row["refused"] = whole["refused"]
        if not exact and whole["refused"] is None:
            raise Failed(f"check says '{row['headline']}', and the search took this processor")
        divisions = [one for one in on_gpu if not one["plain"] and one["refused"] is None]
        best = min(divisions, key=lambda one: one["median"], default=None)
        row["table"] = self.table(plans_of[best["name"]] if best else self.folder / "plan.json") if exact else None
        try:
            row["regret"] = regret.regret_of(self.tool.program, self.model, found, plans, self.args.rounds, self.args.seconds)
        except RuntimeError as reason:
            raise Failed(f"timing the ways anew: {reason}") from reason
        return row

    def plan(self, cpus):
        """A plan with one branch on the GPU, whether it is faster or not."""
        plan = self.folder / "plan.json"
        self.tool.run("stretch", "plan", self.model, "--device", self.device("plan.yaml", cpus[:1], cpus[-1]), "--trust", "--output", plan, "--force")
        told = json.loads(plan.read_text())
        if "gpu" not in {one["processor"] for one in told["programs"]}:
            return {"pieces": len(told["pieces"]), "exact": None, "headline": "nothing of this network lies side by side"}
        exact, headline, distance = self.agrees("--engine", f"stretch:{plan}", "--trust")
        if not exact:
            raise Failed(f"under a plan: {headline}")
        return {"pieces": len(told["pieces"]), "exact": exact, "headline": headline, "distance": distance}

    def table(self, plan):
        if len(json.loads(plan.read_text())["pieces"]) < 2:
            return None
        # 4: some way had too few quiet runs for figures; the others have figures.
        return self.tool.json("stretch", "table", plan, self.model, "--trust", "--seconds", self.args.seconds, "--rounds", self.args.rounds, "--time-limit", self.args.time_limit, codes=(0, 4))


def milliseconds(seconds):
    return f"{seconds * 1e3:.4g}" if seconds is not None else "-"


def lines(row):
    """A row as text; times are medians in ms."""
    candidates = [one for one in row["search"]["candidates"] if one["refused"] is None]
    plain = min(one["median"] for one in candidates if one["plain"])
    divided = min((one["median"] for one in candidates if not one["plain"]), default=None)
    planned = f"{row['plan']['distance']:.1e}" if row["plan"] and row["plan"]["exact"] else "-"
    text = (f"{row['network']:14} {'yes' if row['exact'] else 'NO':5} {row['distance']:9.1e} {planned:>9} {milliseconds(row['whole_on_gpu']):>9} {milliseconds(plain):>10} {milliseconds(divided):>9} "
            f"{row['regret']['regret']:7.1%}  {row['search']['answer'].split(':')[0]}: {row['search']['chosen']}")
    if row["refused"]:
        text += f"\n{'':15}refused: {row['refused']}"
    if row["table"]:
        ways = [f"{one['way']} {milliseconds(one['timing'] and one['timing']['median'])}" for one in row["table"]["rows"]]
        text += f"\n{'':15}table: {', '.join(ways)}"
    return text


def environment(args):
    """The GPUs on which edgeprobe can run; ends the program if there are none."""
    if not args.software:
        if not any(glob.glob(pattern) for pattern in DEVICES):
            skip(f"no GPU here (none of {', '.join(DEVICES)}); --software tries this program on a driver that computes on the processor")
        return dict(os.environ)
    if not (BROUGHT / "env").exists():
        skip("no such driver here; script/setup --gpu brings it into .deps/gpu")
    words = [word for text in (BROUGHT / "env").read_text().splitlines() for word in shlex.split(text)[1:]]
    return {**os.environ, **dict(word.split("=", 1) for word in words)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path, help="for models, plans and what was found")
    parser.add_argument("--webgpu", help="library of ONNX Runtime's WebGPU provider")
    parser.add_argument("--cuda", help="library of ONNX Runtime's CUDA provider")
    parser.add_argument("--accelerator", help="LiteRT's GPU accelerator")
    parser.add_argument("--software", action="store_true", help="on the driver of script/setup --gpu")
    parser.add_argument("--nets", nargs="*", metavar="NAME")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--time-limit", type=int, default=300, help="seconds of one load or inference, shaders included")
    parser.add_argument("--json", help="all that was measured")
    args = parser.parse_args()
    unknown = set(args.nets or ()) - ONNX.keys() - TFLITE.keys()
    if unknown:
        parser.error(f"no network is called {', '.join(sorted(unknown))}; there are {', '.join([*ONNX, *TFLITE])}")
    os.environ.update(environment(args))
    tool = Tool(args.program, dict(os.environ))
    known = gpus(args)
    rows, failed, ran = [], 0, 0
    for name, engine, delegate in known:
        networks = TFLITE if engine == "litert" else ONNX
        model = ROOT / "models" / ("signs_float.tflite" if engine == "litert" else "signs_float.onnx")
        try:
            tried = tool.json("bench", model, "--engine", engine, "--delegate", delegate, "--runs", 1, "--warm-up", 0.01, "--time-limit", args.time_limit)
        except Failed as reason:
            print(f"\n{name}: not used: {reason}")
            continue
        ran += 1
        [label] = [one["delegate"] for one in tried["configurations"][0]["delegations"] if one["delegate"] != "xnnpack"]
        print(f"\n{name}: {tried['engine']['kind']} {tried['engine']['version']}, {label}, {delegate}\n"
              f"{'network':14} {'exact':5} {'distance':>9} {'in a plan':>9} {'on GPU ms':>9} {'best plain':>10} {'best plan':>9} {'regret':>7}  answer")
        for network in args.nets or (SMALL if args.software else LARGE):
            if network not in networks:
                continue
            try:
                row = Subject(tool, args, name, engine, delegate, network).run()
            except Failed as reason:
                failed += 1
                print(f"{network:14} FAILED: {reason}", flush=True)
                continue
            rows.append({"label": label, **row})
            print(lines(row), flush=True)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(rows, indent=1))
    if not ran:
        skip("no GPU could be used: " + ("see above" if known else "no library of one is known; name it by --webgpu, --cuda or --accelerator"))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
