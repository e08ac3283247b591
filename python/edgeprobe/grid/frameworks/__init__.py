# SPDX-License-Identifier: Apache-2.0
"""The frameworks whose export is tried, one module each.

A module has NAME, PACKAGES (distributions whose versions are shown), MODULES (that must be there), MODELS (names) and build(model, seed), which
returns a Case. It imports its framework only inside functions. A file of the user's own may have the same."""
from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

#: Word of the command line -> title.
BUILT_IN = {"pytorch": "PyTorch", "keras": "Keras", "jax": "JAX", "sklearn": "scikit-learn", "mxnet": "MXNet"}

#: The eight models of Edge AI tester's grid, then ours: name -> title.
TITLES = {
    "densenet201": "DenseNet201", "mobilenetv2": "MobileNetV2", "resnet50": "ResNet50", "vgg16": "VGG16",
    "deeplabv3-resnet50": "DeepLabV3 ResNet50", "fasterrcnn-resnet50-fpn": "Faster R-CNN ResNet50 FPN",
    "retinanet-resnet50-fpn": "RetinaNet ResNet50 FPN", "maskrcnn-resnet50-fpn": "Mask R-CNN ResNet50 FPN",
    "mlp": "MLP", "cnn": "small CNN", "pooling": "pooling at the border", "resize": "resizing", "lstm": "LSTM", "attention": "attention block",
    "logistic-regression": "logistic regression", "decision-tree": "decision tree", "random-forest": "random forest",
    "gradient-boosting": "gradient boosting", "hist-gradient-boosting": "histogram gradient boosting", "svm": "SVM", "nearest-neighbors": "nearest neighbours",
    "naive-bayes": "naive Bayes", "pipeline": "scaler, PCA and regression",
}


class Case:
    """A model with random weights and inputs for it."""

    #: One list of arrays per sample, in the order of the model's inputs.
    samples: list

    def run(self, sample: list) -> list:
        """The framework's own outputs of one sample, as arrays."""
        raise NotImplementedError

    def export(self, path: str) -> None:
        """Writes the .onnx, by the framework's usual way and its defaults."""
        raise NotImplementedError

    def save(self, folder: str) -> dict:
        """Writes the model in its own format and returns edgeprobe's flags that make it a reference: {"model": file, "engine": name}; {} if edgeprobe
        has no engine for it."""
        return {}


def load(adapter: str) -> ModuleType:
    """The module of a built-in framework, or that of a file."""
    if adapter in BUILT_IN:
        return importlib.import_module(f"{__name__}.{adapter}")
    spec = importlib.util.spec_from_file_location("edgeprobe_grid_own", adapter)
    if spec is None or spec.loader is None:
        raise ImportError(f"'{adapter}' is not a file of Python")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("NAME", "PACKAGES", "MODULES", "MODELS", "build"):
        if not hasattr(module, name):
            raise AttributeError(f"'{adapter}' has no {name} (docs/guides/onnx-conversion.md)")
    return module


def pictures(seed: int, shape: tuple, count: int = 2) -> list:
    """Samples of random pictures, as after the usual normalisation."""
    import numpy

    random = numpy.random.default_rng(seed + 1)
    return [[random.normal(size=shape).astype(numpy.float32)] for _ in range(count)]
