# SPDX-License-Identifier: Apache-2.0
"""Small networks as `edgeprobe stretch generate --network` writes them: one of each kind of block, and one with two branches."""
import json


class Builder:
    def __init__(self, side, channels=3):
        self.side, self.layers, self.width = side, [], channels

    def add(self, name, op, *inputs, **keys):
        self.layers.append({"name": name, "op": op, "inputs": list(inputs), **keys, "stage": 0, "branch": 0, "processor": 0})
        return name

    def conv(self, name, at, before, after, kernel=1, stride=1, groups=1, bias=False):
        return self.add(name, "conv", at, **{"in": before}, out=after, kernel=kernel, stride=stride, groups=groups, bias=bias)

    def norm(self, name, at, channels, final=False):
        return self.add(name, "batch_norm", at, channels=channels, final=final)

    def conv_norm(self, name, at, before, after, kernel=1, stride=1, groups=1, act="relu", final=False):
        at = self.norm(name + "_bn", self.conv(name, at, before, after, kernel, stride, groups), after, final)
        return self.add(name + "_af", act, at) if act else at

    def basic(self, name, at, before, after, stride):
        way = self.conv_norm(name + ".f.a", at, before, after, 3, stride)
        way = self.conv_norm(name + ".f.b", way, after, after, 3, act=None, final=True)
        return self._joined(name, at, way, before, after, stride)

    def bottleneck(self, name, at, before, after, stride, inner, groups):
        way = self.conv_norm(name + ".f.a", at, before, inner)
        way = self.conv_norm(name + ".f.b", way, inner, inner, 3, stride, groups)
        way = self.conv_norm(name + ".f.c", way, inner, after, act=None, final=True)
        return self._joined(name, at, way, before, after, stride)

    def _joined(self, name, at, way, before, after, stride):
        short = at if before == after and stride == 1 else self.norm(name + ".bn", self.conv(name + ".proj", at, before, after, 1, stride), after)
        return self.add(name + ".af", "relu", self.add(name + ".sum", "add", short, way))

    def mbconv(self, name, at, before, after, stride, expansion, squeezed):
        inner = before * expansion
        way = self.conv_norm(name + ".exp", at, before, inner, act="silu")
        way = self.conv_norm(name + ".dwise", way, inner, inner, 3, stride, inner, act="silu")
        pool = self.add(name + ".se.avg_pool", "global_pool", way)
        pool = self.add(name + ".se.f_ex.1", "silu", self.conv(name + ".se.f_ex.0", pool, inner, squeezed, bias=True))
        pool = self.add(name + ".se.f_ex.3", "sigmoid", self.conv(name + ".se.f_ex.2", pool, squeezed, inner, bias=True))
        way = self.add(name + ".se", "mul", way, pool)
        way = self.conv_norm(name + ".lin_proj", way, inner, after, act=None, final=True)
        return self.add(name + ".sum", "add", at, way) if before == after and stride == 1 else way

    def shuffle(self, name, at, channels):
        half = channels // 2
        kept = self.add(name + ".kept", "slice", at, first=0, count=half)
        way = self.add(name + ".moved", "slice", at, first=half, count=half)
        way = self.conv_norm(name + ".a", way, half, half)
        way = self.conv_norm(name + ".b", way, half, half, 3, 1, half, act=None)
        way = self.conv_norm(name + ".c", way, half, half)
        return self.add(name + ".shuffle", "shuffle", self.add(name + ".concat", "concat", kept, way), groups=2)

    def head(self, at, channels, classes):
        return self.add("head.fc", "linear", self.add("head.avg_pool", "global_pool", at), **{"in": channels}, out=classes, bias=True)

    def network(self, name, classes, **training):
        sections = {}
        for key, value in training.items():
            section, _, key = key.partition("_")
            sections.setdefault(section, {})[key] = value
        return {"edgeprobe_network": 1, "name": name, "input": [self.width, self.side, self.side], "classes": classes, "batch_norm": {"epsilon": 1e-5, "momentum": 0.1},
                "processors": ["cpu"], "layers": self.layers, "output": self.layers[-1]["name"], "training": sections}


def every_kind(side=16, classes=3, width=8):
    """Stem with a max pool, a stage of two branches, and one block of each kind. About 0.1 million multiply-accumulates at 16 pixels."""
    net = Builder(side)
    at = net.conv_norm("stem.conv", "input", 3, width, 3)
    at = net.add("stem.pool", "max_pool", at, kernel=3, stride=2)
    first = net.basic("s1.branches.0.b1", at, width, width, 1)
    second = net.bottleneck("s1.branches.1.b1", at, width, width, 1, width, width // 2)
    at = net.add("s1.merge", "concat", first, second)
    at = net.mbconv("s2.b1", at, 2 * width, 2 * width, 2, 2, 4)
    at = net.mbconv("s2.b2", at, 2 * width, 2 * width, 1, 2, 4)
    at = net.shuffle("s3.b1", at, 2 * width)
    at = net.basic("s4.b1", at, 2 * width, 3 * width, 2)
    net.head(at, 3 * width, classes)
    return net


def write(path, network):
    path.write_text(json.dumps(network))
    return path
