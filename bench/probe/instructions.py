# SPDX-License-Identifier: Apache-2.0
"""Instructions of a frame in the probe, by level. callgrind counts them, so other load on the machine has no effect.

    .deps/venv/bin/python bench/probe/instructions.py BUILD/bench/probe_bench FOLDER MODEL.tflite...

A frame logs the tensors that the model has and the level records: inputs and outputs at `io`, its last layer as the embedding, all layers' results at
`layers`; the latency at each. The counts cover all calls of the library in the application's thread, and the thread that writes the file. Two runs
with different numbers of frames are subtracted, so that opening and closing do not count. Logged data is written to the disk every 128 KiB or 64
frames."""

import pathlib
import re
import subprocess
import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

DTYPES = [np.float32, np.float16, None, np.float64, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.bool_]
CALLS = ["frame_begin", "frame_wants", "frame_start", "frame_stop", "frame_end", "log_tensor"]
LEVELS = ["none", "io", "embedding", "layers"]


def tensors(model: str) -> list[tuple[str, np.dtype, tuple[int, ...], str]]:
    """Stage, dtype, shape and name of the tensors of a frame, in the order of an inference."""
    interpreter = Interpreter(model, experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    details = {d["index"]: d for d in interpreter.get_tensor_details()}
    inputs = [d["index"] for d in interpreter.get_input_details()]
    outputs = [d["index"] for d in interpreter.get_output_details()]
    made = [i for op in interpreter._get_ops_details() for i in op["outputs"] if i in details]
    layers = list(dict.fromkeys(i for i in made if i not in outputs))
    stages = [("model_input", i) for i in inputs]
    stages += [("layer", i) for i in layers[:-1]] + [("embedding", i) for i in layers[-1:]] + [("model_output", i) for i in outputs]
    return [(stage, np.dtype(details[i]["dtype"]), tuple(int(n) for n in details[i]["shape"]), details[i]["name"]) for stage, i in stages]


def callgrind(command: list[str], file: pathlib.Path) -> np.ndarray:
    """Instructions of the library's calls, including the functions that they call, and of the writer thread."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--separate-threads=yes", f"--callgrind-out-file={file}", *command], capture_output=True, text=True)
    if done.returncode or " 0 dropped" not in done.stdout:
        sys.exit(done.stdout + done.stderr)
    first, second = (file.with_name(f"{file.name}-0{i}") for i in (1, 2))
    table = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", "--auto=no", str(first)], capture_output=True, text=True, check=True).stdout
    calls = 0
    for call in CALLS:  # callgrind prints a line for each inlined source file; the largest one is the total
        found = re.findall(rf"^ *([0-9,]+) \(.*:edgeprobe_{call}(?: |$)", table, re.MULTILINE)
        calls += max((int(count.replace(",", "")) for count in found), default=0)
    total = re.search(r"^(?:totals|summary): (\d+)", second.read_text(), re.MULTILINE)
    for path in file.parent.glob(file.name + "*"):
        path.unlink()
    return np.array([calls, int(total[1])])


def main() -> None:
    bench, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    print(f"{'model':34} {'level':10} {'tensors':>7} {'bytes':>9} {'calls':>9} {'a tensor':>9} {'writer thread':>14}   instructions a frame")
    for model in sys.argv[3:]:
        rows = tensors(model)
        listing = folder / "tensors.txt"
        listing.write_text("".join(f"{stage} {DTYPES.index(dtype.type)} {dtype.itemsize} {','.join(map(str, shape)) or '1'} {name}\n"
                                   for stage, dtype, shape, name in rows))
        empty = 0.0
        for level, name in enumerate(LEVELS):
            kept = [r for r in rows if {"layer": 3, "embedding": 2}.get(r[0], 1) <= level]
            size = sum(dtype.itemsize * int(np.prod(shape)) for _, dtype, shape, _ in kept)
            few = max(4, min(64, 2_000_000 // (size + 1)))
            file, commands = folder / "callgrind", [[bench, str(folder), "model", str(listing), str(level), str(n)] for n in (few, 3 * few)]
            frame, thread = (callgrind(commands[1], file) - callgrind(commands[0], file)) / (2 * few)
            empty = empty if level else frame
            each = f"{(frame - empty) / len(kept):9.0f}" if kept else " " * 9
            print(f"{pathlib.Path(model).stem:34} {name:10} {len(kept):7} {size:9} {frame:9.0f} {each} {thread:14.0f}", flush=True)
        listing.unlink()


if __name__ == "__main__":
    main()
