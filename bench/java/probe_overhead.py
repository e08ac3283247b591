# SPDX-License-Identifier: Apache-2.0
"""The cost of the probe for an application in Java: frames at each level and without a probe, alternating.

  .deps/venv/bin/python bench/java/probe_overhead.py BUILD FOLDER MODEL.onnx|MODEL.tflite... [--rounds 41] [--block 20] [--threads 1]

BUILD: a build folder in which the test java_test has run. The traces are written to FOLDER (on a disk, not a RAM disk). .onnx models take one float
input of 1x3x64x64. Rounds hold one block of frames for each way, in an order that changes; a block's figure is its median. The output has the median
over rounds without a probe, then the added time, the ratio and the added CPU time of all threads, with intervals (95 %, order statistics over
rounds). TensorFlow Lite runs as in the module's tests: its own Java classes, the tests' glue, the pinned library.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tests" / "java"))
import maven


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("folder")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--block", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    jars = [f"{maven.target(given.build)}/tflite/{part}/classes.jar" for part in ("api", "runtime")]
    path = ":".join([maven.class_path(given.build), *jars])
    with tempfile.TemporaryDirectory() as classes:
        subprocess.run(["javac", "-cp", path, "-d", classes, HERE / "ProbeOverhead.java"], check=True)
        command = ["java", f"-Djava.library.path={given.build}/java/test", "-cp", f"{classes}:{path}", "ProbeOverhead", given.folder,
                   str(given.rounds), str(given.block), str(given.threads), *given.models]
        sys.exit(subprocess.run(command, env=dict(os.environ, EDGEPROBE_TFLITE_LIBRARY=str(maven.TFLITE))).returncode)


if __name__ == "__main__":
    main()
