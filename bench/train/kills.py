# SPDX-License-Identifier: Apache-2.0
"""Kills a training 20 times with SIGKILL, at random moments of its steps, and compares the curve with that of an undisturbed run.

    bench/train/kills.py EDGEPROBE KERAS_PYTHON --kills 20"""
import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RECIPE = "resize(32x32, bicubic, like=pillow) | color(rgb) | scale(-1..1) | layout(nhwc)"
MODEL = '''
class Small:
    recipe = "%s"
    def build(self, input_shape, classes):
        import keras
        inputs = keras.Input(input_shape)
        values = keras.layers.BatchNormalization(momentum=.9)(keras.layers.Conv2D(16, 3, strides=2, activation="relu")(inputs))
        values = keras.layers.Conv2D(32, 3, strides=2, activation="relu")(values)
        values = keras.layers.Dropout(.3)(keras.layers.GlobalAveragePooling2D()(values))
        return keras.Model(inputs, keras.layers.Softmax()(keras.layers.Dense(classes)(values)))
''' % RECIPE


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("edgeprobe")
    parser.add_argument("python")
    parser.add_argument("--kills", type=int, default=20)
    args = parser.parse_args()
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        subprocess.run([args.python, ROOT / "models/pets.py", folder / "pets", "--per-breed", "16", "--side", "40"], check=True)
        (folder / "small.py").write_text(MODEL)

        def command(name):
            return [args.edgeprobe, "train", f"{folder}/small.py:Small", folder / "pets/images", "--labels", folder / "pets/labels.csv", "--classes", folder / "pets/classes.txt",
                    "--model-path", folder / f"{name}.keras", "--python", args.python, "--num-epochs", "30", "--batch-size", "8", "--augment", "shift=0.1,rotate=10",
                    "--checkpoint-every", "0.05"]

        def curve(name):
            rows = json.loads((folder / f"{name}.training.json").read_text())["history"]
            return [{key: value for key, value in row.items() if key not in ("seconds", "time")} for row in rows]

        def last_step():
            return max((int(path.stem[5:]) for path in (folder / "killed-training").glob("step-*.checkpoint")), default=0)

        subprocess.run(command("whole"), check=True, capture_output=True)
        kills, steps = 0, 30 * 12  # 90 of 128 samples in batches of 8
        while kills < args.kills:
            process = subprocess.Popen(command("killed"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            begin = last_step()
            while process.poll() is None and last_step() < begin + steps // args.kills // 4:
                time.sleep(.002)
            time.sleep(random.random() * .05)
            if process.poll() is not None:
                break
            # The program, or the process that trains.
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            os.kill(int(children[0]) if children and kills % 2 else process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
        done = subprocess.run(command("killed"), capture_output=True, text=True)
        print(f"{kills} kills; the curve of {len(curve('whole'))} epochs is {'the same' if done.returncode == 0 and curve('killed') == curve('whole') else 'another one ' + done.stderr}")


if __name__ == "__main__":
    main()
