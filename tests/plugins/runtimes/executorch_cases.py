# SPDX-License-Identifier: Apache-2.0
"""Programs of ExecuTorch, and what its own runtime computes. executorch_cases.py FOLDER"""
import operator
import sys

import numpy as np
import torch
from cases import Cases
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime, Verification
from torch import nn


class Depthwise(nn.Module):
    def __init__(self):
        super().__init__()
        self.dw, self.pw = nn.Conv2d(4, 4, 3, stride=2, groups=4), nn.Conv2d(4, 6, 1)

    def forward(self, x):
        return torch.clamp(self.pw(torch.relu(self.dw(x))), 0, 6).mean((2, 3))


class TwoAndTwo(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(6, 4)

    def forward(self, left, right):
        one, two = self.shared(left).tanh(), self.shared(right).tanh()
        return torch.cat([one, two], 1), one - two, one.argmax(1)


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.end = nn.Embedding(11, 5), nn.Linear(5, 2)

    def forward(self, ids):
        return self.end(self.table(ids).mean(1))


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("sum", torch.zeros(1, 3))

    def forward(self, x):
        self.sum.add_(x + 1)
        return self.sum * 2


def each_result(exported, arguments):
    """Name, operator and value of each result that depends on an input, by PyTorch, for an edge program without delegates."""
    known, moving, given, times, out = {}, set(), list(arguments), {}, []
    held = {**exported.state_dict, **exported.constants}
    signature = exported.graph_signature
    names = {**signature.inputs_to_parameters, **signature.inputs_to_buffers, **signature.inputs_to_lifted_tensor_constants}
    for node in exported.graph.nodes:
        if node.op == "placeholder":
            known[node] = held[names[node.name]] if node.name in names else given.pop(0)
            moving |= set() if node.name in names else {node}
        elif node.op == "call_function":
            known[node] = node.target(*torch.fx.node.map_arg(node.args, known.get), **torch.fx.node.map_arg(node.kwargs, known.get))
            moving |= {node} if moving & set(node.all_input_nodes) else set()
            kind = "" if node.target is operator.getitem else node.target._schema.name.rpartition("::")[2]
            if node in moving and kind not in ("", "view_copy"):  # neither is an instruction
                for value in known[node] if isinstance(known[node], (tuple, list)) else [known[node]]:
                    if not value.numel():
                        continue
                    times[kind] = times.get(kind, -1) + 1
                    out.append((kind + (f":{times[kind]}" if times[kind] else ""), kind, value.detach().numpy()))
    return out


def case(cases, name, module, samples, backend=(), dynamic=None, flags=()):
    home = cases.home(name)
    module = module.eval()
    given = [tuple(torch.from_numpy(a.copy()) for a in s.values()) for s in samples]
    exported = torch.export.export(module, given[0], dynamic_shapes=dynamic)
    plain = [module(*g) for g in given] if name != "stateful" else None
    file = home / "net.pte"
    edge = to_edge_transform_and_lower(exported, partitioner=list(backend))
    shows_layers = name not in ("stateful", "half")
    inner = [each_result(edge.exported_program(), g) for g in given] if shows_layers and not backend else None
    file.write_bytes(edge.to_executorch().buffer)
    method = Runtime.get().load_program(file, verification=Verification.Minimal).load_method("forward")
    answers = [[(f"output_{i}", v.numpy().copy()) for i, v in enumerate(method.execute(g))] for g in given]
    near = [[v.detach().numpy() for v in (p if isinstance(p, tuple) else [p])] for p in plain] if plain and samples[0].get("input_0",
        np.float32(0)).dtype != np.float16 else None
    cases.write(home, file, samples, answers, inner, near=near, flags=flags, hidden=not shows_layers)


def main(folder):
    cases = Cases(folder)
    normal = cases.normal
    torch.manual_seed(3)
    net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8 * 30, 5), nn.Softmax(1))
    net[1].running_mean.uniform_(), net[1].running_var.uniform_(.5, 2)
    pictures = [{"input_0": normal(1, 3, 10, 12)} for _ in range(3)]
    case(cases, "convolution", net, pictures)
    case(cases, "convolution_xnnpack", net, pictures, [XnnpackPartitioner()])
    case(cases, "depthwise_xnnpack", Depthwise(), [{"input_0": normal(1, 4, 9, 9)} for _ in range(3)], [XnnpackPartitioner()])
    case(cases, "two_and_two", TwoAndTwo(), [{"input_0": normal(1, 6), "input_1": normal(1, 6)} for _ in range(3)])
    case(cases, "words", Words(), [{"input_0": cases.random.integers(0, 11, (1, 7))} for _ in range(3)])
    case(cases, "stateful", Counter(), [{"input_0": normal(1, 3)} for _ in range(3)])
    case(cases, "half", nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3)).half(), [{"input_0": normal(1, 6).astype(np.float16)} for _ in range(2)])
    rows = torch.export.Dim("rows", min=1, max=8)
    case(cases, "open", nn.Sequential(nn.Linear(6, 8), nn.Tanh()), [{"input_0": normal(3, 6)} for _ in range(2)], dynamic=[{0: rows}], flags=["--input-shape",
        "input_0=3x6"])


main(sys.argv[1])
