# SPDX-License-Identifier: Apache-2.0
"""Writes a pre-processing object of a Python library as a recipe: ``python recipe_from.py FILE.py:NAME``.

NAME is an object of torchvision, timm, albumentations or Keras, or a function without arguments that returns one. Objects are read, not run, and no
library is imported here: the name, the module and the attributes of a class define its meaning. Standard output is JSON: the recipe, the steps of
each part, notes. An operation without a matching recipe step is refused with a sentence on standard error and exit code 2: a recipe that is nearly
right would itself be the fault that edgeprobe searches for.
"""
from __future__ import annotations

import importlib.util
import inspect
import json
import math
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

USAGE = 2
PIXELS, BYTES, FLOATS = "a picture", "a tensor of bytes", "a tensor of real numbers"
OPENCV_KERNELS = {0: "nearest", 1: "bilinear", 2: "bicubic", 3: "area", 4: "lanczos4"}
PILLOW_KERNELS = {"nearest": "nearest", "bilinear": "bilinear", "bicubic": "bicubic", "lanczos": "lanczos3", "box": "box"}
PILLOW_NUMBERS = {0: "nearest", 1: "lanczos", 2: "bilinear", 3: "bicubic", 4: "box", 5: "hamming"}
CAFFE_MEAN = [103.939, 116.779, 123.68]
IMAGENET = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
#: Modules of keras.applications, grouped by the steps of their preprocess_input.
KERAS_MODES = {"tf": "inception_resnet_v2 inception_v3 mobilenet mobilenet_v2 nasnet resnet_v2 xception", "caffe": "imagenet_utils resnet vgg16 vgg19", "torch": "densenet",
               "none": "convnext efficientnet efficientnet_v2 mobilenet_v3"}


class Refused(Exception):
    """A sentence for the user."""


class Recipe:
    """The steps so far, and the kind of values after them."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.parts: list[dict[str, Any]] = []
        self.notes: list[str] = []
        self.holds, self.is_planar, self.has_color = PIXELS, False, False
        self.longest: tuple[int, str] | None = None  # The sides of a resize that a padding completes.

    def add(self, *steps: str) -> None:
        self.steps += steps

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def name_of(part: Any) -> str:
    return part.__name__ if inspect.isroutine(part) else type(part).__name__


def words_of(part: Any) -> str:
    text = " ".join(repr(part).split()) if not inspect.isroutine(part) else f"{part.__module__}.{part.__name__}"
    return text if len(text) <= 120 else name_of(part) + "(…)"


def number(value: Any) -> str:
    value = float(value)
    if not math.isfinite(value):
        raise Refused(f"a step cannot contain {value}; expected a finite number")
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def numbers(values: Any) -> str:
    flat = [float(one) for one in (values if isinstance(values, Iterable) else [values])]
    flat = flat[:1] if len(set(flat)) == 1 else flat
    return number(flat[0]) if len(flat) == 1 else "[" + ", ".join(map(number, flat)) + "]"


def normalized(recipe: Recipe, mean: Any, std: Any) -> None:
    if any(float(one) == 0 for one in (std if isinstance(std, Iterable) else [std])):
        raise Refused("a deviation is 0")
    recipe.add(f"normalize(mean={numbers(mean)}, std={numbers(std)})")


def sides(size: Any) -> tuple[int, int]:
    """Height and width."""
    pair = [size, size] if isinstance(size, int) else list(size)
    pair = pair * 2 if len(pair) == 1 else pair
    if len(pair) != 2 or not all(isinstance(one, int) and one > 0 for one in pair):
        raise Refused(f"the size {size!r} is not one of a picture")
    return pair[0], pair[1]


def kernel(interpolation: Any) -> str:
    """The recipe's word for torchvision's InterpolationMode or Pillow's number."""
    word = PILLOW_NUMBERS.get(interpolation) if isinstance(interpolation, int) else getattr(interpolation, "value", interpolation)
    if word not in PILLOW_KERNELS:
        raise Refused(f"recipes have no interpolation {word!r}")
    return str(word)


# torchvision, and timm, which extends it.

def torch_resize(recipe: Recipe, size: Any, interpolation: Any, antialias: Any, most: Any = None) -> None:
    if most is not None:
        raise Refused("max_size limits the longer side, which no step does")
    if size is None:
        raise Refused("size is None")
    one = size if isinstance(size, int) else size[0] if len(size) == 1 else None
    to = f"short={one}" if one is not None else "{}x{}".format(*sides(size))
    word = kernel(interpolation)
    if recipe.holds == PIXELS:
        recipe.add(f"resize({to}, {PILLOW_KERNELS[word]}, like=pillow)")
        return
    if word not in ("nearest", "bilinear", "bicubic"):
        raise Refused(f"tensors have no {word} resize")
    if word == "nearest":
        recipe.add(f"resize({to}, nearest, align=legacy)")
        return
    if antialias == "warn":
        raise Refused("antialias is not said, and versions of torchvision differ")
    smooth = ", antialias=on" + (", a=-0.5" if word == "bicubic" else "") if antialias else ""
    recipe.add(f"resize({to}, {word}{smooth}{', round=uint8' if recipe.holds == BYTES else ''})")
    recipe.note("a tensor is resized by PyTorch's own arithmetic, which is within a step of the recipe's")


def to_tensor(recipe: Recipe) -> None:
    if recipe.holds == PIXELS:
        recipe.add("scale(0..1)")
    recipe.holds, recipe.is_planar = FLOATS, True


def to_bytes(recipe: Recipe) -> None:
    if recipe.holds == FLOATS:
        raise Refused("the values are real numbers already")
    recipe.holds, recipe.is_planar = BYTES, True


def to_floats(recipe: Recipe, dtype: Any, is_scaled: bool = True) -> None:
    if not str(dtype).startswith("torch.float"):
        raise Refused(f"expected a torch.float type, got {dtype}")
    if recipe.holds == PIXELS:
        raise Refused("it is a picture still, not a tensor")
    if recipe.holds == BYTES and is_scaled:
        recipe.add("scale(0..1)")
    recipe.holds = FLOATS


def torch_gray(recipe: Recipe, count: int) -> None:
    if recipe.holds != PIXELS:
        raise Refused("a tensor is made gray by other weights than a picture; make the picture gray")
    recipe.add("gray(3, round=pillow)" if count == 3 else "gray(round=pillow)")
    recipe.has_color = True


def torch_normalize(recipe: Recipe, part: Any) -> None:
    if recipe.holds != FLOATS:
        raise Refused(f"{recipe.holds} is normalised, not real numbers: ToTensor() or a conversion goes before it")
    normalized(recipe, part.mean, part.std)


def torch_preset(recipe: Recipe, part: Any) -> None:
    """torchvision.models: weights.transforms()."""
    torch_resize(recipe, part.resize_size, part.interpolation, getattr(part, "antialias", True))
    recipe.add("crop(center, {}x{})".format(*sides(part.crop_size)))
    to_tensor(recipe)
    normalized(recipe, part.mean, part.std)


TORCH: dict[str, Callable[[Recipe, Any], None]] = {
    "Resize": lambda r, t: torch_resize(r, t.size, t.interpolation, getattr(t, "antialias", "warn"), getattr(t, "max_size", None)),
    "CenterCrop": lambda r, t: r.add("crop(center, {}x{})".format(*sides(t.size))),
    "ToTensor": lambda r, t: to_tensor(r),
    "MaybeToTensor": lambda r, t: to_tensor(r),
    "PILToTensor": lambda r, t: to_bytes(r),
    "MaybePILToTensor": lambda r, t: to_bytes(r),
    "ToImage": lambda r, t: to_bytes(r),
    "ToPureTensor": lambda r, t: None,
    "ConvertImageDtype": lambda r, t: to_floats(r, t.dtype),
    "ToDtype": lambda r, t: to_floats(r, t.dtype, bool(t.scale)),
    "Normalize": torch_normalize,
    "Grayscale": lambda r, t: torch_gray(r, t.num_output_channels),
    "Identity": lambda r, t: None,
    "ImageClassification": torch_preset,
}


# albumentations

def albumentations_resize(recipe: Recipe, part: Any) -> None:
    if getattr(part, "area_for_downscale", None):
        raise Refused("area_for_downscale takes another kernel where the picture is larger")
    recipe.add(f"resize({part.height}x{part.width}, {opencv_kernel(part.interpolation)}, like=opencv)")


def opencv_kernel(interpolation: Any) -> str:
    if interpolation not in OPENCV_KERNELS:
        raise Refused(f"recipes have no equivalent of OpenCV's interpolation {interpolation}")
    return OPENCV_KERNELS[interpolation]


def albumentations_longest(recipe: Recipe, part: Any) -> None:
    if getattr(part, "area_for_downscale", None):
        raise Refused("area_for_downscale takes another kernel where the picture is larger")
    if not isinstance(part.max_size, int):
        raise Refused(f"max_size is {part.max_size!r}, and one is drawn")
    recipe.longest = (part.max_size, opencv_kernel(part.interpolation))


def albumentations_pad(recipe: Recipe, part: Any) -> None:
    longest, recipe.longest = recipe.longest, None
    if longest is None or part.min_height != longest[0] or part.min_width != longest[0]:
        raise Refused("it needs LongestMaxSize of the same size before it")
    if part.border_mode != 0:
        raise Refused(f"border_mode is {part.border_mode}, not cv2.BORDER_CONSTANT")
    position = str(getattr(part.position, "value", part.position))
    if position not in ("center", "top_left"):
        raise Refused(f"letterbox() has no position {position!r}")
    fill = part.fill if hasattr(part, "fill") else part.value
    place = ", place=top_left" if position == "top_left" else ""
    recipe.add(f"letterbox({longest[0]}x{longest[0]}, {longest[1]}, like=opencv, fill={numbers(0 if fill is None else fill)}{place})")


def albumentations_normalize(recipe: Recipe, part: Any) -> None:
    kind = getattr(part, "normalization", "standard")
    if kind != "standard":
        raise Refused(f"recipes have no normalization {kind!r}")
    most = part.max_pixel_value
    if most == 255 and recipe.holds != FLOATS:
        recipe.add("scale(0..1)")
    elif most != 1:
        raise Refused(f"max_pixel_value is {most}")
    normalized(recipe, part.mean, part.std)
    recipe.holds = FLOATS


def albumentations_float(recipe: Recipe, part: Any) -> None:
    if part.max_value not in (None, 255):
        raise Refused(f"max_value is {part.max_value}")
    recipe.add("scale(0..1)")
    recipe.holds = FLOATS


def albumentations_gray(recipe: Recipe, part: Any) -> None:
    if getattr(part, "method", "weighted_average") != "weighted_average":
        raise Refused(f"recipes have no gray conversion by the method {part.method!r}")
    recipe.add("gray(3, round=opencv)" if getattr(part, "num_output_channels", 3) == 3 else "gray(round=opencv)")
    recipe.has_color = True


def planar(recipe: Recipe, part: Any) -> None:
    recipe.is_planar = True


ALBUMENTATIONS: dict[str, Callable[[Recipe, Any], None]] = {
    "Resize": albumentations_resize,
    "LongestMaxSize": albumentations_longest,
    "PadIfNeeded": albumentations_pad,
    "CenterCrop": lambda r, t: r.add(f"crop(center, {t.height}x{t.width}, offset=floor)"),
    "Normalize": albumentations_normalize,
    "ToFloat": albumentations_float,
    "ToGray": albumentations_gray,
    "ToTensorV2": planar,
    "NoOp": lambda r, t: None,
}


# Keras

def keras_resizing(recipe: Recipe, part: Any) -> None:
    for flag in ("crop_to_aspect_ratio", "pad_to_aspect_ratio", "antialias"):
        if getattr(part, flag, False):
            raise Refused(f"{flag} is set, which no step does")
    if part.interpolation not in ("nearest", "bilinear", "bicubic", "lanczos3", "area"):
        raise Refused(f"recipes have no interpolation {part.interpolation!r}")
    recipe.add(f"resize({part.height}x{part.width}, {part.interpolation}, like=tensorflow)")
    recipe.note("Resizing is said as TensorFlow's tf.image.resize; other backends of Keras have arithmetic of their own")


def keras_rescaling(recipe: Recipe, part: Any) -> None:
    scale, offset = part.scale, part.offset
    if isinstance(scale, (int, float)) and offset == 0 and math.isclose(scale, 1 / 255, rel_tol=1e-6):
        recipe.add("scale(0..1)")
    elif isinstance(scale, (int, float)) and offset == -1 and math.isclose(scale, 1 / 127.5, rel_tol=1e-6):
        recipe.add("scale(-1..1)")
    else:
        factors = list(scale) if isinstance(scale, Iterable) else [scale]
        offsets = list(offset) if isinstance(offset, Iterable) else [offset]
        count = max(len(factors), len(offsets))
        factors, offsets = factors * (count // len(factors)), offsets * (count // len(offsets))
        if len(factors) != len(offsets) or any(one == 0 for one in factors):
            raise Refused(f"the scale {scale!r} and the offset {offset!r} are not those of a picture's channels")
        normalized(recipe, [-o / f for f, o in zip(factors, offsets)], [1 / f for f in factors])
    recipe.holds = FLOATS


def keras_normalization(recipe: Recipe, part: Any) -> None:
    if getattr(part, "invert", False):
        raise Refused("invert is set")
    mean, variance = (getattr(part, f"input_{name}", None) if getattr(part, f"input_{name}", None) is not None else getattr(part, name, None) for name in ("mean", "variance"))
    if mean is None or variance is None:
        raise Refused("it has no mean yet: adapt() comes before")
    flatten = lambda values: [float(one) for one in (values.numpy() if hasattr(values, "numpy") else values).reshape(-1)] if hasattr(values, "reshape") or hasattr(values, "numpy") else values
    mean, variance = flatten(mean), flatten(variance)
    deviations = [math.sqrt(one) for one in (variance if isinstance(variance, Iterable) else [variance])]
    normalized(recipe, mean, deviations)
    recipe.holds = FLOATS


def keras_function(recipe: Recipe, part: Any) -> None:
    """keras.applications.NAME.preprocess_input"""
    module = part.__module__.rpartition(".")[2]
    mode = next((mode for mode, names in KERAS_MODES.items() if module in names.split()), None)
    if part.__name__ != "preprocess_input" or mode is None or ".applications." not in f".{part.__module__}.":
        raise Refused(f"'{part.__module__}.{part.__name__}' is a function, which is not read; name an object of transforms")
    if module == "imagenet_utils":
        recipe.note("imagenet_utils.preprocess_input is said with its usual mode, caffe")
    if mode == "tf":
        recipe.add("scale(-1..1)")
    elif mode == "torch":
        recipe.add("scale(0..1)")
        normalized(recipe, *IMAGENET)
    elif mode == "caffe":
        recipe.add("color(bgr)")
        recipe.has_color = True
        normalized(recipe, CAFFE_MEAN, 1)
    recipe.holds = FLOATS


KERAS: dict[str, Callable[[Recipe, Any], None]] = {
    "Resizing": keras_resizing,
    "Rescaling": keras_rescaling,
    "Normalization": keras_normalization,
    "CenterCrop": lambda r, t: r.add(f"crop(center, {t.height}x{t.width}, offset=floor)"),
    "InputLayer": lambda r, t: None,
}
LIBRARIES = {"torchvision": TORCH, "timm": TORCH, "torch": TORCH, "albumentations": ALBUMENTATIONS, "keras": KERAS, "tf_keras": KERAS, "tensorflow": KERAS}


#: Methods in which transforms and layers compute their result.
WORK = ("__call__", "forward", "call", "apply", "transform", "_transform", "make_params", "get_params")


def root_of(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def library_class(part: Any) -> type | None:
    """The class of an object, or the first library class from which it is derived."""
    return next((kind for kind in type(part).__mro__ if root_of(kind) in LIBRARIES), None)


def library_of(part: Any) -> str:
    if inspect.isroutine(part):
        return "keras" if "keras" in (part.__module__ or "") else ""
    kind = library_class(part)
    return root_of(kind) if kind else ""


def library_name(part: Any) -> str:
    """The name of the library class; empty if a class of the user's own overrides its computation."""
    kind = library_class(part)
    if inspect.isroutine(part) or kind is None:
        return name_of(part)
    mro = type(part).__mro__
    own = [vars(one) for one in mro[:mro.index(kind)]] + [getattr(part, "__dict__", {})]
    return "" if any(name in names for names in own for name in WORK) else kind.__name__


def inner_parts(part: Any) -> list[Any] | None:
    """The parts of a Compose or a Sequential."""
    if inspect.isroutine(part):
        return None
    if library_of(part) and library_name(part) in ("Compose", "Sequential"):
        inner = getattr(part, "transforms", None) or getattr(part, "layers", None)
        return list(inner if inner is not None else part)
    return list(part) if isinstance(part, (list, tuple)) else None


def translate(recipe: Recipe, part: Any) -> None:
    inner = inner_parts(part)
    if inner is not None:
        for one in inner:
            translate(recipe, one)
        return
    library, name = library_of(part), library_name(part)
    if not library:
        raise Refused(f"{words_of(part)} is of no library that is read: torchvision, timm, albumentations, Keras")
    before = len(recipe.steps)
    if recipe.longest and name != "PadIfNeeded":
        raise Refused(f"LongestMaxSize leaves the size open where {words_of(part)} follows and not PadIfNeeded")
    if library == "albumentations" and getattr(part, "p", 1) != 1:
        raise Refused(f"{words_of(part)}: it runs with a probability of {part.p}")
    if "Random" in name or name in ("ColorJitter", "AutoAugment", "TrivialAugmentWide", "AugMix"):
        raise Refused(f"{words_of(part)}: it draws at random; name the transform of evaluation")
    how = keras_function if inspect.isroutine(part) else LIBRARIES[library].get(name)
    if how is None:
        raise Refused(f"{words_of(part)}: no step of a recipe does this")
    try:
        how(recipe, part)
    except Refused as refused:
        raise Refused(f"{words_of(part)}: {refused}") from None
    except AttributeError as absent:
        raise Refused(f"{words_of(part)}: this version of {library} has no '{absent.name}'") from None
    recipe.parts.append({"transform": words_of(part), "steps": recipe.steps[before:]})


def recipe_of(part: Any) -> dict[str, Any]:
    """The recipe of an object: {"recipe", "parts", "notes"}. Raises Refused if no recipe can express it."""
    recipe = Recipe()
    translate(recipe, part)
    if recipe.longest:
        raise Refused("LongestMaxSize leaves the size open: PadIfNeeded of the same size completes it")
    if not recipe.has_color:
        # Before the steps that depend on the order of channels.
        at = next((i for i, step in enumerate(recipe.steps) if step.startswith(("scale", "normalize"))), len(recipe.steps))
        recipe.steps.insert(at, "color(rgb)")
        if library_of(part) == "albumentations":
            recipe.note("albumentations takes an array as it is: color(bgr) where cv2.imread made it")
    recipe.add("layout(nchw)" if recipe.is_planar else "layout(nhwc)")
    if not any(step.startswith(("resize", "letterbox", "crop")) for step in recipe.steps):
        recipe.note("nothing there resizes the picture: put resize(…) in front, as the app does")
    return {"recipe": " | ".join(recipe.steps), "parts": recipe.parts, "notes": recipe.notes}


def object_named(text: str) -> Any:
    """FILE.py:NAME"""
    file, colon, name = text.rpartition(":")
    if not colon or not file or not name.isidentifier():
        raise Refused(f"'{text}' is not FILE.py:NAME")
    if not os.path.isfile(file):
        raise Refused(f"there is no file '{file}'")
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(file))[0], file)
    if spec is None or spec.loader is None:
        raise Refused(f"'{file}' is not a Python file; expected a name that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as failure:
        raise Refused(f"'{file}' fails while it is imported: {type(failure).__name__}: {failure}") from None
    if not hasattr(module, name):
        raise Refused(f"'{file}' has no '{name}'")
    found = getattr(module, name)
    if inspect.isfunction(found) and not library_of(found):
        needed = [one.name for one in inspect.signature(found).parameters.values() if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
        if needed:
            raise Refused(f"'{name}' is a function with arguments; name the transform itself, or a function without any that returns it")
        try:
            found = found()
        except Exception as failure:
            raise Refused(f"'{name}()' fails: {type(failure).__name__}: {failure}") from None
    return found


def main() -> int:
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # Output of the user's file must not mix with the answer.
    try:
        json.dump(recipe_of(object_named(sys.argv[1])), answer)
    except Refused as refused:
        sys.stdout.flush()  # The reason must be the last line, after all output of the file.
        print(" ".join(str(refused).split()), file=sys.stderr)
        return USAGE
    answer.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
