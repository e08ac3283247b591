# SPDX-License-Identifier: Apache-2.0
"""PyTorch and torchvision, exported by torch.onnx.export with its defaults."""
from __future__ import annotations

import os

from . import Case, pictures
from .weights import Weights

NAME = "PyTorch"
PACKAGES = ("torch", "torchvision", "onnxscript", "onnx", "protobuf")
MODULES = ("torch", "torchvision", "onnxscript", "onnx")
_CLASSIFIERS = {"densenet201": "densenet201", "mobilenetv2": "mobilenet_v2", "resnet50": "resnet50", "vgg16": "vgg16"}
_DETECTORS = {"fasterrcnn-resnet50-fpn": "fasterrcnn_resnet50_fpn", "retinanet-resnet50-fpn": "retinanet_resnet50_fpn",
              "maskrcnn-resnet50-fpn": "maskrcnn_resnet50_fpn"}
_LAST_LAYERS = ("cls_logits", "bbox_pred", "bbox_reg", "cls_score", "mask_fcn_logits")
MODELS = (*_CLASSIFIERS, "deeplabv3-resnet50", *_DETECTORS, "mlp", "cnn", "pooling", "resize", "lstm", "attention")


def build(model: str, seed: int) -> Case:
    import torch

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    nn = torch.nn
    if model in _CLASSIFIERS:
        import torchvision

        return Network(getattr(torchvision.models, _CLASSIFIERS[model])(weights=None), (1, 3, 224, 224), seed)
    if model == "deeplabv3-resnet50":
        import torchvision

        made = torchvision.models.segmentation.deeplabv3_resnet50(weights=None, weights_backbone=None, aux_loss=False)
        return Network(Segmentation(made), (1, 3, 224, 224), seed)
    if model in _DETECTORS:
        import torchvision

        # With random weights, no box reaches the usual threshold of two of them.
        threshold = {} if model.startswith("retinanet") else {"box_score_thresh": 0.0}
        return Detector(getattr(torchvision.models.detection, _DETECTORS[model])(weights=None, weights_backbone=None, **threshold), seed)
    if model == "mlp":
        return Network(nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 48), nn.Tanh(), nn.Linear(48, 10)), (1, 32), seed)
    if model == "cnn":
        made = nn.Sequential(
            nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3, 2, 1, groups=8), nn.LeakyReLU(0.1),
            nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False), nn.ConvTranspose2d(8, 6, 3, 2, 1, output_padding=1), nn.Flatten(),
            nn.LazyLinear(10))
        made(torch.zeros(1, 3, 30, 34))
        return Network(made, (1, 3, 30, 34), seed)
    if model == "pooling":
        # The last window reaches over the padding; PyTorch counts the padding in it, but nothing beyond.
        made = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AvgPool2d(3, 2, 1, ceil_mode=True), nn.Conv2d(8, 4, 3), nn.MaxPool2d(3, 2, 1, ceil_mode=True),
                             nn.Flatten(), nn.LazyLinear(10))
        made(torch.zeros(1, 3, 32, 34))
        return Network(made, (1, 3, 32, 34), seed)
    if model == "resize":
        return Network(_resizing(), (1, 3, 31, 37), seed)
    return Network(_recurrent() if model == "lstm" else _attention(), (1, 20, 12) if model == "lstm" else (1, 16, 32), seed)


def _recurrent():
    from torch import nn

    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.gru, self.out = nn.LSTM(12, 16, batch_first=True), nn.GRU(16, 8, batch_first=True), nn.Linear(8, 5)

        def forward(self, x):
            return self.out(self.gru(self.lstm(x)[0])[0][:, -1])

    return Recurrent()


def _attention():
    from torch import nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.attend = nn.MultiheadAttention(32, 4, batch_first=True)
            self.first, self.second = nn.LayerNorm(32), nn.LayerNorm(32)
            self.up, self.down, self.out = nn.Linear(32, 64), nn.Linear(64, 32), nn.Linear(32, 7)

        def forward(self, x):
            x = self.first(x + self.attend(x, x, x, need_weights=False)[0])
            x = self.second(x + self.down(nn.functional.gelu(self.up(x))))
            return self.out(x.mean(1))

    return Block()


def _resizing():
    from torch import nn

    class Resizing(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.third = nn.Conv2d(3, 6, 3, padding=1), nn.Conv2d(6, 6, 3, padding=1), nn.Conv2d(6, 4, 3, padding=1)

        def forward(self, x):
            x = nn.functional.interpolate(self.first(x).relu(), size=(17, 19), mode="bilinear", antialias=True)
            x = nn.functional.interpolate(self.second(x).relu(), scale_factor=2.0, mode="bicubic")
            return self.third(nn.functional.interpolate(x, scale_factor=2.0, mode="nearest"))

    return Resizing()


def Segmentation(model):  # noqa: N802  (a class that needs torch to be defined)
    from torch import nn

    class OnlyMasks(nn.Module):
        """The map of classes without the dictionary around it."""

        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, x):
            return self.model(x)["out"]

    return OnlyMasks()


class Network(Case):
    def __init__(self, model, shape, seed: int):
        self.model = model.eval()
        _randomise(self.model, seed)
        self.samples = pictures(seed, shape)

    def arguments(self, sample):
        import torch

        return (torch.from_numpy(sample[0]),)

    def outputs(self, made) -> list:
        return [made]

    def run(self, sample):
        import torch

        with torch.no_grad():
            return [value.numpy() for value in self.outputs(self.model(*self.arguments(sample)))]

    def export(self, path):
        import torch

        torch.onnx.export(self.model, self.arguments(self.samples[0]), path, verbose=False)

    def save(self, folder):
        import torch

        try:
            torch.export.save(torch.export.export(self.model, self.arguments(self.samples[0])), os.path.join(folder, "model.pt2"))
        except Exception:  # Then it has no other file that edgeprobe's engine reads.
            return {}
        return {"model": "model.pt2", "engine": "torch"}


class Detector(Network):
    def __init__(self, model, seed: int):
        super().__init__(model, (3, 224, 224), seed)
        import numpy

        random = numpy.random.default_rng(seed + 1)
        self.samples = [[random.uniform(size=(3, 224, 224)).astype(numpy.float32)]]
        self._spread_scores()

    def _spread_scores(self) -> None:
        """Scales the last layers so that their outputs have a deviation of 1: saturated scores are equal, and the order of equal ones is arbitrary."""
        import torch

        def scale(layer, _, made):
            size = float(made.std())
            if layer not in scaled and size > 0:
                scaled.add(layer)
                layer.weight.div_(size)
                layer.bias.div_(size)
                return made / size
            return None

        scaled: set = set()
        hooks = [layer.register_forward_hook(scale) for name, layer in self.model.named_modules() if name.rpartition(".")[2] in _LAST_LAYERS]
        with torch.no_grad():
            self.model(*self.arguments(self.samples[0]))
        for hook in hooks:
            hook.remove()

    def arguments(self, sample):
        import torch

        return ([torch.from_numpy(sample[0])],)

    def outputs(self, made):
        return list(made[0].values())

    def save(self, folder):
        return {}


def _randomise(model, seed: int) -> None:
    import torch

    weights = Weights(seed)
    norms = (torch.nn.modules.batchnorm._BatchNorm, torch.nn.LayerNorm, torch.nn.GroupNorm)
    with torch.no_grad():
        for module in model.modules():
            for name, value in [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]:
                shape = tuple(value.shape)
                if not value.is_floating_point() or not shape:
                    continue
                if name == "running_var" or (isinstance(module, norms) and name == "weight"):
                    new = weights.scale(shape)
                elif len(shape) < 2:
                    new = weights.offset(shape)
                else:
                    new = weights.kernel(shape, value[0].numel())
                value.copy_(torch.from_numpy(new))
