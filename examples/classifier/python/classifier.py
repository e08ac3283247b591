# SPDX-License-Identifier: Apache-2.0
"""A picture classifier as in a typical app, with a probe: its four lines are marked.

    python classifier.py models/signs_float.tflite models/data/test --labels models/data/labels.csv --trace app.mcap

SOURCE is a folder of pictures or a video file. The flags of pre-processing are typical mistakes of app developers: `edgeprobe diagnose` names them
from the trace, which does not contain these flags.
"""
import argparse
import csv
import itertools
import pathlib
import sys
from collections.abc import Iterator

import cv2
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate
from PIL import Image

import edgeprobe  # 1

OPENCV = {"bilinear": cv2.INTER_LINEAR, "nearest": cv2.INTER_NEAREST, "area": cv2.INTER_AREA, "cubic": cv2.INTER_CUBIC, "lanczos": cv2.INTER_LANCZOS4}
# Pillow's kernels widen with the reduction; OpenCV's do not, except for area.
PILLOW = {"antialias": Image.Resampling.BILINEAR, "antialias-cubic": Image.Resampling.BICUBIC, "antialias-lanczos": Image.Resampling.LANCZOS}
TURNS = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}


def pictures(source: pathlib.Path) -> Iterator[tuple[str, np.ndarray, bytes | None]]:
    """(name, BGR pixels, the file's bytes or None), as OpenCV reads them."""
    if source.is_dir():
        for file in sorted(p for p in source.rglob("*") if p.suffix.lower() in (".png", ".jpg", ".jpeg", ".bmp")):
            content = file.read_bytes()
            yield file.relative_to(source).as_posix(), cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR), content
        return
    video = cv2.VideoCapture(str(source))
    if not video.isOpened():
        sys.exit(f"classifier: {source} is neither a folder nor a video that OpenCV reads")
    for number in itertools.count():
        there, picture = video.read()
        if not there:
            return
        yield f"{source.name}#{number}", picture, None


def resized(picture: np.ndarray, size: tuple[int, int], how: str) -> np.ndarray:
    if how in PILLOW:
        return np.asarray(Image.fromarray(picture).resize(size, PILLOW[how]))
    return cv2.resize(picture, size, interpolation=OPENCV[how])


def letterboxed(picture: np.ndarray, size: tuple[int, int], options: argparse.Namespace) -> np.ndarray:
    """The whole picture with bars around it (or, for "corner", to the right of it or below it)."""
    scale = min(size[0] / picture.shape[1], size[1] / picture.shape[0])
    height, width = (int(side * scale + 0.5) for side in picture.shape[:2])
    top, left = (0, 0) if options.fit == "corner" else ((size[1] - height) // 2, (size[0] - width) // 2)
    whole = np.full((size[1], size[0], 3), options.fill, np.uint8)
    whole[top:top + height, left:left + width] = resized(picture, (width, height), options.resize)
    return whole


def preprocess(picture: np.ndarray, size: tuple[int, int], options: argparse.Namespace) -> np.ndarray:
    """BGR pixels to the float input of the model."""
    if options.mirror == "yes":
        picture = cv2.flip(picture, 1)
    if options.rotation:
        picture = cv2.rotate(picture, TURNS[options.rotation])
    sides = (min(picture.shape[:2]),) * 2 if options.fit == "square" else picture.shape[:2]
    height, width = (int(side * options.crop + 0.5) for side in sides)
    top, left = (picture.shape[0] - height) // 2, (picture.shape[1] - width) // 2
    part = picture[top:top + height, left:left + width]
    pixels = letterboxed(part, size, options) if options.fit in ("letterbox", "corner") else resized(part, size, options.resize)
    if options.channels == "rgb":
        pixels = pixels[..., ::-1]
    elif options.channels == "gray":
        pixels = cv2.cvtColor(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2RGB)
    if options.gamma != 1:
        pixels = np.rint(255 * (pixels / 255) ** options.gamma)
    values = ((pixels - np.array(options.mean)) / np.array(options.std)).astype(np.float32)
    if options.layout == "nchw":
        values = np.ascontiguousarray(values.transpose(2, 0, 1)).reshape(values.shape)
    return values[np.newaxis]


def quantised(values: np.ndarray, details: dict, how: str) -> np.ndarray:
    """Quantises as the model requires, or wrongly: `how` is one of cast, no-zero, xor."""
    if details["dtype"] == np.float32:
        return values
    scale, zero = details["quantization"]
    limits = np.iinfo(details["dtype"])
    stored = np.trunc(values) if how == "cast" else np.rint(values / scale) + (0 if how == "no-zero" else zero)
    stored = np.clip(stored, limits.min, limits.max).astype(details["dtype"])
    return (stored.view(np.uint8) ^ 0x80).view(stored.dtype) if how == "xor" else stored


def main() -> None:
    options = arguments()
    labels = read_labels(options.labels) if options.labels else {}
    plain = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES if options.kernels == "builtin" else OpResolverType.AUTO
    probe = edgeprobe.Probe(options.trace, level=options.level, raw=options.raw, wait_when_full=True, strict=False)  # 2
    delegates = [load_delegate(options.delegate)] if options.delegate else []
    interpreter = Interpreter(str(options.model), num_threads=options.threads, experimental_op_resolver_type=plain, experimental_delegates=delegates)
    interpreter = edgeprobe.wrap(interpreter, probe)  # 3
    interpreter.allocate_tensors()
    given, answered = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    size = (int(given["shape"][2]), int(given["shape"][1]))
    right = count = 0
    for name, picture, content in pictures(options.source):
        if count == options.frames:
            break
        with probe.frame(sample=name, label=labels.get(name)) as frame:  # 4: pictures and answers, joined by name
            if content is None:
                frame.image("camera", picture, "bgr8")
            else:
                frame.encoded("camera", content)
            interpreter.set_tensor(given["index"], quantised(preprocess(picture, size, options), given, options.quantize))
            interpreter.invoke()
            scores = interpreter.get_tensor(answered["index"])[0]
            best = int(np.argmax(scores))
            frame.answer(classes=[best], scores=[scores[best]])  # 5: the app's answer
        count += 1
        right += labels.get(name) == best
        if options.verbose:
            print(name, best, scores[best])
    probe.close()
    if labels:
        print(f"right: {right} of {count}")
    if probe.error:
        print(f"classifier: the recording is not whole: {probe.error}", file=sys.stderr)


def read_labels(file: pathlib.Path) -> dict[str, int]:
    with open(file, newline="") as opened:
        return {row["file"]: int(row["label"]) for row in csv.DictReader(opened)}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path, help="a folder of pictures, or a video file")
    parser.add_argument("--trace", default="app.mcap")
    parser.add_argument("--labels", type=pathlib.Path, help="a CSV with the columns file,label")
    parser.add_argument("--frames", type=int, default=-1, help="number of pictures or frames to use")
    parser.add_argument("--level", default="io", choices=["none", "io", "embedding", "layers"])
    parser.add_argument("--raw", default="sample", choices=["sample", "none", "all"])
    parser.add_argument("--kernels", default="xnnpack", choices=["xnnpack", "builtin"])
    parser.add_argument("--delegate", help="other hardware: the library of an external delegate")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--mirror", default="no", choices=["no", "yes"], help="left and right change places")
    parser.add_argument("--rotation", type=int, default=0, choices=[0, *TURNS], help="clockwise")
    parser.add_argument("--fit", default="stretch", choices=["stretch", "square", "letterbox", "corner"])
    parser.add_argument("--crop", type=float, default=0.875, help="the central part of each side")
    parser.add_argument("--resize", default="antialias", choices=[*PILLOW, *OPENCV])
    parser.add_argument("--fill", type=int, default=0, help="level of the bars")
    parser.add_argument("--channels", default="rgb", choices=["rgb", "bgr", "gray"])
    parser.add_argument("--gamma", type=float, default=1)
    parser.add_argument("--range", default="-1..1", help="LOW..HIGH, what black and white become; or, for pixels 0..255, --mean and --std")
    parser.add_argument("--mean", type=numbers, help="M or M,M,M")
    parser.add_argument("--std", type=numbers)
    parser.add_argument("--layout", default="nhwc", choices=["nhwc", "nchw"])
    parser.add_argument("--quantize", default="model", choices=["model", "cast", "no-zero", "xor"], help="8-bit models; all but the first are wrong")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    low, high = (float(level) for level in options.range.split(".."))
    options.std = options.std or [255 / (high - low)]
    options.mean = options.mean or [-low * options.std[0]]
    return options


def numbers(text: str) -> list[float]:
    return [float(number) for number in text.split(",")]


if __name__ == "__main__":
    main()
