# SPDX-License-Identifier: Apache-2.0
"""The models of the matrix, each with a correct app and the reference's recipe."""
import dataclasses
import os
import pathlib

from pictures import App

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT.parent / "shared" / "data"))
SIGNS = ROOT / "models"
PHOTOS = ["bird.bmp", "cat.bmp", "grace_hopper.bmp", "hot_dog.jpg", "owl.jpg", "parrot.jpg", "pets.jpg",
          "sklearn_flower.jpg", "squat.bmp", "sunflower.bmp"]


@dataclasses.dataclass(frozen=True)
class Deployment:
    """A target model, its healthy app, and the reference."""
    name: str
    model: pathlib.Path
    app: App
    reference: pathlib.Path
    recipe: str
    group: str  # "signs" (part of the project) or "shared"

    def pictures(self):
        if self.group == "signs":
            return sorted((SIGNS / "data" / "test").glob("sign_*"))
        return [SHARED / "images" / name for name in PHOTOS]


def _all():
    shared = SHARED / "models"
    signs = (SIGNS / "signs.recipe").read_text().strip()
    signs_app = App(size=64, fit="crop875", kernel="pil_bilinear", range="m11")
    # Stored codes are the raw pixels: (x - 128) / 128, quantised by scale 1/128 and zero point 128.
    raw = dict(range="m11_128", quant="ok", dtype="uint8", scale=1 / 128, zero_point=128)
    resnet = "resize(32x32, area)"
    vww = "crop(square) | resize(96x96, area, like=opencv) | scale(0..1)"
    vww_app = App(size=96, fit="square", kernel="cv_area", range="01")
    resnet_app = App(size=32, kernel="cv_area", round="float", range="u255")

    def one(name, model, app, recipe, reference=None, group="shared", base=shared):
        return Deployment(name, base / (model + ".tflite"), app, base / ((reference or model) + ".tflite"), recipe, group)

    return [
        one("signs_float", "signs_float", signs_app, signs, group="signs", base=SIGNS),
        one("signs_int8", "signs_int8", dataclasses.replace(signs_app, quant="ok", dtype="int8", scale=0.007843137718737125, zero_point=-1),
            signs, "signs_float", "signs", SIGNS),
        one("v1_128_quant", "coral/mobilenet_v1_0.25_128_quant", App(**{**raw, "range": "m11"}, size=128, kernel="cv_linear"),
            "resize(128x128, bilinear, like=opencv) | scale(-1..1) | quantize(model)"),
        one("v1_224_float", "tflite_support/mobilenet_v1_0.25_224_1_default_1", App(), "resize(224x224, bilinear, like=pillow) | scale(-1..1)"),
        one("v1_224_quant", "tflite_support/mobilenet_v1_0.25_224_quant", App(**raw, fit="crop875", kernel="pil_bilinear"),
            "crop(center, 0.875) | resize(224x224, bilinear, like=pillow)"),
        one("v2_224_quant", "coral/mobilenet_v2_1.0_224_quant", App(**raw, fit="square", kernel="cv_linear"),
            "crop(square) | resize(224x224, bilinear, like=opencv) | normalize(mean=128, std=128) | quantize(model)"),
        one("resnet_float", "mlperf_tiny/pretrainedResnet", resnet_app, resnet),
        one("resnet_int8", "mlperf_tiny/pretrainedResnet_quant", dataclasses.replace(resnet_app, quant="ok", dtype="int8", scale=1.0, zero_point=-128),
            resnet, "mlperf_tiny/pretrainedResnet"),
        one("vww_float", "mlperf_tiny/vww_96_float", vww_app, vww),
        one("vww_int8", "mlperf_tiny/vww_96_int8", dataclasses.replace(vww_app, quant="ok", dtype="int8", scale=0.003921568859368563, zero_point=-128),
            vww + " | quantize(model)"),
    ]


def chosen(names):
    """Deployments by name or group ("signs", "shared"), comma separated; empty for all. Raises SystemExit on an unknown name."""
    wanted = [name for name in names.split(",") if name]
    every = _all()
    unknown = set(wanted) - {d.name for d in every} - {d.group for d in every}
    if unknown:
        raise SystemExit("no such model: %s; known: signs, shared, %s" % (", ".join(sorted(unknown)), ", ".join(d.name for d in every)))
    return [d for d in every if not wanted or d.name in wanted or d.group in wanted]


def shared_is_here():
    return (SHARED / "models" / "coral").is_dir()
