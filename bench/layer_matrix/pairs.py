# SPDX-License-Identifier: Apache-2.0
"""The deployments in which faults are planted: a target, its reference, and pictures for both."""
import dataclasses
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT.parent / "shared" / "data"))
PHOTOS = ["bird.bmp", "cat.bmp", "grace_hopper.bmp", "hot_dog.jpg", "owl.jpg", "parrot.jpg", "pets.jpg", "sklearn_flower.jpg", "squat.bmp",
          "sunflower.bmp"]


@dataclasses.dataclass(frozen=True)
class Pair:
    name: str
    target: pathlib.Path
    reference: pathlib.Path
    recipe: str           # of the reference
    target_recipe: str
    group: str            # "signs" (part of the project) or "shared"
    frames: int = 8
    edited: bool = False  # an int8 file with its float original: quantisation faults are planted, too

    def labels(self):
        return ["--labels", ROOT / "models" / "data" / "labels.csv"] if self.group == "signs" else []


def _all():
    shared, own = SHARED / "models", ROOT / "models"
    signs = (own / "signs.recipe").read_text().strip()
    ic, vww = "resize(32x32, area)", "crop(square) | resize(96x96, area, like=opencv) | scale(0..1)"
    v1 = "resize(%d, bilinear, like=opencv) | scale(-1..1)"

    def one(name, base, target, recipe, reference=None, quantized=False, **more):
        to = lambda model: base / (model + ".tflite")
        group = "signs" if base == own else "shared"
        fed = recipe + " | quantize(model)" if quantized else recipe
        same = reference is None
        return Pair(name, to(target), to(reference or target), fed if same else recipe, fed, group, **more)

    tiny = "mlperf_tiny/"
    return [
        one("signs_int8", own, "signs_int8", signs, "signs_float", quantized=True, frames=16, edited=True),
        one("signs_float", own, "signs_float", signs, frames=16),
        one("resnet_int8", shared, tiny + "pretrainedResnet_quant", ic, tiny + "pretrainedResnet", quantized=True, edited=True),
        one("resnet_float", shared, tiny + "pretrainedResnet", ic),
        one("vww_int8", shared, tiny + "vww_96_int8", vww, tiny + "vww_96_float", quantized=True, edited=True),
        one("vww_float", shared, tiny + "vww_96_float", vww),
        one("v1_128_uint8", shared, "coral/mobilenet_v1_0.25_128_quant", v1.replace("%d", "128x128"), quantized=True),
        one("v1_224_float", shared, "tflite_support/mobilenet_v1_0.25_224_1_default_1", v1.replace("%d", "224x224"), frames=6),
        one("v2_224_uint8", shared, "coral/mobilenet_v2_1.0_224_quant", v1.replace("%d", "224x224"), quantized=True, frames=4),
    ]


def chosen(names):
    """Pairs by name or group, comma separated; empty for all. Raises SystemExit on an unknown name."""
    wanted, every = [name for name in names.split(",") if name], _all()
    unknown = set(wanted) - {p.name for p in every} - {p.group for p in every}
    if unknown:
        raise SystemExit("no such pair: %s; known: signs, shared, %s" % (", ".join(sorted(unknown)), ", ".join(p.name for p in every)))
    return [p for p in every if not wanted or p.name in wanted or p.group in wanted]


def photos():
    return [SHARED / "images" / name for name in PHOTOS]


def shared_is_here():
    return (SHARED / "models" / "coral").is_dir()
