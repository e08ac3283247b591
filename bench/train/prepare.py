# SPDX-License-Identifier: Apache-2.0
"""CPU time of preparing pictures for training with the recipe, against Pillow and NumPy, and the program's peak memory.

    bench/train/prepare.py EDGEPROBE KERAS_PYTHON --count 1500

Needs Pillow. Pictures are JPEG of 500x375, as in the Oxford-IIIT Pet data set, drawn here. Both sides decode, resize to 224x224 with Pillow's bicubic
kernel, and map to -1..1; ours also reads, hashes and stores."""
import argparse
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "models"))
import pets  # noqa: E402

MODEL = '''
class Least:
    recipe = "resize(224x224, bicubic, like=pillow) | color(rgb) | scale(-1..1) | layout(nhwc)"
    def build(self, input_shape, classes):
        import keras
        inputs = keras.Input(input_shape)
        return keras.Model(inputs, keras.layers.Dense(classes)(keras.layers.GlobalAveragePooling2D()(inputs)))
'''


def draw(folder, count):
    (folder / "a").mkdir(parents=True)
    (folder / "b").mkdir()
    rng = np.random.default_rng(1)
    bases = [Image.fromarray(pets.draw(rng, pets.BREEDS[i % 8], 512)).crop((0, 0, 500, 375)) for i in range(24)]
    for i in range(count):
        picture = np.asarray(bases[i % 24])
        picture = np.clip(picture + rng.integers(-20, 21, 3), 0, 255).astype(np.uint8)
        Image.fromarray(picture).save(folder / "ab"[i % 2] / f"{i:05d}.jpg", quality=90)


def with_pillow(files):
    """CPU seconds of one core."""
    begin = time.process_time()
    out = np.empty((len(files), 224, 224, 3), np.uint8) if len(files) * 150528 > 1 << 30 else None
    for file in files:
        with Image.open(file) as picture:
            values = np.asarray(picture.convert("RGB").resize((224, 224), Image.BICUBIC), np.float32) / np.float32(127.5) - np.float32(1)
    del out, values
    return time.process_time() - begin


def peak(process, found):
    """Follows the program's own peak memory in KB."""
    while process.poll() is None:
        try:
            text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            found[0] = max(found[0], int(text.split("VmHWM:")[1].split()[0]))
        except (OSError, IndexError):
            pass
        time.sleep(.02)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("edgeprobe")
    parser.add_argument("python")
    parser.add_argument("--count", type=int, default=1500)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "least.py").write_text(MODEL)
        draw(folder / "data", args.count)
        files = sorted((folder / "data").rglob("*.jpg"))
        half = files[:max(1, len(files) // 4)]
        pillow = [with_pillow(half)]
        process = subprocess.Popen([args.edgeprobe, "train", f"{folder}/least.py:Least", folder / "data", "--labels", "folders", "--model-path", folder / "x.keras", "--python", args.python,
                                    "--num-epochs", "1", "--json", folder / "said.json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        most = [0]
        watch = threading.Thread(target=peak, args=(process, most))
        watch.start()
        said = process.communicate()[1]
        watch.join()
        if process.returncode:
            sys.exit(said)
        pillow.append(with_pillow(half))
        store = json.loads((folder / "said.json").read_text())["store"]
        ours, theirs = store["cpu_seconds"] / len(files), min(pillow) / len(half)
        print(f"{len(files)} pictures: ours {1e3 * ours:.2f} ms of CPU each, Pillow and NumPy {1e3 * theirs:.2f} ms: {theirs / ours:.2f} times as fast; peak {most[0] / 1e3:.0f} MB, "
              f"store {store['bytes'] / 1e6:.0f} MB, wall {store['seconds']:.1f} s")


if __name__ == "__main__":
    main()
