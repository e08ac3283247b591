# SPDX-License-Identifier: Apache-2.0
"""Lines of code of four debugging tasks with and without edgeprobe, counted from programs that run: count_lines/*_with.py and
*_without.py. Lines between `# begin` and `# end` count: lines that a developer adds to the app, and lines that analyse it. Blank lines
and comments do not count.

    python examples/count_lines.py [--run]      --run also runs all of them and shows the last line that each prints

ML-EXray's figures are those that its authors published for their examples in Java and Python. Ours are for another app, in Python. Our programs by
hand are shorter than theirs because today's libraries do more. Compare the two columns of one pair directly, and the two pairs only roughly.
"""
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent / "count_lines"
TASKS = {  # task: (file name, ML-EXray with, without)
    "pre-processing check": ("preprocessing", 4, 25),
    "quantisation check": ("quantisation", 13, 265),
    "latency and memory": ("latency_memory", 8, 22),
    "per-layer latency": ("layer_latency", 8, 104),
}


def count(path):
    counted = lines = 0
    for line in path.read_text().splitlines():
        text = line.strip()
        if text in ("# begin", "# end"):
            counted = text == "# begin"
        elif counted and text and not text.startswith("#"):
            lines += 1
    return lines


def run(path):
    with tempfile.TemporaryDirectory(prefix="edgeprobe_lines_") as folder:
        done = subprocess.run([sys.executable, path, f"{folder}/kept.mcap" if path.stem.endswith("_with") else f"{folder}/kept.npz"],
                              cwd=FOLDER, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{path.name} failed:\n{done.stderr}")
    return done.stdout


def main():
    print("| task | edgeprobe | by hand | ML-EXray | by hand, as its authors count |\n|---|---|---|---|---|")
    for task, (name, with_it, without) in TASKS.items():
        ours, by_hand = (count(FOLDER / f"{name}_{kind}.py") for kind in ("with", "without"))
        print(f"| {task} | {ours} | {by_hand} | {with_it} | {without} |")
    if "--run" in sys.argv:
        for name, _, _ in TASKS.values():
            for kind in ("with", "without"):
                print(f"\n{name}_{kind}.py:\n{run(FOLDER / f'{name}_{kind}.py').strip()}")


if __name__ == "__main__":
    main()
