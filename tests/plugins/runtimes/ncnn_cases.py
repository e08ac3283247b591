# SPDX-License-Identifier: Apache-2.0
"""Models of ncnn, written here as .param and .bin, and what ncnn's own Python computes. ncnn_cases.py FOLDER"""
import struct
import sys

import ncnn
import numpy as np
from cases import Cases

HALF, INT8 = 0x01306B47, 0x000D4B38


class Net:
    """A .param and its .bin, one layer at a time."""

    def __init__(self):
        self.lines, self.blobs, self.weights = [], set(), b""

    def add(self, kind, name, given, made, *weights, **params):
        self.blobs |= set(made)
        values = " ".join(f"{key.lstrip('p')}={value}" for key, value in params.items())
        self.lines.append(f"{kind} {name} {len(given)} {len(made)} {' '.join([*given, *made])} {values}".rstrip())
        self.weights += b"".join(weights)

    def save(self, home):
        (home / "net.param").write_text(f"7767517\n{len(self.lines)} {len(self.blobs)}\n" + "\n".join(self.lines) + "\n")
        (home / "net.bin").write_bytes(self.weights)
        return home / "net.param"


def flagged(array, flag=0):
    data = array.astype({0: "<f4", HALF: "<f2", INT8: "<i1"}[flag]).tobytes()
    return struct.pack("<I", flag) + data + bytes(-len(data) % 4)


def raw(array):
    return array.astype("<f4").tobytes()


def expected(file, samples, tops, precise=True):
    """The answers of ncnn's Python: the outputs that no layer reads, and every result. Options as in its documentation for float32."""
    net = ncnn.Net()
    net.opt.num_threads = 1
    net.opt.lightmode = False
    if precise:
        for name in ("fp16_packed", "fp16_storage", "fp16_arithmetic", "bf16_packed", "bf16_storage"):
            setattr(net.opt, "use_" + name, False)
    assert net.load_param(str(file)) == 0 and net.load_model(str(file.with_suffix(".bin"))) == 0
    answers, layers = [], []
    for sample in samples:
        extractor = net.create_extractor()
        for name, array in sample.items():
            assert extractor.input(name, ncnn.Mat(np.ascontiguousarray(array[0])).clone()) == 0

        def value(name, extractor=extractor):
            code, mat = extractor.extract(name)
            assert code == 0, name
            return np.array(mat)[None]

        answers.append([(name, value(name)) for name in net.output_names()])
        layers.append([(name, kind, value(name)) for name, kind in tops])
    return answers, layers


def case(cases, name, net, samples, flags=(), near=None):
    home = cases.home(name)
    file = net.save(home)
    tops = []
    for line in net.lines:
        words = line.split()
        given, made = int(words[2]), int(words[3])
        if words[0] != "Input":
            tops += [(top, words[0]) for top in words[4 + given:4 + given + made]]
    cases.write(home, file, samples, *expected(file, samples, tops), flags=flags, near=near)


def main(folder):
    cases = Cases(folder)
    normal = cases.normal

    net = Net()
    net.add("Input", "x", [], ["x"], p0=12, p1=10, p2=3)
    w, b = normal(8, 3, 3, 3) * .3, normal(8)
    net.add("Convolution", "conv", ["x"], ["conv"], flagged(w), raw(b), p0=8, p1=3, p4=1, p5=1, p6=w.size)
    net.add("BatchNorm", "bn", ["conv"], ["bn"], *(raw(v) for v in (normal(8), normal(8), np.abs(normal(8)) + .5, normal(8))), p0=8)
    net.add("ReLU", "relu", ["bn"], ["relu"])
    net.add("Pooling", "pool", ["relu"], ["pool"], p0=0, p1=2, p2=2)
    f = normal(5, 8 * 5 * 6) * .1
    net.add("InnerProduct", "fc", ["pool"], ["fc"], flagged(f), raw(normal(5)), p0=5, p1=1, p2=f.size)
    net.add("Softmax", "prob", ["fc"], ["prob"], p0=0)
    case(cases, "convolution", net, [{"x": normal(1, 3, 10, 12)} for _ in range(3)])

    net = Net()
    net.add("Input", "data", [], ["data"])
    net.add("ReLU", "first", ["data"], ["positive"])  # in place, in the memory of the input
    d = normal(4, 3, 3)
    net.add("ConvolutionDepthWise", "dw", ["positive"], ["dw"], flagged(d), p0=4, p1=3, p3=2, p4=1, p6=d.size, p7=4, p9=1)
    p = normal(6, 4)
    net.add("Convolution", "pw", ["dw"], ["pw"], flagged(p), raw(normal(6)), p0=6, p1=1, p5=1, p6=p.size, p9=2, **{"p-23310": "1,0.1"})
    net.add("Pooling", "gap", ["pw"], ["gap"], p0=1, p4=1)
    case(cases, "depthwise_open", net, [{"data": normal(1, 4, 9, 9)} for _ in range(3)], ["--input-shape", "data=1x4x9x9"])

    net = Net()
    net.add("Input", "a", [], ["a"], p0=6)
    net.add("Input", "b", [], ["b"], p0=6)
    net.add("Split", "split", ["a"], ["a0", "a1"])
    net.add("BinaryOp", "add", ["a0", "b"], ["sum"], p0=0)
    net.add("Split", "split2", ["sum"], ["s0", "s1"])
    net.add("Concat", "cat", ["s0", "a1"], ["both"], p0=0)
    net.add("Sigmoid", "sig", ["s1"], ["gate"])
    samples = [{"a": normal(1, 6), "b": normal(1, 6)} for _ in range(4)]
    sums = [s["a"].astype(float) + s["b"] for s in samples]
    case(cases, "two_and_two", net, samples, near=[[np.concatenate([t, s["a"]], 1), 1 / (1 + np.exp(-t))] for s, t in zip(samples, sums)])

    net = Net()
    net.add("Input", "seq", [], ["seq"], p0=5, p1=7)
    h, gates = 4, 4
    net.add("LSTM", "lstm", ["seq"], ["states"], *(flagged(normal(*s) * .4) for s in ((gates * h, 5), (gates, h), (gates * h, h))), p0=h, p1=gates * h * 5,
            p2=0)
    net.add("GRU", "gru", ["states"], ["last"], *(flagged(normal(*s) * .4) for s in ((3 * h, h), (4, h), (3 * h, h))), p0=h, p1=3 * h * h, p2=1)
    case(cases, "recurrent", net, [{"seq": normal(1, 7, 5)} for _ in range(2)])

    net = Net()
    net.add("Input", "ids", [], ["ids"], p0=6)
    table = normal(11, 4)
    net.add("Embed", "words", ["ids"], ["vectors"], flagged(table), p0=4, p1=11, p2=0, p3=table.size)
    net.add("Reduction", "mean", ["vectors"], ["mean"], p0=3, p1=0, **{"p-23303": "1,0"}, p5=1)
    samples = [{"ids": cases.random.integers(0, 11, (1, 6)).astype(np.int32)} for _ in range(3)]
    case(cases, "embedding", net, samples, near=[[table[s["ids"][0]].mean(0)] for s in samples])

    net = Net()
    net.add("Input", "x", [], ["x"], p0=20)
    f = normal(9, 20)
    net.add("InnerProduct", "half", ["x"], ["y"], flagged(f, HALF), raw(np.zeros(9)), p0=9, p1=1, p2=f.size)
    net.add("HardSwish", "act", ["y"], ["z"], p0=.16666667, p1=.5)
    samples = [{"x": normal(1, 20)} for _ in range(3)]
    lines = [s["x"][0].astype(float) @ f.astype(np.float16).astype(float).T for s in samples]
    case(cases, "half_weights", net, samples, near=[[y * np.clip(y / 6 + .5, 0, 1)] for y in lines])

    net = Net()
    net.add("Input", "x", [], ["x"], p0=8, p1=8, p2=2)
    q = cases.random.integers(-127, 128, (4, 2, 3, 3))
    net.add("Convolution", "int8", ["x"], ["y"], flagged(q, INT8), raw(normal(4)), raw(np.full(4, 90.)), raw(np.array([30.])), p0=4, p1=3, p4=1, p5=1,
            p6=q.size, p8=2)
    net.add("Interp", "up", ["y"], ["up"], p0=2, p1=2, p2=2)
    net.add("Permute", "order", ["up"], ["order"], p0=3)
    net.add("Reshape", "flat", ["order"], ["flat"], p0=-1)
    case(cases, "int8_and_shapes", net, [{"x": normal(1, 2, 8, 8)} for _ in range(2)])

    net = Net()
    net.add("Input", "v", [], ["v"], p0=6, p1=5, p11=4, p2=2)
    w = normal(3, 2, 3, 3, 3) * .2
    net.add("Convolution3D", "conv3", ["v"], ["y"], flagged(w), p0=3, p1=3, p4=1, p6=w.size)
    net.add("TanH", "tanh", ["y"], ["z"])
    case(cases, "volumes", net, [{"v": normal(1, 2, 4, 5, 6)} for _ in range(2)])


main(sys.argv[1])
