# SPDX-License-Identifier: Apache-2.0
"""--split: parts of a data set, against the rules of docs/guides/datasets.md in Python. data_split_test.py EDGEPROBE"""
import hashlib
import json
import os
import shutil

import numpy as np
from mcap.reader import make_reader

import tool
from tool import MODELS, RECIPE, ToolTest, run

MODEL = MODELS / "signs_float.tflite"
BILLION = 10**9


def wanted(sizes, first_keys, share):
    """How many samples of each class a part gets: whole numbers in proportion, the rest to the largest remainders."""
    share = round(share * BILLION)
    counts = {name: size * share // BILLION for name, size in sizes.items()}
    left = (sum(sizes.values()) * share + BILLION // 2) // BILLION - sum(counts.values())
    for name in sorted(sizes, key=lambda name: (-(sizes[name] * share % BILLION), first_keys[name]))[:left]:
        counts[name] += 1
    return counts


def parts(samples, test=0.2, validation=0.0, seed=1234):
    """{name: part} of samples {name: (content, class)}."""
    classes = {}
    for name, (content, label) in samples.items():
        key = hashlib.sha256(f"{seed}:{hashlib.sha256(content).hexdigest()}".encode()).hexdigest()
        classes.setdefault(label, {}).setdefault(key, []).append(name)
    sizes = {label: sum(map(len, groups.values())) for label, groups in classes.items()}
    first = {label: min(groups) for label, groups in classes.items()}
    tests, validations = wanted(sizes, first, test), wanted(sizes, first, validation)
    found = {}
    for label, groups in classes.items():
        for key in sorted(groups):
            names, part = groups[key], "train"
            if tests[label] >= len(names):
                part, tests[label] = "test", tests[label] - len(names)
            elif validations[label] >= len(names):
                part, validations[label] = "validation", validations[label] - len(names)
            found |= dict.fromkeys(names, part)
    return found


def samples_of(trace):
    with open(trace, "rb") as file:
        return [json.loads(message.data)["sample"] for _, channel, message in make_reader(file).iter_messages() if channel.topic == "/frame"]


class DataSplit(ToolTest):
    def pictures(self, sizes, copies=0):
        """Folders of classes with different pictures; the first `copies` of each class twice."""
        files = iter(sorted((MODELS / "data" / "test").iterdir()))
        for label, size in enumerate(sizes):
            (self.folder / "data" / f"class{label}").mkdir(parents=True)
            for i in range(size):
                target = self.folder / "data" / f"class{label}" / f"{i}.png"
                shutil.copy(next(files), target)
                if i < copies:
                    shutil.copy(target, target.with_name(f"copy{i}.png"))
        return {str(path.relative_to(self.folder / "data")): (path.read_bytes(), path.parent.name)
                for path in sorted((self.folder / "data").rglob("*.png"))}

    def taken(self, *flags, expect=0, data=None, recipe=("--recipe", RECIPE)):
        """The names of the samples that `run` takes, and what it says."""
        trace = self.folder / "t.mcap"
        done = run("run", MODEL, *recipe, "--data", data or self.folder / "data", "--level", "io", "--trace", trace, "--force",
                   *flags, expect=expect)
        return (samples_of(trace) if expect == 0 else []), done.err

    def test_the_parts_are_those_of_the_written_rules(self):
        samples = self.pictures([11, 7, 23], copies=2)
        for test, validation, seed in ((0.2, 0, 1234), (0.25, 0.15, 7), (0.5, 0.3, 0)):
            expected = parts(samples, test, validation, seed)
            for part in ("train", "validation", "test"):
                if part == "validation" and not validation:
                    continue
                names, _ = self.taken("--labels", "folders", "--split-fraction-test", test, "--split-fraction-val", validation, "--split-seed", seed,
                                      "--split", part)
                self.assertEqual(names, [name for name in samples if expected[name] == part], (test, validation, seed, part))
        names, _ = self.taken("--labels", "folders", "--split-fraction-test", "20%")
        self.assertEqual(names, [name for name in samples if parts(samples)[name] == "test"])

    def test_other_names_and_times_give_the_same_parts(self):
        samples = self.pictures([9, 9])
        before, _ = self.taken("--labels", "folders", "--split", "test")
        for i, name in enumerate(sorted(samples, reverse=True)):
            path = self.folder / "data" / name
            path.rename(path.with_name(f"z{i}.png"))
            os.utime(path.with_name(f"z{i}.png"), (i, i))
        after, _ = self.taken("--labels", "folders", "--split", "test")
        self.assertEqual({(self.folder / "data" / name).read_bytes() for name in after}, {samples[name][0] for name in before})

    def test_frames_are_taken_from_the_part(self):
        samples = self.pictures([10, 10])
        test = [name for name in samples if parts(samples)[name] == "test"]
        names, _ = self.taken("--labels", "folders", "--split-fraction-test", 0.2, "--frames", 2)
        self.assertEqual(names, [test[0], test[2]])
        self.assertEqual(len(self.taken("--split", "all")[0]), 20)

    def test_arrays(self):
        values = np.random.default_rng(5).standard_normal((30, 64, 64, 3)).astype(np.float32)
        np.savez(self.folder / "d.npz", input=values, labels=np.arange(30) % 3)
        samples = {f"{i:04}": (b"input\n" + values[i].tobytes(), i % 3) for i in range(30)}
        names, _ = self.taken("--split", "test", data=self.folder / "d.npz", recipe=())
        self.assertEqual(names, [name for name in samples if parts(samples)[name] == "test"])

    def test_contradictions_are_reported(self):
        self.pictures([8, 8])
        shutil.copy(self.folder / "data/class0/3.png", self.folder / "data/class1/wrong.png")
        _, said = self.taken("--labels", "folders", "--split-fraction-test", 0.25)
        self.assertIn("1 sample has the content of another one, but a different annotation, such as 'class0/3.png' and 'class1/wrong.png'", said)

    def test_bad_values_are_refused(self):
        self.pictures([8, 1])
        refused = {("--split-fraction-test", "1.5"): "expected a share", ("--split-fraction-test", "1"): "from 0 to below 1",
                   ("--split-fraction-test", "0.6", "--split-fraction-val", "0.4"): "together 1 or more",
                   ("--split-fraction-test", "-0.1"): "expected a share", ("--split-seed", "x"): "expected a whole number",
                   ("--split", "some"): "some", ("--split", "all", "--split-fraction-test", "0.2"): "give one of the two",
                   ("--split", "validation"): "--split-fraction-val", ("--split-fraction-test", "0.01"): "would be empty",
                   ("--split", "test", "--labels", "folders"): "of class 1 there is only 'class1/0.png'"}
        for flags, words in refused.items():
            _, said = self.taken(*flags, expect=2)
            self.assertIn(words, said, flags)
            self.assertFalse((self.folder / "t.mcap").exists())


if __name__ == "__main__":
    tool.main()
