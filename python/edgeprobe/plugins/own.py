# SPDX-License-Identifier: Apache-2.0
"""The plug-ins that edgeprobe contains. Known without an import, so that they can be listed quickly."""
from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Own:
    """A class in this package, the files that it opens, and the package that it needs."""

    target: str
    formats: tuple[str, ...]
    package: str
    help: str


#: kind -> name -> plug-in
OWN: dict[str, dict[str, Own]] = {
    "engine": {
        "executorch": Own("edgeprobe.engines.executorch:Executorch", (".pte",), "executorch", "ExecuTorch"),
        "jax": Own("edgeprobe.engines.jax:Jax", (".jax_exported", ".jaxexport", ".jax"), "jax", "JAX: functions of a Python file, and artifacts of jax.export"),
        "keras": Own("edgeprobe.engines.keras:Keras", (".keras", ".h5", ".pb"), "keras", "Keras models and TensorFlow SavedModels"),
        "mnn": Own("edgeprobe.engines.mnn:Mnn", (".mnn",), "mnn", "MNN"),
        "ncnn": Own("edgeprobe.engines.ncnn:Ncnn", (".param",), "ncnn", "ncnn"),
        "sklearn": Own("edgeprobe.engines.sklearn:Sklearn", (".pkl", ".joblib"), "scikit-learn", "Estimators of scikit-learn, from a pickle"),
        "torch": Own("edgeprobe.engines.torch:Torch", (".pt2", ".pt", ".ts"), "torch", "PyTorch: exported programs and TorchScript"),
    },
    "dataset": {},
    "metric": {},
    "compiler": {},
    "model": {
        "mobilenet_v1": Own("edgeprobe.train.models:MobileNetV1", (), "keras", "MobileNet, version 1, to train"),
        "mobilenet_v2": Own("edgeprobe.train.models:MobileNetV2", (), "keras", "MobileNetV2, to train"),
        "mobilenet_v2_torch": Own("edgeprobe.train.models:MobileNetV2Torch", (), "torch", "MobileNetV2 of PyTorch, to train"),
        "signal": Own("edgeprobe.train.models:Signal", (), "keras", "Convolutions over time, to train on sound and readings"),
    },
}
