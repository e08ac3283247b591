# SPDX-License-Identifier: Apache-2.0
"""Does a supernet rank its networks as training them from scratch does?

    bench/families/tau.py EDGEPROBE PYTHON DATA FOLDER --networks 8 --seeds 3

Trains the supernet, chooses networks evenly over its ranking, trains each from scratch with several seeds, judges them on the test pictures of models/data,
and prints Kendall's tau of the supernet's accuracies and the means of the others, with a 95 % interval by bootstrap over networks and seeds. PYTHON has torch;
DATA is of draw.py. A run that was stopped continues."""
import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np
from scipy.stats import kendalltau

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CONFIGURATION = ROOT / "models/families/supernet.yml"
RECIPE = "crop(center, 0.875) | resize({0}x{0}, bilinear, antialias=on, align=half_pixel) | color(rgb) | scale(-1..1) | layout(nchw)"


def called(*words):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)


def interval(first, seconds, draws=2000):
    """2.5 % and 97.5 % of tau over networks and seeds drawn with replacement."""
    rng = np.random.default_rng(1)
    taus = []
    for _ in range(draws):
        rows = rng.integers(len(first), size=len(first))
        means = [rng.choice(seconds[row], len(seconds[row])).mean() for row in rows]
        tau = kendalltau(first[rows], means).statistic
        if np.isfinite(tau):
            taus.append(tau)
    return np.quantile(taus, [0.025, 0.975])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("edgeprobe")
    parser.add_argument("python")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--networks", type=int, default=8)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=12)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    shared = ["--labels", "folders", "--recipe", RECIPE.format(args.size), "--python", args.python, "--num-epochs", args.epochs]
    answer = args.folder / "supernet.json"
    if not answer.exists():
        called(args.edgeprobe, "stretch", "train", CONFIGURATION, args.data, *shared, "--subnets", 40, "--output", args.folder / "supernet.safetensors",
               "--json", answer)
    ranking = json.loads(answer.read_text())["ranking"]
    chosen = [ranking[i] for i in np.linspace(0, len(ranking) - 1, args.networks).round().astype(int)]
    accuracies = []
    for row in chosen:
        accuracies.append([])
        for seed in range(1, args.seeds + 1):
            out = args.folder / f"{row['number']:03}-{seed}.json"
            if not out.exists():
                called(args.edgeprobe, "stretch", "train", row["file"], args.data, *shared, "--seed", seed, "--output", out.with_suffix(".safetensors"), "--json", out)
            accuracies[-1].append(json.loads(out.read_text())["best"]["validation_accuracy"])
        print(f"network {row['number']:3}: supernet {row['validation_accuracy']:.4f}, from scratch {' '.join(f'{one:.4f}' for one in accuracies[-1])}", flush=True)
    first, seconds = np.array([row["validation_accuracy"] for row in chosen]), np.array(accuracies)
    tau = kendalltau(first, seconds.mean(1)).statistic
    low, high = interval(first, seconds)
    print(f"Kendall's tau {tau:.3f} (95 % {low:.3f} to {high:.3f}), {len(chosen)} networks, {args.seeds} seeds")
    if low < 0.5:
        print("The supernet's ranking is not to be trusted: the lower bound is below 0.5")
        sys.exit(1)


if __name__ == "__main__":
    main()
