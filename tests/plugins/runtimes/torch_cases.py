# SPDX-License-Identifier: Apache-2.0
"""Models of PyTorch, and what PyTorch computes. torch_cases.py FOLDER"""
import operator
import sys

import numpy as np
import torch

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
from cases import Cases
from torch import nn

torch.set_num_threads(1)


class Depthwise(nn.Module):
    def __init__(self):
        super().__init__()
        self.dw, self.pw = nn.Conv2d(4, 4, 3, stride=2, groups=4), nn.Conv2d(4, 6, 1)

    def forward(self, x):
        return torch.clamp(self.pw(torch.relu_(self.dw(x))), 0, 6).mean((2, 3))


class TwoAndTwo(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(6, 4)

    def forward(self, left, right):
        one, two = self.shared(left).tanh(), self.shared(right).tanh()
        return {"joined": torch.cat([one, two], 1), "rest": (one - two, one.argmax(1))}


class Words(nn.Module):
    def __init__(self, kind=nn.LSTM):
        super().__init__()
        self.table, self.memory, self.end = nn.Embedding(11, 5), kind(5, 4, batch_first=True), nn.Linear(4, 2)

    def forward(self, ids):
        return self.end(self.memory(self.table(ids))[0][:, -1])


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("sum", torch.zeros(1, 3))

    def forward(self, x):
        self.sum.add_(x + 1)
        return self.sum * 2


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def forward(self, x, mask):
        return self.block(x, src_key_padding_mask=mask)


def flat(answer):
    if isinstance(answer, dict):
        return [v for one in answer.values() for v in flat(one)]
    return [v for one in answer for v in flat(one)] if isinstance(answer, (list, tuple)) else [answer]


def array(value):
    value = value.detach().contiguous()
    if value.dtype == torch.bfloat16:
        return value.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return value.numpy().copy()


def kind_of(node):
    """The operator's name; a part of a tuple is of the operator that gives the tuple."""
    return kind_of(node.args[0]) if node.target is operator.getitem else str(node.target).split(".")[1]


def each_result(run, arguments):
    """Name, operator and value of each operator's tensor, by calling the graph's functions one after the other."""
    known, given, out = {}, list(arguments), []
    for node in run.graph.nodes:
        def value_of(one):
            return known[one]

        if node.op == "placeholder":
            known[node] = given.pop(0)
        elif node.op == "get_attr":
            known[node] = operator.attrgetter(node.target)(run)
        elif node.op == "call_function":
            known[node] = node.target(*torch.fx.node.map_arg(node.args, value_of), **torch.fx.node.map_arg(node.kwargs, value_of))
            if isinstance(known[node], torch.Tensor):
                out.append((node.name, kind_of(node), array(known[node])))
    return out


def case(cases, name, module, samples, dynamic=None, flags=(), script=False, layers=True, names=None, options=""):
    home = cases.home(name)
    torch.manual_seed(0)
    module = module.eval()
    given = [tuple(torch.from_numpy(a.copy()) for a in s.values()) for s in samples]
    if script:
        file = home / "net.pt"
        torch.jit.save(torch.jit.trace(module, given[0]), file)
        run = torch.jit.load(file)
    else:
        file = home / "net.pt2"
        torch.export.save(torch.export.export(module, given[0], dynamic_shapes=dynamic), file)
        program = torch.export.load(file)
        names = [str(n) for n in program.graph_signature.user_outputs]
        run = program.module()
    answers, inner = [], []
    with torch.inference_mode():
        for arguments in given:
            arrays = [array(v) for v in flat(run(*arguments))]
            answers.append(list(zip(names or [f"output_{i}" for i in range(len(arrays))], arrays)))
            inner += [] if script or not layers else [each_result(run, arguments)]
    cases.write(home, file, samples, answers, inner or None, flags=flags, options=options, hidden=layers)


def main(folder):
    cases = Cases(folder)
    normal = cases.normal
    torch.manual_seed(3)
    net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Dropout(.5), nn.Flatten(),
                        nn.Linear(8 * 30, 5), nn.Softmax(1))
    net[1].running_mean.uniform_(), net[1].running_var.uniform_(.5, 2)
    pictures = [{"input": normal(1, 3, 10, 12)} for _ in range(3)]
    case(cases, "convolution", net, pictures)
    open_sizes = {"x": {0: torch.export.Dim("n"), 2: torch.export.Dim("h", min=5), 3: torch.export.Dim("w", min=5)}}
    case(cases, "depthwise_open", Depthwise(), [{"x": normal(2, 4, 11, 9)} for _ in range(2)], dynamic=open_sizes, flags=["--input-shape", "x=2x4x11x9"])
    case(cases, "two_and_two", TwoAndTwo(), [{"left": normal(1, 6), "right": normal(1, 6)} for _ in range(3)])
    words = [{"ids": cases.random.integers(0, 11, (1, 7))} for _ in range(3)]
    case(cases, "words", Words(), words)
    case(cases, "gru", Words(nn.GRU), words)
    case(cases, "stateful", Counter(), [{"x": normal(1, 3)} for _ in range(3)], layers=False)
    case(cases, "attention", Attention(), [{"x": normal(1, 5, 8), "mask": cases.random.integers(0, 2, (1, 5)) * np.array([0, 1, 1, 1, 1]) > 0}
                                           for _ in range(2)])
    half = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Linear(8, 3))
    case(cases, "half", half.half(), [{"input": normal(1, 6).astype(np.float16)} for _ in range(2)])

    class Brain(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(6, 8), nn.SiLU(), nn.Linear(8, 3)).bfloat16()

        def forward(self, x):
            return self.net(x.bfloat16())

    if ml_dtypes:
        case(cases, "brain", Brain(), [{"x": normal(1, 6)} for _ in range(2)])
    else:
        print("skipped: bfloat16: this Python has no ml_dtypes")
    case(cases, "script", net, [{"input": p["input"]} for p in pictures], script=True, flags=["--input-shape", "input=1x3x10x12"])
    case(cases, "script_words", Words(), words, script=True, flags=["--input-shape", "ids=1x7"], options="types=ids:int64")

    torch.save(net, cases.home("refused") / "pickle.pt")


main(sys.argv[1])
