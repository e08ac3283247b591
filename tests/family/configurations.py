# SPDX-License-Identifier: Apache-2.0
"""Configurations in NN-Stretch's form: published networks, and drawn ones of every kind of block."""
import random

import yaml

#: Parameters, and GMAC at 224 pixels, as published (ResNet, RegNet, EfficientNet; the printed module tree of EN-B5-CD).
PUBLISHED = {"R-34": (21_797_672, 3.664), "R-50": (25_557_032, 4.089), "RX-1.6": (9_190_136, 1.603), "RX-4": (22_118_248, 3.964),
             "EN-B5": (30_389_784, 2.356), "EN-L4": (13_006_568, 1.348), "EN-B5-CD": (31_504_054, 2.501)}


def single(values):
    return [[value] for value in values]


class Plain(yaml.SafeDumper):
    """Without anchors, which our reader refuses."""

    def ignore_aliases(self, data):
        return True


def text_of(net, model=None, **sections):
    return yaml.dump({"MODEL": {"TYPE": "mbanynet", "NUM_CLASSES": 1000, **(model or {})}, "ANYNET": net, **sections}, Dumper=Plain, sort_keys=False, default_flow_style=None)


def residual(block, widths, depths, multiplier, groups, strides=(1, 2, 2, 2), **more):
    count = len(depths)
    return {"BLOCK_TYPE": block, "STRIDES": single(strides), "DEPTHS": single(depths), "WIDTHS": single(widths), "BOT_MULS": [multiplier] * count,
            "GROUP_WS": single(groups), "DEVICES": ["cpu"], "ORIGINAL_WIDTHS": list(widths), **more}


def efficient(widths, depths, head, stem, squeezes):
    return {"STEM_TYPE": "simple_stem_in", "STEM_W": stem, "STEM_K": 3, "BLOCK_TYPE": "mbconv", "STRIDES": single([1, 2, 2, 2, 1, 2, 1]),
            "DEPTHS": single(depths), "WIDTHS": single(widths), "BOT_MULS": [1, 6, 6, 6, 6, 6, 6], "KERNELS": [3, 3, 5, 3, 5, 5, 3], "HEAD_W": head,
            "DEVICES": ["cpu"], "ORIGINAL_WIDTHS": list(widths), "SE_ON": squeezes}


def published():
    ImageNet = {"STEM_TYPE": "res_stem_in", "STEM_W": 64, "STEM_K": 7}
    simple = {"STEM_TYPE": "simple_stem_in", "STEM_W": 32, "STEM_K": 3, "strides": (2, 2, 2, 2)}
    b5 = efficient([24, 40, 64, 128, 176, 304, 512], [3, 5, 5, 7, 7, 9, 3], 2048, 48, True)
    branched = {**b5, "STRIDES": [[s, s] for s in (1, 2, 2, 2, 1, 2, 1)], "DEPTHS": [[3, 2], [4, 3], [3, 3], [6, 5], [4, 5], [7, 6], [3, 2]],
                "WIDTHS": [[24, 24], [32, 32], [56, 48], [112, 96], [160, 136], [272, 232], [448, 384]], "BOT_MULS": [1] + [[6, 6]] * 6,
                "DEVICES": ["cpu", "dsp"], "MB_VER": 1, "ACTIVATION_FUN": ["relu", "silu"]}
    silu = {"ACTIVATION_FUN": "silu"}
    return {"R-34": text_of(residual("res_basic_block", (64, 128, 256, 512), (3, 4, 6, 3), 1, (64, 128, 256, 512), **ImageNet)),
            "R-50": text_of(residual("res_bottleneck_block", (256, 512, 1024, 2048), (3, 4, 6, 3), 0.25, (64, 128, 256, 512), **ImageNet)),
            "RX-1.6": text_of(residual("res_bottleneck_block", (72, 168, 408, 912), (2, 4, 10, 2), 1, (24,) * 4, **simple)),
            "RX-4": text_of(residual("res_bottleneck_block", (80, 240, 560, 1360), (2, 5, 14, 2), 1, (40,) * 4, **simple)),
            "EN-B5": text_of(b5, silu), "EN-B5-CD": text_of(branched, silu),
            "EN-L4": text_of(efficient([24, 32, 56, 112, 160, 272, 448], [1, 4, 4, 6, 6, 8, 1], 1280, 32, False))}


def drawn(seed):
    """A small network of a kind that depends on the seed, with one to three branches a stage."""
    draw = random.Random(seed)
    block = ["vanilla_block", "res_basic_block", "res_bottleneck_block", "res_bottleneck_linear_block", "mbconv", "inverted_residual"][seed % 6]
    stages = draw.randint(1, 3)
    branches = [draw.randint(1, 3) for _ in range(stages)]
    adapters = block == "mbconv" and draw.random() < 0.7
    strides = [draw.choice((1, 2)) for _ in range(stages)]
    # The halves of a shuffle unit pass by its blocks only where the width stays.
    widths = [[draw.choice((16, 24, 40, 56)) for _ in range(count)] for count in branches]
    joined = [draw.randint(1, 6) * 24 if adapters else sum(row) for row in widths]
    net = {"STEM_TYPE": draw.choice(["simple_stem_in", "res_stem_in", "res_stem_cifar"]), "STEM_W": draw.choice((8, 16)), "STEM_K": draw.choice((3, 5)),
           "BLOCK_TYPE": block, "STRIDES": [[stride] * count for stride, count in zip(strides, branches)],
           "DEPTHS": [[draw.randint(1, 3) for _ in range(count)] for count in branches], "WIDTHS": widths,
           "BOT_MULS": [draw.choice((1, 2, 6)) if block == "mbconv" else draw.choice((0.5, 1)) for _ in range(stages)],
           "GROUP_WS": [[4] * count for count in branches], "KERNELS": [draw.choice((3, 5)) for _ in range(stages)],
           "HEAD_W": draw.choice((0, 32)), "DEVICES": ["cpu", "gpu", "dsp"][:max(branches)], "ORIGINAL_WIDTHS": joined,
           "SE_ON": draw.random() < 0.5, "MB_VER": 1 if adapters else 2,
           "ACTIVATION_FUN": [draw.choice(["relu", "silu"]) for _ in range(max(branches))]}
    return text_of(net, {"NUM_CLASSES": 12, "ACTIVATION_FUN": draw.choice(["relu", "silu"])})
