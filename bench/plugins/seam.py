# SPDX-License-Identifier: Apache-2.0
"""What a plug-in's process costs: plug-ins that compute nothing, in the real program.

seam.py EDGEPROBE [--rounds 7] [--python PYTHON]"""
import argparse
import pathlib
import platform
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("edgeprobe")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--python", default=sys.executable)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="edgeprobe_seam_") as name:
        folder = pathlib.Path(name)
        (folder / "model.bin").write_bytes(b"none")
        np.savez(folder / "small.npz", x=np.zeros((2000, 1), np.float32))
        np.savez(folder / "tiny.npz", x=np.zeros((60, 1), np.float32))
        np.savez(folder / "large.npz", x=np.zeros((60, 1, 1_500_000), np.float32))

        def intervals(what, count, data, *flags, engine="", recipe=()):
            """Microseconds between calls in one process: the first tenth warms up."""
            times = folder / "times.npy"
            times.unlink(missing_ok=True)
            engine = f"{HERE / 'nothing.py'}:Nothing?times={times if what == 'engine' else folder / 'unused.npy'}&count={count}{engine}"
            subprocess.run([given.edgeprobe, "run", folder / "model.bin", "--engine", engine, "--python", given.python, "--data", data, *recipe,
                            "--trace", folder / "t.mcap", "--force", *flags], check=True, capture_output=True)
            return np.diff(np.load(times))[count // 10:] / 1000

        pictures = f"{HERE / 'nothing.py'}:Pictures?times={folder / 'times.npy'}&count=1000"
        rows = {
            "4 bytes in and out, level none": lambda: intervals("engine", 2000, folder / "small.npz", "--level", "none"),
            "4 bytes in and out, recorded": lambda: intervals("engine", 2000, folder / "small.npz"),
            "6 MB in and out, level none": lambda: intervals("engine", 60, folder / "large.npz", "--level", "none", engine="&shape=1x1500000"),
            "6 MB in, level none": lambda: intervals("engine", 60, folder / "large.npz", "--level", "none", engine="&shape=1x1500000&answer=1"),
            "6 MB out, level none": lambda: intervals("engine", 60, folder / "tiny.npz", "--level", "none", engine="&shape=1&answer=1x1500000"),
            "150 KB arrays from a data set plug-in, level none": lambda: intervals(
                "data", 1000, pictures + "&tensors=true", "--level", "none", engine="&dtype=uint8&shape=1x224x224x3&answer=1"),
            "150 KB pictures from a data set plug-in, level none": lambda: intervals(
                "data", 1000, pictures, "--level", "none", engine="&dtype=uint8&shape=1x224x224x3&answer=1", recipe=["--recipe", "color(rgb) | layout(nhwc)"]),
        }
        found = {row: [] for row in rows}
        for _ in range(given.rounds):
            for row, measure in rows.items():
                found[row].append(float(np.median(measure())))
    processor = next((line.partition(":")[2].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.processor())
    print(f"{processor}, load {open('/proc/loadavg').read().split()[0]}, CPython {platform.python_version()}, NumPy {np.__version__}; {' '.join(sys.argv)}")
    print("| between two samples | median | smallest and largest of the rounds' medians |\n|---|---|---|")
    for row, medians in found.items():
        middle = float(np.median(medians))
        speed = f", {12_000 / middle:.1f} GB/s" if "6 MB" in row else ""
        print(f"| {row} | {middle:.1f} µs{speed} | {min(medians):.1f} to {max(medians):.1f} µs |")


main()
