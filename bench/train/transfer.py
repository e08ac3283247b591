# SPDX-License-Identifier: Apache-2.0
"""Accuracy on the drawn animals (models/pets.py) with the backbone models/pets_backbone.npz, and from random weights in the same CPU time.

    bench/train/transfer.py EDGEPROBE KERAS_PYTHON --budget 120

The second run has as many epochs as fit into the CPU seconds of the budget; the first one is shorter. Both include the start of TensorFlow."""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RECIPE = "resize(96x96, bicubic, like=pillow) | color(rgb) | scale(-1..1) | layout(nhwc)"


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("edgeprobe")
    parser.add_argument("python")
    parser.add_argument("--budget", type=float, default=120)
    parser.add_argument("--per-breed", type=int, default=40)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--scratch-epochs", type=int, default=30)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder, "pets")
        subprocess.run([args.python, ROOT / "models/pets.py", data, "--per-breed", str(args.per_breed)], check=True)
        flags = ["--data", data / "images", "--labels", data / "labels.csv", "--classes", data / "classes.txt", "--recipe", RECIPE, "--split-fraction-test", "0.2",
                 "--split-fraction-val", "0.3", "--python", args.python, "--batch-size", "16"]

        def run(name, *more):
            begin = cpu()
            said = subprocess.run([args.edgeprobe, "train", "mobilenet_v2?alpha=0.35", *map(str, flags), "--model-path", f"{folder}/{name}.keras", "--json", *map(str, more)],
                                  stdout=subprocess.PIPE, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
            answer, used = json.loads(said.stdout), cpu() - begin
            print(f"{name}: validation {100 * answer['best']['validation_accuracy']:.1f} %, test {100 * answer['test']['accuracy']:.1f} %, {used:.0f} s of CPU, "
                  f"epochs {len(answer['history'])}, {'within' if used <= args.budget else 'above'} the budget", flush=True)

        run("transfer", "--num-epochs", args.epochs, "--backbone", ROOT / "models/pets_backbone.npz")
        run("scratch", "--num-epochs", args.scratch_epochs)


if __name__ == "__main__":
    main()
