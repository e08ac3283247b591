# SPDX-License-Identifier: Apache-2.0
"""Networks in PyTorch against modules written by hand, moving averages and statistics against NumPy, checkpoints of torch.save(). Runs itself in each
Python with PyTorch; one of them must be there, or the test is skipped."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "python"))
sys.path.insert(0, str(HERE))
import networks  # noqa: E402
import torch_pythons  # noqa: E402

INSIDE = "--inside"
if INSIDE in sys.argv:
    import numpy as np
    import torch
    from torch import nn
    from torch.nn import functional as F

    from edgeprobe.family import losses
    from edgeprobe.family.description import read_network
    from edgeprobe.family.learner import Learner
    from edgeprobe.family.network import Interpreter, initial_weights
    from edgeprobe.family.training import training_of
    from edgeprobe.family.weights import load_weights
    from edgeprobe.train.talk import Trouble

    def conv(before, after, kernel=1, stride=1, groups=1, bias=False):
        return nn.Conv2d(before, after, kernel, stride, (kernel - 1) // 2, groups=groups, bias=bias)

    class ConvNorm(nn.Sequential):
        def __init__(self, *args, act=nn.ReLU, **more):
            super().__init__(conv(*args, **more), nn.BatchNorm2d(args[1]), *([act()] if act else []))

    class Residual(nn.Module):
        def __init__(self, way, short=None):
            super().__init__()
            self.way, self.short = way, short

        def forward(self, x):
            return F.relu(self.way(x) + (self.short(x) if self.short else x))

    class Squeeze(nn.Module):
        def __init__(self, width, inner):
            super().__init__()
            self.f_ex = nn.Sequential(nn.AdaptiveAvgPool2d(1), conv(width, inner, bias=True), nn.SiLU(), conv(inner, width, bias=True), nn.Sigmoid())

        def forward(self, x):
            return x * self.f_ex(x)

    class Mbconv(nn.Module):
        def __init__(self, before, after, stride):
            super().__init__()
            inner = 2 * before
            self.way = nn.Sequential(ConvNorm(before, inner, act=nn.SiLU), ConvNorm(inner, inner, 3, stride, inner, act=nn.SiLU), Squeeze(inner, 4), ConvNorm(inner, after, act=None))
            self.adds = stride == 1 and before == after

        def forward(self, x):
            return x + self.way(x) if self.adds else self.way(x)

    class Shuffle(nn.Module):
        def __init__(self, half):
            super().__init__()
            self.half = half
            self.way = nn.Sequential(ConvNorm(half, half), ConvNorm(half, half, 3, 1, half, act=None), ConvNorm(half, half))

        def forward(self, x):
            out = torch.cat((x[:, :self.half], self.way(x[:, self.half:])), 1)
            order = [channel // 2 + channel % 2 * self.half for channel in range(2 * self.half)]
            return out[:, order]

    class Branches(nn.Module):
        def __init__(self, *branches):
            super().__init__()
            self.branches = nn.ModuleList(branches)

        def forward(self, x):
            return torch.cat([branch(x) for branch in self.branches], 1)

    def by_hand(width=8):
        """networks.every_kind(), whose parameters come in the same order."""
        w = width
        return nn.Sequential(
            ConvNorm(3, w, 3), nn.MaxPool2d(3, 2, 1),
            Branches(Residual(nn.Sequential(ConvNorm(w, w, 3), ConvNorm(w, w, 3, act=None))),
                     Residual(nn.Sequential(ConvNorm(w, w), ConvNorm(w, w, 3, 1, w // 2), ConvNorm(w, w, act=None)))),
            Mbconv(2 * w, 2 * w, 2), Mbconv(2 * w, 2 * w, 1), Shuffle(w),
            Residual(nn.Sequential(ConvNorm(2 * w, 3 * w, 3, 2), ConvNorm(3 * w, 3 * w, 3, act=None)), ConvNorm(2 * w, 3 * w, 1, 2, act=None)),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(3 * w, 3))

    class TorchTest(unittest.TestCase):
        def setUp(self):
            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            self.folder = pathlib.Path(folder.name)
            self.network = read_network(networks.write(self.folder / "net.json", networks.every_kind().network("n", 3)))
            rng = np.random.default_rng(1)
            self.weights = {name: (rng.random(shape) + .5 if "var" in name else rng.standard_normal(shape) * .3).astype(np.float32)
                            for name, shape in self.network.parameters().items()}
            self.images = rng.standard_normal((12, 3, 16, 16)).astype(np.float32)
            self.labels = rng.integers(0, 3, 12)

        def learner(self, **keys):
            sections = {}
            for key, value in keys.items():
                section, _, key = key.partition("_")
                sections.setdefault(section, {})[key] = value
            made = Learner(self.network, training_of(sections, {}), self.weights, "cpu")
            made.begin("all", .05)
            made.begin_epoch(0, 0, .05)
            return made

        def test_scores_are_those_of_modules_by_hand(self):
            theirs, ours = by_hand(), Interpreter(self.network)
            ours.set_weights(self.weights)
            told = [value for name, value in theirs.state_dict().items() if "num_batches" not in name]
            self.assertEqual([list(value.shape) for value in told], [list(shape) for shape in self.network.parameters().values()])
            for value, name in zip(told, self.network.parameters(), strict=True):
                value.copy_(torch.from_numpy(self.weights[name]))
            for mode in (False, True):
                with torch.no_grad():
                    scores = [one.train(mode)(torch.from_numpy(self.images)).numpy() for one in (theirs, ours)]
                np.testing.assert_allclose(scores[1], scores[0], rtol=1e-4, atol=1e-5)
                self.assertGreater(np.abs(scores[0]).max(), .1)
            # Training moved the statistics alike.
            for (name, value), other in zip(ours.state_dict().items(), [v for n, v in theirs.state_dict().items() if "num_batches" not in n], strict=False):
                self.assertIn(name, self.network.parameters())
            state = ours.state_dict()
            for value, name in zip(told, self.network.parameters(), strict=True):
                np.testing.assert_allclose(state[name].numpy(), value.numpy(), rtol=1e-4, atol=1e-5, err_msg=name)

        def test_names_inside_names_and_names_of_pytorch(self):
            told = networks.Builder(8)
            told.conv("a.a.a", told.conv("a.a", told.conv("a", "input", 3, 4), 4, 4), 4, 4)
            told.head("a.a.a", 4, 2)
            network = read_network(networks.write(self.folder / "n.json", told.network("n", 2)))
            self.assertEqual(sorted(Interpreter(network).state_dict()), sorted(network.parameters()))
            for name in ("half.conv", "s1.forward", "a.weight.b"):
                told = networks.Builder(8)
                told.head(told.conv(name, told.conv("a", "input", 3, 4), 4, 4), 4, 2)
                with self.assertRaisesRegex(Trouble, f"layer '{name}': each module of PyTorch has its own"):
                    Interpreter(read_network(networks.write(self.folder / "n.json", told.network("n", 2))))

        def test_weights_before_training(self):
            found = initial_weights(self.network, 1, zero_final=True)
            self.assertEqual(list(found), list(self.network.parameters()))
            self.assertAlmostEqual(float(found["s4.b1.f.b.weight"].std()), (2 / (9 * 24)) ** .5, delta=.004)
            self.assertAlmostEqual(float(found["head.fc.weight"].std()), .01, delta=.002)
            self.assertEqual([float(found[name].max()) for name in ("s4.b1.f.b_bn.weight", "s4.b1.f.a_bn.weight", "s4.b1.bn.weight", "head.fc.bias", "stem.conv_bn.running_var")], [0, 1, 1, 0, 1])
            again, other = initial_weights(self.network, 1, False), initial_weights(self.network, 2, False)
            np.testing.assert_array_equal(again["stem.conv.weight"], found["stem.conv.weight"])
            self.assertEqual(again["s4.b1.f.b_bn.weight"].max(), 1)
            self.assertFalse(np.array_equal(other["stem.conv.weight"], found["stem.conv.weight"]))

        def test_the_moving_average_follows_as_numpy_says(self):
            learner = self.learner(OPTIM_EMA_ALPHA=.01, OPTIM_EMA_UPDATE_PERIOD=2, OPTIM_MAX_EPOCH=10, TRAIN_BATCH_SIZE=100)
            share = .01 * 100 / 10 * 2
            wanted = {name: value.astype(np.float64) for name, value in self.weights.items()}
            for step in range(5):
                learner.step(self.images, self.labels, False)
                if step % 2 == 0:
                    wanted = {name: value * (1 - share) + learner.model.state_dict()[name].numpy() * share for name, value in wanted.items()}
            for name, value in learner.average.state_dict().items():
                np.testing.assert_allclose(value.numpy(), wanted[name], rtol=1e-4, atol=1e-6, err_msg=name)
            self.assertFalse(np.allclose(learner.average.state_dict()["head.fc.bias"].numpy(), learner.model.state_dict()["head.fc.bias"].numpy()))

        def test_a_step_is_that_of_sgd_with_nesterov_and_decay(self):
            keys = {"OPTIM_WEIGHT_DECAY": .1, "OPTIM_MOMENTUM": .8, "BN_USE_CUSTOM_WEIGHT_DECAY": True, "BN_CUSTOM_WEIGHT_DECAY": .02, "TRAIN_LABEL_SMOOTHING": .2}
            learner = self.learner(**keys)
            reference = Interpreter(self.network)
            reference.set_weights(self.weights)
            values = {name: value.numpy().astype(np.float64) for name, value in self.named(reference)}
            speed = {name: 0. for name in values}
            for rate in (.05, .05, .01):
                learner.begin_epoch(0, 0, rate)
                loss, right = learner.step(self.images, self.labels, False)
                reference.train().zero_grad()
                scores = reference(torch.from_numpy(self.images))
                share = np.full((12, 3), .2 / 3)
                share[np.arange(12), self.labels] += .8
                wanted = -(torch.from_numpy(share) * F.log_softmax(scores.double(), 1)).sum(1).mean()
                wanted.backward()
                self.assertAlmostEqual(loss, wanted.item(), places=5)
                self.assertEqual(right, int((scores.argmax(1).numpy() == self.labels).sum()))
                for name, value in reference.named_parameters():
                    slope = value.grad.numpy() + (.02 if "bn" in name else .1) * values[name]
                    speed[name] = .8 * speed[name] + slope
                    values[name] = values[name] - rate * (slope + .8 * speed[name])
                    with torch.no_grad():
                        value.copy_(torch.from_numpy(values[name]))
            for name, value in self.named(learner.model):
                np.testing.assert_allclose(value.numpy(), values[name], rtol=2e-3, atol=2e-5, err_msg=name)

        @staticmethod
        def named(model):
            return [(name, value.detach()) for name, value in model.named_parameters()]

        def test_statistics_are_the_means_of_batches(self):
            learner = self.learner()
            batches = [self.images[:6], self.images[6:]]
            learner.settle(iter(batches), 2)
            kernel = self.weights["stem.conv.weight"]
            found = []
            for batch in batches:
                padded = np.pad(batch, ((0, 0), (0, 0), (1, 1), (1, 1))).astype(np.float64)
                out = sum(np.einsum("nchw,oc->nohw", padded[:, :, y:y + 16, x:x + 16], kernel[:, :, y, x]) for y in range(3) for x in range(3))
                found.append((out.mean((0, 2, 3)), out.var((0, 2, 3), ddof=1)))
            for model in (learner.model, learner.average):
                state = model.state_dict()
                np.testing.assert_allclose(state["stem.conv_bn.running_mean"].numpy(), np.mean([one[0] for one in found], 0), rtol=1e-4, atol=1e-5)
                np.testing.assert_allclose(state["stem.conv_bn.running_var"].numpy(), np.mean([one[1] for one in found], 0), rtol=1e-4)
            # Momentum is again that of training, and after an interruption the statistics are those of before.
            before = learner.state()
            def stopped():
                yield batches[0]
                raise KeyboardInterrupt
            with self.assertRaises(KeyboardInterrupt):
                learner.settle(stopped(), 2)
            for name, value in learner.state().items():
                np.testing.assert_array_equal(value, before[name])
            learner.step(self.images, self.labels, False)
            mean = before["model/stem.conv_bn.running_mean"]
            self.assertLess(np.abs(learner.model.state_dict()["stem.conv_bn.running_mean"].numpy() - mean).max(), .2 * np.abs(mean).max())

        def test_soft_labels_as_numpy_says(self):
            rng = np.random.default_rng(2)
            own, taught = (rng.standard_normal((12, 3)) * 2 for _ in range(2))
            def log_softmax(x):
                return x - np.log(np.exp(x).sum(1, keepdims=True))
            rows = np.arange(12)
            losses_of = [-log_softmax(one)[rows, self.labels] for one in (own, taught)]
            weight = 1 - np.exp(-losses_of[0] / losses_of[1])
            each = -(np.exp(log_softmax(taught / 2)) * log_softmax(own / 2)).sum(1)
            found = losses.soft_labels(torch.from_numpy(own), torch.from_numpy(taught), torch.from_numpy(self.labels))
            self.assertAlmostEqual(found.item(), float(4 * (weight * each).mean()), places=5)

        def test_a_teacher_changes_the_step_and_stays_as_it_is(self):
            alone, taught = self.learner(), self.learner()
            taught.teach(self.network, initial_weights(self.network, 4, False))
            before = {name: value.clone() for name, value in taught.teacher.state_dict().items()}
            losses_of = [one.step(self.images, self.labels, False)[0] for one in (alone, taught)]
            self.assertGreater(losses_of[1], losses_of[0])
            for name, value in taught.teacher.state_dict().items():
                self.assertTrue(torch.equal(value, before[name]), name)

        def test_state_returns_for_each_optimizer(self):
            for optimizer in ("sgd", "adam", "adamw"):
                learner = self.learner(OPTIM_OPTIMIZER=optimizer)
                learner.step(self.images, self.labels, False)
                other = self.learner(OPTIM_OPTIMIZER=optimizer)
                other.restore(learner.state())
                for one in (learner, other):
                    one.begin_epoch(0, 1, .05)
                    one.step(self.images, self.labels, False)
                for name, value in learner.state().items():
                    np.testing.assert_array_equal(value, other.state()[name], err_msg=name)

        def test_checkpoints_of_torch_save(self):
            path = self.folder / "model.pyth"
            model, average = ({name: torch.from_numpy(value * factor) for name, value in self.weights.items()} for factor in (1, 2))
            told = {"epoch": 3, "test_err": 40., "ema_err": 30., "model_state": {**model, "stem.conv_bn.num_batches_tracked": torch.tensor(7)}, "ema_state": average,
                    "optimizer_state": {"state": {}, "param_groups": [{"lr": .1, "params": [0]}]}, "cfg": "MODEL: x"}
            torch.save(told, path)
            found, notes = load_weights(str(path), self.network)
            self.assertIn("'model.pyth': its 'ema_state' is taken", notes)
            np.testing.assert_array_equal(found["head.fc.weight"], self.weights["head.fc.weight"] * 2)
            torch.save({**told, "ema_err": 50.}, path)
            np.testing.assert_array_equal(load_weights(str(path), self.network)[0]["head.fc.weight"], self.weights["head.fc.weight"])
            torch.save(model, path)
            np.testing.assert_array_equal(load_weights(str(path), self.network)[0]["head.fc.weight"], self.weights["head.fc.weight"])
            # As parameters, of another type and not in their order of memory.
            moved = {name: nn.Parameter(value.double().transpose(0, -1).contiguous().transpose(0, -1)) for name, value in model.items()}
            torch.save(moved, path)
            found, _ = load_weights(str(path), self.network)
            for name, value in self.weights.items():
                np.testing.assert_array_equal(found[name], value)
            torch.save({name: value.bfloat16() for name, value in model.items()}, path)
            np.testing.assert_array_equal(load_weights(str(path), self.network)[0]["head.fc.weight"], model["head.fc.weight"].bfloat16().float().numpy())
            torch.save(nn.Linear(2, 3), path)
            with self.assertRaisesRegex(Trouble, "names 'torch.nn.modules.linear.Linear', which would run"):
                load_weights(str(path), self.network)
            torch.save({"model_state": {"a": 3}}, path)
            with self.assertRaisesRegex(Trouble, "'a' is no tensor"):
                load_weights(str(path), self.network)
            torch.save(model, path, _use_new_zipfile_serialization=False)
            with self.assertRaisesRegex(Trouble, "An older one is a pickle"):
                load_weights(str(path), self.network)


if __name__ == "__main__":
    if INSIDE in sys.argv:
        sys.argv.remove(INSIDE)
        torch.set_num_threads(1)
        unittest.main(verbosity=2)
    pythons = torch_pythons.found()
    if not pythons:
        print("skipped: no Python with PyTorch; install python3-torch, or name one with EDGEPROBE_TORCH_PYTHON")
        sys.exit(77)
    codes = [subprocess.run([python, __file__, INSIDE, *sys.argv[1:]]).returncode for python in pythons]
    sys.exit(max(codes))
