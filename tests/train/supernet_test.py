# SPDX-License-Identifier: Apache-2.0
"""Networks of a supernet: the weights that they share, their statistics, the sandwich rule, and `stretch train --subnets`: supernet_test.py EDGEPROBE. Runs
itself in a Python with PyTorch; without one, the test is skipped."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "python"))
sys.path.insert(0, str(HERE))
import torch_pythons  # noqa: E402

INSIDE = "--inside"
EXECUTABLE = sys.argv[1]
TEXT = """family: 1
classes: 3
size: 16
processors: [cpu, dsp]
block: {block}
{more}elastic: {{depth: 0.5, width: 0.5, grid: 4}}
stem: {{width: 6}}
stages:
  - {{stride: 2, joined: 20, branches: [{{width: 8, depth: 2}}, {{width: 12, depth: 2}}]}}
  - {{stride: 2, joined: 20, multiplier: 2, branches: [{{width: 16, depth: 2}}, {{width: 16, depth: 2}}]}}
OPTIM: {{BASE_LR: 0.1, MAX_EPOCH: 3, EMA_UPDATE_PERIOD: 0}}
TRAIN: {{BATCH_SIZE: 12}}
"""
KINDS = {"basic": TEXT.format(block="basic", more=""), "mbconv": TEXT.format(block="mbconv", more="adapters: true\nsqueeze: 0.25\nactivation: silu\n"),
         "bottleneck": TEXT.format(block="bottleneck", more="")}

if INSIDE in sys.argv:
    import numpy as np
    import torch
    from torch.nn import functional as F

    from edgeprobe.family.description import Wrong, read_network
    from edgeprobe.family.network import Interpreter, initial_weights
    from edgeprobe.family.supernet import Subnet
    from edgeprobe.family.supernet_learner import SupernetLearner
    from edgeprobe.family.training import training_of

    def networks(folder, text, name="net"):
        path = folder / f"{name}.yml"
        path.write_text(text)
        told = folder / f"{name}.json"
        subprocess.run([EXECUTABLE, "stretch", "generate", path, "--network", told, "--force"], check=True, stdout=subprocess.DEVNULL)
        return read_network(told)

    class SubnetTest(unittest.TestCase):
        def setUp(self):
            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            self.folder = pathlib.Path(folder.name)

        def pair(self, kind):
            text = KINDS[kind]
            largest = networks(self.folder, text, "largest")
            narrow = text.replace("{width: 12, depth: 2}", "{width: 8, depth: 1}").replace("{width: 16, depth: 2}, ", "{width: 12, depth: 1}, ")
            module = Interpreter(largest)
            module.set_weights(initial_weights(largest, 3, False))
            return largest, networks(self.folder, narrow, "narrow"), module

        def test_a_subnet_is_the_network_with_its_share_of_the_weights(self):
            data = torch.randn(3, 12, 3, 16, 16, generator=torch.Generator().manual_seed(1))
            for kind in KINDS:
                _, narrow, module = self.pair(kind)
                subnet = Subnet(module, narrow)
                subnet.settle(data[:2])
                own = Interpreter(narrow)
                arrays = subnet.arrays()
                self.assertEqual({name: value.shape for name, value in arrays.items()}, {name: tuple(shape) for name, shape in narrow.parameters().items()})
                own.set_weights(arrays)
                np.testing.assert_allclose(subnet(data[2], False).detach().numpy(), own.eval()(data[2]).detach().numpy(), atol=1e-6)
                # The second branch of the first stage follows the channels of the first one, which has all of its own.
                if kind == "basic":
                    whole = module.state_dict()["s2.branches.0.b1.f.a.weight"].numpy()
                    np.testing.assert_array_equal(arrays["s2.branches.0.b1.f.a.weight"], whole[:12, [*range(8), *range(8, 16)]])

        def test_statistics_are_those_of_pytorchs_norm(self):
            data = torch.randn(2, 12, 3, 16, 16, generator=torch.Generator().manual_seed(2))
            _, narrow, module = self.pair("basic")
            subnet = Subnet(module, narrow)
            subnet.settle(data)
            own = Interpreter(narrow)
            own.set_weights(subnet.arrays())
            norms = dict(own.named_modules())
            first = norms["stem.bn"]
            first.momentum = 1.0
            means = []
            own.train()
            for values in data:
                own(values)
                means.append((first.running_mean.clone(), first.running_var.clone()))
            np.testing.assert_allclose(subnet.statistics["stem.bn"][0], sum(one[0] for one in means) / 2, atol=1e-6)
            np.testing.assert_allclose(subnet.statistics["stem.bn"][1], sum(one[1] for one in means) / 2, atol=1e-6)

        def test_a_step_adds_the_gradients_of_all_networks(self):
            largest, narrow, _ = self.pair("basic")
            training = training_of({**largest.training, "OPTIM": {"BASE_LR": .1, "MOMENTUM": 0.0, "NESTEROV": False, "WEIGHT_DECAY": 0.0, "EMA_UPDATE_PERIOD": 0}}, {})
            weights = initial_weights(largest, 3, False)
            learner = SupernetLearner([largest, narrow], training, weights, "cpu", 1, 4)
            learner.begin("all", .1)
            rng = np.random.default_rng(0)
            values, labels = rng.standard_normal((12, 3, 16, 16)).astype(np.float32), rng.integers(0, 3, 12)
            learner.step(values, labels, False)
            module = Interpreter(largest)
            module.set_weights(weights)
            module.train()
            taken, wanted = torch.from_numpy(values), torch.from_numpy(labels)
            scores = module(taken)
            soft = F.softmax(scores.detach(), 1)
            loss = F.cross_entropy(scores, wanted) + F.cross_entropy(Subnet(module, narrow)(taken, True), soft)
            loss.backward()
            for name, value in module.named_parameters():
                np.testing.assert_allclose(learner.model.get_parameter(name).detach(), (value - .1 * value.grad).detach(), atol=1e-6, err_msg=name)

        def test_networks_of_a_step_depend_on_its_place_only(self):
            largest, narrow, _ = self.pair("basic")
            learner = SupernetLearner([largest, *[narrow] * 9], training_of(largest.training, {}), initial_weights(largest, 1, False), "cpu", 5, 4)
            learner.epoch, learner.iteration = 2, 7
            drawn = learner.drawn()
            self.assertEqual((len(drawn), drawn[0]), (3, 1))
            self.assertEqual(learner.drawn(), drawn)
            learner.iteration = 8
            self.assertNotEqual([learner.drawn() for learner.iteration in range(8, 12)], [drawn] * 4)

        def test_networks_that_share_no_weights_are_refused(self):
            largest, _, module = self.pair("basic")
            for changed, words in [(("{width: 12, depth: 2}", "{width: 16, depth: 2}"), "no part"), (("{width: 12, depth: 2}", "{width: 12, depth: 3}"), "not one of"),
                                   (("stem: {width: 6}", "stem: {width: 8}"), "")]:
                text = KINDS["basic"].replace(*changed)
                with self.assertRaises(Wrong) as caught:
                    Subnet(module, networks(self.folder, text, "other"))
                self.assertIn(words, str(caught.exception))
else:
    sys.path.insert(0, str(ROOT / "tests/cli"))
    import tool

    class TrainTest(tool.ToolTest):
        def test_a_supernet_is_trained_and_its_networks_ranked(self):
            import numpy as np
            from PIL import Image

            rng = np.random.default_rng(4)
            for part, count in (("train", 24), ("val", 8)):
                for label, colour in enumerate(((200, 40, 40), (40, 200, 40), (40, 40, 200))):
                    folder = self.folder / "data" / part / "abc"[label]
                    folder.mkdir(parents=True)
                    for i in range(count):
                        noise = rng.integers(-40, 40, (16, 16, 3))
                        Image.fromarray(np.clip(np.array(colour) + noise, 0, 255).astype(np.uint8)).save(folder / f"{i}.png")
            net = self.folder / "net.yml"
            net.write_text(KINDS["basic"])
            out, told = self.folder / "s.safetensors", self.folder / "s.json"
            tool.run("stretch", "train", net, self.folder / "data", "--labels", "folders", "--subnets", 6, "--output", out, "--json", told, "--python",
                     torch_pythons.found()[0], expect=0)
            ranking = json.loads(told.read_text())["ranking"]
            self.assertEqual(sorted(row["number"] for row in ranking), list(range(6)))
            accuracies = [row["validation_accuracy"] for row in ranking]
            self.assertEqual(accuracies, sorted(accuracies, reverse=True))
            self.assertGreater(accuracies[0], 0.8)
            self.assertEqual(sum("weights" in row for row in ranking), 5)
            # The weights of a ranked network are those of its own: the executed model is as accurate as its row says.
            best = ranking[0]
            shapes = json.loads(pathlib.Path(best["file"]).read_text())
            self.assertEqual(shapes["classes"], 3)
            done = tool.run("stretch", "train", best["file"], self.folder / "data", "--labels", "folders", "--subnets", 6, "--output", out, expect=2)
            self.assertIn("--subnets needs a configuration", done.err)


if __name__ == "__main__":
    if INSIDE in sys.argv:
        unittest.main(argv=[sys.argv[0]])
    pythons = torch_pythons.found()
    if not pythons:
        print("skipped: no Python with PyTorch (apt-get install python3-torch, or EDGEPROBE_TORCH_PYTHON)")
        sys.exit(77)
    for python in pythons:
        subprocess.run([python, __file__, EXECUTABLE, INSIDE], check=True)
    tool.main()
