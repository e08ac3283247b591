"""A picture classifier as an app would have it, with the probe inside: the four lines are marked.

    python classifier.py models/signs_float.tflite models/data/test --labels models/data/labels.csv --trace app.mcap

SOURCE is a folder of pictures or a video file. The flags of pre-processing are what an app developer gets wrong: `edgeprobe diagnose`
names it from the trace, which says nothing about these flags.
"""
import argparse
import csv
import pathlib
import sys
from collections.abc import Iterator

import cv2
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

import edgeprobe  # 1

KERNELS = {"bilinear": cv2.INTER_LINEAR, "nearest": cv2.INTER_NEAREST, "area": cv2.INTER_AREA, "cubic": cv2.INTER_CUBIC}
RANGES = {"-1..1": (127.5, 127.5), "0..1": (0.0, 255.0), "0..255": (0.0, 1.0)}
TURNS = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}


def pictures(source: pathlib.Path) -> Iterator[tuple[str, np.ndarray, bytes | None]]:
    """(name, BGR pixels, the file's bytes or None), as OpenCV reads them."""
    if source.is_dir():
        for file in sorted(p for p in source.rglob("*") if p.suffix.lower() in (".png", ".jpg", ".jpeg", ".bmp")):
            content = file.read_bytes()
            yield file.relative_to(source).as_posix(), cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR), content
        return
    video = cv2.VideoCapture(str(source))
    number = 0
    while True:
        there, picture = video.read()
        if not there:
            return
        yield f"{source.name}#{number}", picture, None
        number += 1


def resized(picture: np.ndarray, size: tuple[int, int], how: str) -> np.ndarray:
    if how == "antialias":  # Pillow's kernel widens with the reduction, OpenCV's do not
        from PIL import Image

        return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BILINEAR))
    return cv2.resize(picture, size, interpolation=KERNELS[how])


def preprocess(picture: np.ndarray, size: tuple[int, int], options: argparse.Namespace) -> np.ndarray:
    """BGR pixels to the float input of the model."""
    if options.rotation:
        picture = cv2.rotate(picture, TURNS[options.rotation])
    height, width = (round(side * options.crop) for side in picture.shape[:2])
    top, left = (picture.shape[0] - height) // 2, (picture.shape[1] - width) // 2
    square = resized(picture[top:top + height, left:left + width], size, options.resize)
    if options.channels == "rgb":
        square = square[..., ::-1]
    shift, scale = RANGES[options.range]
    return (square[np.newaxis].astype(np.float32) - np.float32(shift)) / np.float32(scale)


def quantised(values: np.ndarray, details: dict) -> np.ndarray:
    if details["dtype"] == np.float32:
        return values
    scale, zero = details["quantization"]
    limits = np.iinfo(details["dtype"])
    return np.clip(np.rint(values / scale) + zero, limits.min, limits.max).astype(details["dtype"])


def main() -> None:
    options = arguments()
    labels = read_labels(options.labels) if options.labels else {}
    plain = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES if options.kernels == "builtin" else OpResolverType.AUTO
    probe = edgeprobe.Probe(options.trace, level=options.level, raw=options.raw, wait_when_full=True, strict=False)  # 2
    interpreter = Interpreter(str(options.model), num_threads=options.threads, experimental_op_resolver_type=plain)
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
            interpreter.set_tensor(given["index"], quantised(preprocess(picture, size, options), given))
            interpreter.invoke()
            scores = interpreter.get_tensor(answered["index"])[0]
        best = int(np.argmax(scores))
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
    parser.add_argument("--frames", type=int, default=-1, help="stop after so many")
    parser.add_argument("--level", default="io", choices=["none", "io", "embedding", "layers"])
    parser.add_argument("--raw", default="sample", choices=["sample", "none", "all"])
    parser.add_argument("--kernels", default="xnnpack", choices=["xnnpack", "builtin"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--resize", default="antialias", choices=["antialias", *KERNELS])
    parser.add_argument("--channels", default="rgb", choices=["rgb", "bgr"])
    parser.add_argument("--range", default="-1..1", choices=list(RANGES))
    parser.add_argument("--rotation", type=int, default=0, choices=[0, *TURNS])
    parser.add_argument("--crop", type=float, default=0.875, help="the central part of each side")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
