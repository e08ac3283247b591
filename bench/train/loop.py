# SPDX-License-Identifier: Apache-2.0
"""Time of an epoch of our training loop, against Keras' fit() fed from memory: the same network, epochs in turns. fit() runs in a process of its own,
because our deterministic operators apply to a whole process.

    KERAS_PYTHON bench/train/loop.py --rounds 4"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "models")]

from edgeprobe.train.keras_learner import Learner, keras, np  # noqa: E402
from edgeprobe.train.loop import Loop, Plan  # noqa: E402
from edgeprobe.train.models import MobileNetV2  # noqa: E402
from edgeprobe.train.store import Store  # noqa: E402


class Quiet:
    """Takes what a run says."""

    def is_stopped(self):
        return False

    def check(self):
        pass

    progress = row = note = warning = lambda *_, **__: None


def measured(work):
    begin, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - begin, time.process_time() - cpu


def made(samples, side):
    rng = np.random.default_rng(1)
    return rng.integers(0, 256, (samples, side, side, 3)).astype(np.uint8), rng.integers(0, 8, samples).astype(np.int32)


TABLE = np.linspace(-1, 1, 256, dtype=np.float32)


def serve_fit(args):
    """Runs one epoch for each line of standard input, and prints its times."""
    codes, labels = made(args.samples, args.side)
    values = TABLE[codes]
    model = MobileNetV2(alpha=.35).build(values.shape[1:], 8)
    model.compile(keras.optimizers.Adam(1e-3), "sparse_categorical_crossentropy", metrics=["accuracy"])
    for _ in sys.stdin:
        print(json.dumps(measured(lambda: model.fit(values, labels, 32, 1, verbose=0, shuffle=True))), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--samples", type=int, default=256)
    parser.add_argument("--side", type=int, default=96)
    parser.add_argument("--augment", default="")
    parser.add_argument("--serve-fit", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve_fit:
        return serve_fit(args)
    shape = (args.side, args.side, 3)
    other = subprocess.Popen([sys.executable, *sys.argv, "--serve-fit"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        codes, labels = made(args.samples, args.side)
        for name, value in (("inputs", codes), ("labels", labels), ("table", TABLE[None])):
            np.save(folder / f"{name}.npy", value)
        (folder / "store.json").write_text(json.dumps({"key": "k", "channel_axis": 2, "left_out": [],
                                                       "parts": {"train": [0, args.samples], "validation": [args.samples] * 2, "test": [args.samples] * 2}}))
        maker = MobileNetV2(alpha=.35)
        learner = Learner(maker.build, maker.backbone, shape, 8, 1)
        loop = Loop(Plan(10**6, 0, 32, 1e-3, 1, args.augment, False, 10**9), Store(folder), learner, folder, Quiet())
        loop.enter("all")

        def epoch():
            loop.step, loop.sums = 0, {"loss": 0.0, "right": 0, "seen": 0, "seconds": 0.0}
            loop._train_epoch()

        def ours():
            return measured(epoch)

        def fit():
            other.stdin.write("go\n")
            other.stdin.flush()
            return json.loads(other.stdout.readline())

        ours(), fit()  # tracing
        times = {ours: [], fit: []}
        for number in range(args.rounds):
            for one in ((ours, fit) if number % 2 else (fit, ours)):
                times[one].append(one())
        other.stdin.close()
        other.wait()
        for kind, at in (("wall", 0), ("CPU", 1)):
            a, b = (statistics.median(row[at] for row in times[one]) for one in (ours, fit))
            print(f"{kind}: ours {a:.2f} s, fit {b:.2f} s an epoch of {args.samples} inputs {shape}: {a / b:.3f}")


if __name__ == "__main__":
    main()
