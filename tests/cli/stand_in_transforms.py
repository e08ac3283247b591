# SPDX-License-Identifier: Apache-2.0
"""The classes of torchvision, albumentations and Keras that `recipe from` reads, with only the names, modules and attributes that it uses.

The real libraries are larger than all other packages of the tests together. SOURCE is the text of a file with transforms made of these."""
import enum


class InterpolationMode(enum.Enum):
    NEAREST, BILINEAR, BICUBIC, LANCZOS, BOX, HAMMING = "nearest", "bilinear", "bicubic", "lanczos", "box", "hamming"


class Dtype:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"


def stand_in(module, name, *given, **usual):
    """A class with an __init__ of these arguments, each kept as an attribute."""
    def init(self, *values, **named):
        self.__dict__.update({**dict.fromkeys(given), **usual, **dict(zip([*given, *usual], values)), **named})

    def said(self):
        return name + "(" + ", ".join(f"{key}={value!r}" for key, value in self.__dict__.items()) + ")"
    return type(name, (), {"__init__": init, "__repr__": said, "__module__": module})


VISION, AUGMENT, LAYERS = "torchvision.transforms.transforms", "albumentations.augmentations.transforms", "keras.src.layers.preprocessing"
Compose = stand_in(VISION, "Compose", "transforms")
Resize = stand_in(VISION, "Resize", "size", interpolation=InterpolationMode.BILINEAR, max_size=None, antialias=True)
CenterCrop = stand_in(VISION, "CenterCrop", "size")
ToTensor, PILToTensor = stand_in(VISION, "ToTensor"), stand_in(VISION, "PILToTensor")
ToImage = stand_in("torchvision.transforms.v2._type_conversion", "ToImage")
ToDtype = stand_in("torchvision.transforms.v2._misc", "ToDtype", "dtype", scale=False)
Normalize = stand_in(VISION, "Normalize", "mean", "std", inplace=False)
Grayscale = stand_in(VISION, "Grayscale", num_output_channels=1)
RandomCrop, Lambda = stand_in(VISION, "RandomCrop", "size"), stand_in(VISION, "Lambda", "lambd")
Preset = type("ImageClassification", (), {"__module__": "torchvision.transforms._presets", "crop_size": [24], "resize_size": [32], "mean": [0.5, 0.4, 0.3], "std": [0.2, 0.2, 0.1],
                                          "interpolation": InterpolationMode.BICUBIC, "antialias": True})
AResize = stand_in(AUGMENT, "Resize", "height", "width", interpolation=1, p=1)
LongestMaxSize = stand_in(AUGMENT, "LongestMaxSize", "max_size", interpolation=1, p=1.0)
PadIfNeeded = stand_in(AUGMENT, "PadIfNeeded", "min_height", "min_width", border_mode=0, position="center", fill=0, p=1.0)
ANormalize = stand_in(AUGMENT, "Normalize", mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225), max_pixel_value=255.0, normalization="standard", p=1.0)
ToGray = stand_in(AUGMENT, "ToGray", p=0.5, method="weighted_average", num_output_channels=3)
ToTensorV2 = stand_in("albumentations.pytorch.transforms", "ToTensorV2", p=1.0)
Sequential = stand_in("keras.src.models.sequential", "Sequential", "layers")
Resizing = stand_in(LAYERS + ".image_preprocessing.resizing", "Resizing", "height", "width", interpolation="bilinear", crop_to_aspect_ratio=False)
Rescaling = stand_in(LAYERS + ".rescaling", "Rescaling", "scale", offset=0.0)
float32 = Dtype("float32")
# Users' own classes with names of the library's: derived from its base class, or from the class of that name.
Module = type("Module", (), {"__module__": "torch.nn.modules.module", "forward": lambda self, picture: picture})
OwnToTensor = type("ToTensor", (Module,), {"__module__": "app", "__repr__": lambda self: "ToTensor()", "forward": lambda self, picture: picture / 128})
OwnSilent = type("ToTensor", (Module,), {"__module__": "app", "__repr__": lambda self: "ToTensor()"})
OwnNormalize = type("Normalize", (Normalize,), {"__module__": "app", "__call__": lambda self, picture: picture})
OwnRescaling = type("Rescaling", (Rescaling,), {"__module__": "app", "call": lambda self, picture: picture})
OwnCompose = type("Compose", (Compose,), {"__module__": "app", "__call__": lambda self, picture: picture})
LikeCompose = type("Compose", (), {"__module__": "app", "__repr__": lambda self: "Compose()", "transforms": [ToTensor()]})
NamedResize = type("MyResize", (Resize,), {"__module__": "app"})


def preprocess_input(x):
    return x


preprocess_input.__module__ = "keras.src.applications.vgg16"
mobilenet = type(preprocess_input)(preprocess_input.__code__, {}, "preprocess_input")
mobilenet.__module__ = "keras.src.applications.mobilenet_v2"

SOURCE = "import sys\nsys.path.insert(0, {folder!r})\nfrom stand_in_transforms import *\nfrom stand_in_transforms import preprocess_input, mobilenet\n{lines}\n"


def source(folder, **objects):
    """A file's text with these names."""
    return SOURCE.format(folder=str(folder), lines="\n".join(f"{name} = {text}" for name, text in objects.items()))

