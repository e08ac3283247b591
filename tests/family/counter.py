# SPDX-License-Identifier: Apache-2.0
"""Parameters and multiply-accumulates of a configuration in NN-Stretch's form, by a second route: `python counter.py FILE... [--size N]`.

It follows the description of the blocks in the papers (ResNet, RegNet, MobileNetV3, ShuffleNet V2) and shares nothing with src/family."""
import argparse
import math
import pathlib

import yaml


class Tally:
    def __init__(self):
        self.parameters = self.macs = 0

    def conv(self, side, width_in, width_out, kernel, stride=1, groups=1, bias=False, norm=True):
        side = math.ceil(side / stride)
        weights = kernel * kernel * width_in * width_out // groups
        self.parameters += weights + (width_out if bias else 0) + (2 * width_out if norm else 0)
        self.macs += weights * side * side
        return side

    def squeeze(self, width, inner):
        if inner:
            self.conv(1, width, inner, 1, bias=True, norm=False)
            self.conv(1, inner, width, 1, bias=True, norm=False)


def basic(tally, side, w, out, stride, _):
    if w != out or stride != 1:
        tally.conv(side, w, out, 1, stride)
    side = tally.conv(side, w, out, 3, stride)
    return tally.conv(side, out, out, 3)


def vanilla(tally, side, w, out, stride, _):
    return tally.conv(tally.conv(side, w, out, 3, stride), out, out, 3)


def bottleneck(tally, side, w, out, stride, p, projects=True):
    inner = round(out * p["multiplier"])
    if projects and (w != out or stride != 1):
        tally.conv(side, w, out, 1, stride)
    tally.conv(side, w, inner, 1)
    side = tally.conv(side, inner, inner, 3, stride, inner // p["group"])
    tally.squeeze(inner, round(w * p["squeeze"]))
    return tally.conv(side, inner, out, 1)


def linear_bottleneck(tally, side, w, out, stride, p):
    return bottleneck(tally, side, w, out, stride, p, projects=False)


def mbconv(tally, side, w, out, stride, p):
    inner = int(w * p["multiplier"])
    if inner != w:
        tally.conv(side, w, inner, 1)
    side = tally.conv(side, inner, inner, p["kernel"], stride, inner)
    tally.squeeze(inner, int(w * p["squeeze"]))
    return tally.conv(side, inner, out, 1)


def shuffle(tally, side, w, out, stride, _):
    half = out // 2
    whole = stride != 1 or w != out
    small = math.ceil(side / stride)
    if whole:
        tally.conv(side, w, w, 3, stride, w)
        tally.conv(small, w, half, 1)
    tally.conv(side, w if whole else half, half, 1)
    tally.conv(side, half, half, 3, stride, half)
    return tally.conv(small, half, half, 1)


BLOCKS = {"res_basic_block": basic, "vanilla_block": vanilla, "res_bottleneck_block": bottleneck, "res_bottleneck_linear_block": linear_bottleneck,
          "mbconv": mbconv, "inverted_residual": shuffle}


def eights(value):
    near = max(8, int(value + 4) // 8 * 8)
    return near + 8 if near < 0.9 * value else near


def each(value, count):
    return value if isinstance(value, list) else [value] * count


def count(text, size=224, all_adapters=False):
    """(parameters, MACs) of a file's text."""
    file = yaml.safe_load(text)
    net, classes = file["ANYNET"], file["MODEL"].get("NUM_CLASSES", 10)
    tally, width = Tally(), net.get("STEM_W", 32)
    kind = net.get("STEM_TYPE", "simple_stem_in")
    small = kind == "res_stem_cifar"
    side = tally.conv(size, 3, width, 3 if small else net.get("STEM_K", 7), 1 if small else 2)
    side = math.ceil(side / 2) if kind == "res_stem_in" else side
    stages = len(net["DEPTHS"])
    lists = [net.get(key) or [None] * stages for key in ("WIDTHS", "STRIDES", "BOT_MULS", "GROUP_WS", "KERNELS", "ORIGINAL_WIDTHS")]
    for depths, widths, strides, multipliers, groups, kernels, joined in zip(net["DEPTHS"], *lists):
        depths = each(depths, 1)
        branches = list(zip(depths, *(each(one, len(depths)) for one in (widths, strides, multipliers, groups, kernels))))
        adapts = net.get("MB_VER", 2) == 1 and (len(branches) > 1 or all_adapters)
        begin, ends = side, []
        for depth, out, stride, multiplier, group, kernel in branches:
            p = {"multiplier": multiplier, "group": group, "kernel": kernel, "squeeze": net.get("SE_R", 0.25) if net.get("SE_ON") else 0}
            side, w = begin, width
            if adapts:
                w = eights(out / joined * width)
                tally.conv(side, width, w, 1)
            for i in range(depth):
                side = BLOCKS[net.get("BLOCK_TYPE", "res_bottleneck_block")](tally, side, w, out, stride if i == 0 else 1, p)
                w = out // 2 * 2 if net.get("BLOCK_TYPE") == "inverted_residual" else out
            if adapts and w != joined // len(branches):
                tally.conv(side, w, joined // len(branches), 1)
                w = joined // len(branches)
            ends.append(w)
        width = sum(ends)
    if net.get("HEAD_W", 0):
        tally.conv(side, width, net["HEAD_W"], 1)
        width = net["HEAD_W"]
    tally.conv(1, width, classes, 1, bias=True, norm=False)
    return tally.parameters, tally.macs


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--size", type=int, default=224)
    given = parser.parse_args()
    for path in given.files:
        print(path, *count(path.read_text(), given.size))
