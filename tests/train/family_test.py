# SPDX-License-Identifier: Apache-2.0
"""The part of a network's training that needs no framework: its description, its schedule by pycls' documented formulas, files of weights."""
import copy
import io
import json
import math
import pathlib
import pickle
import struct
import sys
import tempfile
import unittest
import zipfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "python"))
sys.path.insert(0, str(HERE))
import networks  # noqa: E402
from edgeprobe.family import safetensors  # noqa: E402
from edgeprobe.family.description import Wrong, read_network  # noqa: E402
from edgeprobe.family.training import training_of  # noqa: E402
from edgeprobe.family.weights import load_weights  # noqa: E402
from edgeprobe.train.talk import Trouble  # noqa: E402


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class DescriptionTest(FolderTest):
    def read(self, told):
        return read_network(networks.write(self.folder / "net.json", told))

    def test_parameters_have_the_names_and_shapes_of_modules(self):
        net = self.read(networks.every_kind().network("n", 3))
        found = net.parameters()
        self.assertEqual(found["stem.conv.weight"], (8, 3, 3, 3))
        self.assertEqual(found["s1.branches.1.b1.f.b.weight"], (8, 2, 3, 3))
        self.assertEqual(found["s2.b1.dwise.weight"], (32, 1, 3, 3))
        self.assertEqual(found["s2.b1.se.f_ex.0.bias"], (4,))
        self.assertEqual(found["s4.b1.bn.running_var"], (24,))
        self.assertEqual(found["head.fc.weight"], (3, 24))
        self.assertEqual(net.layers[-1].shape, (3, 1, 1))
        self.assertEqual([layer.shape for layer in net.layers if layer.name == "s4.b1.af"], [(24, 2, 2)])

    def refused(self, words, change):
        told = networks.every_kind().network("n", 3)
        change(told)
        with self.assertRaisesRegex(Wrong, words):
            self.read(told)

    def test_what_is_no_network_is_named(self):
        def layer(told, name):
            return next(one for one in told["layers"] if one["name"] == name)
        self.refused("version 2", lambda t: t.update(edgeprobe_network=2))
        self.refused("is no network: 'edgeprobe stretch generate", lambda t: t.pop("edgeprobe_network"))
        self.refused("layer 's2.b1.exp': 'in' is 15, and its input has 16 channels", lambda t: layer(t, "s2.b1.exp").update({"in": 15}))
        self.refused("layer 's1.branches.1.b1.f.b': 3 groups", lambda t: layer(t, "s1.branches.1.b1.f.b").update(groups=3))
        self.refused("layer 's3.b1.moved': takes channels 9 to 16 of 16", lambda t: layer(t, "s3.b1.moved").update(first=9))
        self.refused("layer 's2.b2.sum': its input 's9' is no layer before it", lambda t: layer(t, "s2.b2.sum").update(inputs=["s9", "s2.b1.exp"]))
        self.refused("layer 'stem.conv_af': 'op' is 'gelu'", lambda t: layer(t, "stem.conv_af").update(op="gelu"))
        self.refused("layer 'stem.conv': 'kernel' is 1000; expected a whole number of 1 to", lambda t: layer(t, "stem.conv").update(kernel=1000))
        self.refused("layer 's1.merge': 'inputs': concat takes", lambda t: layer(t, "s1.merge").update(inputs=[]))
        self.refused("layer 'stem.conv': is there twice", lambda t: t["layers"].insert(1, copy.deepcopy(t["layers"][0])))
        self.refused("'classes' is 4, and the last layer gives 3", lambda t: t.update(classes=4))
        self.refused("'output' is 's1.merge'", lambda t: t.update(output="s1.merge"))
        self.refused("'input'\\[1\\] is 0", lambda t: t.update(input=[3, 0, 8]))
        (self.folder / "bad.json").write_text("{")
        with self.assertRaisesRegex(Wrong, "is no JSON"):
            read_network(self.folder / "bad.json")


class ScheduleTest(unittest.TestCase):
    """Formulas of pycls' documentation: OPTIM in its config.py."""

    def rates(self, epochs, **keys):
        made = training_of({"OPTIM": {key.upper(): value for key, value in keys.items()}}, {})
        return [made.rate(epoch) for epoch in epochs]

    def test_policies(self):
        np.testing.assert_allclose(self.rates([0, 50, 100, 150], base_lr=.4), [.4, .4 * (1 + math.sqrt(.5)) / 2, .2, .4 * (1 - math.sqrt(.5)) / 2])
        np.testing.assert_allclose(self.rates([0, 100], base_lr=2., min_lr=.1), [2, 1.1])
        np.testing.assert_allclose(self.rates([0, 5, 10], base_lr=3., lr_policy="exp", min_lr=.01, max_epoch=10), [3, .3, .03])
        np.testing.assert_allclose(self.rates([0, 3, 6], base_lr=1., lr_policy="exp2", step=3., lr_mult=.5), [1, .5, .25])
        np.testing.assert_allclose(self.rates([0, 5, 9], base_lr=1., lr_policy="lin", min_lr=.2, max_epoch=10), [1, .6, .28])
        np.testing.assert_allclose(self.rates([0, 29, 30, 60, 99], base_lr=.1, lr_policy="steps", steps=[0, 30, 60, 90], lr_mult=.1),
                                   [.1, .1, .01, .001, .0001])

    def test_warm_up(self):
        told = {"base_lr": 1., "lr_policy": "steps", "steps": [0], "warmup_epochs": 5}
        np.testing.assert_allclose(self.rates(range(7), **told), [.1, .28, .46, .64, .82, 1, 1])
        np.testing.assert_allclose(self.rates([0, 1], **told, warmup_factor=.5), [.5, .6])

    def test_the_average_takes_its_share(self):
        made = training_of({"OPTIM": {"MAX_EPOCH": 100, "WARMUP_EPOCHS": 5}, "TRAIN": {"BATCH_SIZE": 256}}, {})
        self.assertEqual([made.average_share(0, step) for step in (0, 1, 31, 32)], [1, 0, 0, 1])
        self.assertAlmostEqual(made.average_share(5, 64), 1e-5 * 256 / 100 * 32)
        self.assertEqual(training_of({"OPTIM": {"EMA_ALPHA": 1.}}, {}).average_share(9, 0), 1)
        self.assertEqual(training_of({"OPTIM": {"EMA_UPDATE_PERIOD": 0}}, {}).average_share(9, 0), 0)

    def test_defaults_and_decay(self):
        made = training_of({}, {"max_epoch": 7})
        self.assertEqual((made.optimizer, made.nesterov, made.momentum, made.warmup_factor, made.ema_alpha, made.ema_update_period, made.max_epoch, made.use_precise_stats),
                         ("sgd", True, .9, .1, 1e-5, 32, 7, True))
        made = training_of({"OPTIM": {"WEIGHT_DECAY": .5, "BIAS_USE_CUSTOM_WEIGHT_DECAY": True}, "BN": {"USE_CUSTOM_WEIGHT_DECAY": True, "CUSTOM_WEIGHT_DECAY": .25}}, {})
        self.assertEqual([made.decay_of(*which) for which in ((True, False), (True, True), (False, True), (False, False))], [.25, .25, 0, .5])

    def test_what_cannot_be_is_named(self):
        for keys, words in (({"LR_POLICY": "exp3"}, "OPTIM.LR_POLICY is 'exp3'; expected cos, exp2, exp, lin, steps"), ({"LR_POLICY": "exp"}, "needs an OPTIM.MIN_LR above 0"),
                            ({"LR_POLICY": "steps"}, "expected epochs that begin with 0"), ({"LR_POLICY": "steps", "STEPS": [0, 9, 4]}, "and grow"),
                            ({"OPTIMIZER": "lion"}, "expected sgd, adam, adamw"), ({"DAMPENING": .1}, "NESTEROV needs"), ({"MAX_EPOCH": 0}, "OPTIM.MAX_EPOCH is 0; expected a whole number of 1"),
                            ({"BASE_LR": "much"}, "OPTIM.BASE_LR is 'much'; expected a number, at least 0"), ({"NESTEROV": 1}, "expected true or false"), ({"BASE_LR": float("nan")}, "expected a number")):
            with self.assertRaisesRegex(Wrong, words):
                training_of({"OPTIM": keys}, {})


class SafetensorsTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "w.safetensors"

    def written(self, header, body=b"", size=None):
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        self.path.write_bytes(struct.pack("<Q", len(text) if size is None else size) + text + body)
        return self.path

    def test_values_return(self):
        values = {"b": np.arange(6, dtype=np.float32).reshape(2, 3), "a": np.float32(2.5).reshape(()), "none": np.zeros((0, 4), np.float32)}
        self.path.write_bytes(safetensors.packed(values))
        found = safetensors.read(self.path)
        self.assertEqual(list(found), list(values))
        for name, value in values.items():
            np.testing.assert_array_equal(found[name], value)
        # By the format's own words: 8 bytes of length, JSON, values in place.
        data = self.path.read_bytes()
        (size,) = struct.unpack("<Q", data[:8])
        told = json.loads(data[8:8 + size])
        begin, end = told["b"]["data_offsets"]
        self.assertEqual(np.frombuffer(data[8 + size + begin:8 + size + end], "<f4").tolist(), list(range(6)))

    def test_types(self):
        body = np.array([1.5, -2], "<f2").tobytes() + np.array([0x3FC0, 0xC000], "<u2").tobytes()
        self.written({"__metadata__": {"x": "y"}, "h": {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]}, "b": {"dtype": "BF16", "shape": [2], "data_offsets": [4, 8]}}, body)
        found = safetensors.read(self.path)
        self.assertEqual((found["h"].tolist(), found["b"].tolist()), ([1.5, -2], [1.5, -2]))

    def test_broken_files(self):
        one = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
        for words, file in (("longer than the file", (b"{}", b"", 99)), ("no JSON", (b"{x", b"")), ("no object", (b"[]", b"")),
                            ("a name twice", (b'{"a":{},"a":{}}', b"")), ("needs 8 bytes", ({"a": {**one, "shape": [2]}}, b"1234")),
                            ("bytes 0 to 4 of 3", ({"a": one}, b"123")), ("begins at byte 0", ({"a": one, "b": one}, b"1234")),
                            ("begins at byte 8", ({"a": {**one, "data_offsets": [8, 12]}}, b"1" * 12)), ("2 bytes at its end", ({"a": one}, b"123456")),
                            ("of type 'F5'", ({"a": {**one, "dtype": "F5"}}, b"1234")), ("no shape", ({"a": {**one, "shape": [-1]}}, b"1234")),
                            ("of type 3", ({"a": 3}, b""))):
            with self.assertRaisesRegex(safetensors.Broken, words):
                safetensors.read(self.written(*file))
        self.path.write_bytes(b"123")
        with self.assertRaises(safetensors.Broken):
            safetensors.read(self.path)


class Harmless:
    """Pickled, it names a function that a reader would call."""

    def __reduce__(self):
        return (len, ((1, 2),))


class WeightsTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.network = read_network(networks.write(self.folder / "net.json", networks.every_kind().network("n", 3)))
        self.arrays = {name: np.full(shape, .5, np.float32) for name, shape in self.network.parameters().items()}

    def load(self, arrays):
        (self.folder / "w.safetensors").write_bytes(safetensors.packed(arrays))
        return load_weights(str(self.folder / "w.safetensors"), self.network)

    def refused(self, words, arrays):
        with self.assertRaisesRegex(Trouble, words):
            self.load(arrays)

    def test_the_first_tensor_that_differs_is_named(self):
        found, notes = self.load({**self.arrays, "stem.conv_bn.num_batches_tracked": np.zeros(())})
        self.assertEqual(list(found), list(self.arrays))
        self.assertEqual(notes, [f"{len(found)} tensors from 'w.safetensors'"])
        found, _ = self.load({"module." + name: value for name, value in self.arrays.items()})
        self.assertEqual(list(found), list(self.arrays))
        self.refused(r"tensor 6 of the network, 's1.branches.0.b1.f.a.weight', is \[8, 8, 3, 3\]; the file has \[8, 8, 1, 1\]",
                     {**self.arrays, "s1.branches.0.b1.f.a.weight": np.zeros((8, 8, 1, 1))})
        self.refused(r"'head.fc.bias', is \[3\], and the file has none of this name", {name: value for name, value in self.arrays.items() if name != "head.fc.bias"})
        self.refused(r"the network has no 'extra' \[2\]", {**self.arrays, "extra": np.zeros(2)})
        self.refused("'head.fc.bias' holds values that are no finite numbers", {**self.arrays, "head.fc.bias": np.full(3, np.inf)})

    def test_files_that_would_run_code_are_refused(self):
        path = self.folder / "model.pyth"
        for protocol in (2, 4):
            content = io.BytesIO()
            with zipfile.ZipFile(content, "w") as archive:
                archive.writestr("model/data.pkl", pickle.dumps({"model_state": Harmless()}, protocol))
                archive.writestr("model/version", "3")
            path.write_bytes(content.getvalue())
            with self.assertRaisesRegex(Trouble, "'model.pyth' names '(__builtin__|builtins).len', which would run"):
                load_weights(str(path), self.network)
        path.write_bytes(pickle.dumps(Harmless(), 2))
        with self.assertRaisesRegex(Trouble, "An older one is a pickle, which runs code when it is read"):
            load_weights(str(path), self.network)
        path.write_bytes(b"PK\x03\x04 and no archive")
        with self.assertRaisesRegex(Trouble, "is damaged"):
            load_weights(str(path), self.network)
        path.write_bytes(b"")
        with self.assertRaises(Trouble):
            load_weights(str(path), self.network)


if __name__ == "__main__":
    unittest.main(verbosity=2)
