# SPDX-License-Identifier: Apache-2.0
"""Dataset plug-ins: the same samples as the built-in sources give, annotations, and a sentence for each fault.

dataset_test.py EDGEPROBE"""
import textwrap

import plugin_test  # noqa: F401
import numpy as np
import tool
import edgeprobe
from PIL import Image
from tool import MODELS, RECIPE, ToolTest, run

SOURCE = '''
import dataclasses, os, pathlib, time
import numpy as np
from PIL import Image
from edgeprobe.plugins import option

ROOT = pathlib.Path({root!r})

@dataclasses.dataclass
class Signs:
    form: str = "array"
    fault: str = ""
    label: str = "number"
    count: int = option(24, least=1)
    classes = ["stop", "go"]

    def samples(self):
        if self.fault == "list": raise OSError("no list")
        if self.fault == "none": return []
        if self.fault == "twice": return ["a", "a"]
        if self.fault == "names": return [3]
        return [path.name for path in sorted((ROOT / "test").iterdir())][:self.count]

    def annotation(self, name):
        number = int(name[5:9]) % 12
        if self.label == "name": return self.classes[number % 2]
        return {{"number": number, "set": {{number, 3}}, "unknown": {{"kinds": 1}}, "bad": -1}}.get(self.label, number)

    def load(self, name):
        at = int(name[5:9])
        if self.fault == "first" and at == 0: raise ValueError("bad sample")
        if at % 10 == 3:
            if self.fault == "sleep": time.sleep(1000)
            if self.fault == "raise": raise ValueError("bad sample")
            if self.fault == "abort": os.abort()
            if self.fault == "float": return np.zeros((4, 4, 3), np.float32)
            if self.fault == "complex": return {{"image": np.zeros(3, complex)}}
            if self.fault == "nothing": return None
        if self.form == "bytes": return (ROOT / "test" / name).read_bytes()
        with Image.open(ROOT / "test" / name) as picture:
            picture.load()
        if self.form == "pillow": return picture
        pixels = np.asarray(picture.convert("RGB"))
        if self.form == "big": return {{"image": (pixels[:64, :64].astype(">f4") / 127.5 - 1)[None].astype(">f4")}}
        if self.form == "dict": return {{"image": (pixels[:64, :64].astype(np.float32) / 127.5 - 1)[None]}}
        return pixels
'''


class DatasetTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "signs.py"
        self.file.write_text(textwrap.dedent(SOURCE.format(root=str(MODELS / "data"))))

    def load(self, trace):
        opened = edgeprobe.load(trace)
        self.addCleanup(opened.close)
        return opened

    def record(self, options="", expect=0, recipe=RECIPE, name="t.mcap"):
        trace = self.folder / name
        trace.unlink(missing_ok=True)
        flags = ["--recipe", recipe] if recipe else []
        return trace, run("run", MODELS / "signs_float.tflite", *flags, "--data", f"{self.file}:Signs?{options}" if options else f"{self.file}:Signs",
                          "--trace", trace, expect=expect)


class Samples(DatasetTest):
    def test_are_those_of_the_folder(self):
        """As arrays, Pillow images and bytes of files."""
        here = self.folder / "here.mcap"
        run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", MODELS / "data" / "test", "--trace", here, expect=0)
        wanted = self.load(here)
        output = next(channel.name for channel in wanted.channels if channel.stage == "model_output")
        values = {frame.sample: frame[f"model_output/{output}"] for frame in wanted.frames}
        for form in ("array", "pillow", "bytes"):
            with self.subTest(form):
                got = self.load(self.record(f"form={form}")[0])
                self.assertEqual(len(got.frames), 24)
                for frame in got.frames:
                    np.testing.assert_array_equal(frame[f"model_output/{output}"], values[frame.sample])

    def test_arrays_by_the_names_of_inputs(self):
        inputs = self.load(self.record("form=dict&count=3", recipe="")[0]).stack("model_input/image")
        for name, value in zip(sorted(path.name for path in (MODELS / "data" / "test").iterdir()), inputs):
            with Image.open(MODELS / "data" / "test" / name) as picture:
                np.testing.assert_array_equal(value[0], np.asarray(picture.convert("RGB"))[:64, :64].astype(np.float32) / 127.5 - 1)

    def test_check_finds_the_cause_with_its_labels(self):
        labels = self.folder / "labels.csv"
        labels.write_text((MODELS / "data" / "labels.csv").read_text())
        data = ["--data", f"{self.file}:Signs?count=480"]
        done = run("check", MODELS / "signs_float.tflite", "--recipe", RECIPE.replace("rgb", "bgr"), "--reference", MODELS / "signs_float.tflite",
                   "--reference-recipe", RECIPE, *data, "--labels", labels, expect=3)
        self.assertIn("the app feeds BGR", done.out)
        self.assertIn("n = 480", done.out)


    def test_big_endian_arrays(self):
        little, big = (self.load(self.record(f"form={form}&count=3", recipe="")[0]).stack("model_input/image") for form in ("dict", "big"))
        np.testing.assert_array_equal(little, big)

    def test_time_limit(self):
        trace = self.folder / "t.mcap"
        done = run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", f"{self.file}:Signs?fault=sleep&count=5", "--time-limit", 10, "--trace", trace,
                   expect=0)
        self.assertIn("it took longer than the limit of 10 s", done.out + done.err)
        self.assertEqual(len(self.load(trace).frames), 4)


class Annotations(DatasetTest):
    def labels(self, options):
        trace, _ = self.record(options)
        return [(frame.record.get("label"), frame.annotation) for frame in self.load(trace).frames]

    def test_numbers_names_and_sets(self):
        self.assertEqual([label for label, _ in self.labels("label=number&count=5")], [0, 1, 2, 3, 4])
        self.assertEqual([label for label, _ in self.labels("label=name&count=4")], [0, 1, 0, 1])
        sets = self.labels("label=set&count=5")
        self.assertEqual([a.value for _, a in sets if a], [[0, 3], [1, 3], [2, 3], [3, 4]])
        self.assertEqual(sets[3], (3, None))

    def test_one_that_no_task_reads(self):
        self.assertIn("is of the kind 'kinds' in a form that no task reads", self.record("label=unknown", expect=2)[1].err)
        self.assertIn("Signs.annotation returned -1 for 'sign_0000.png', expected the number of a class", self.record("label=bad", expect=1)[1].err)


class Faults(DatasetTest):
    def test_a_sample_that_fails_is_left_out(self):
        """The others are kept, even if the process ends."""
        for fault, words in {
            "raise": "Signs.load raises ValueError: bad sample (signs.py line",
            "abort": "its process ended with SIGABRT (Aborted), in load, signs.py line",
            "float": "Signs.load returned an array float32 [4,4,3]",
            "complex": "Signs.load returned 'image' of 'sign_0003.png' as complex128",
            "nothing": "Signs.load returned NoneType for 'sign_0003.png'; expected a picture",
        }.items():
            with self.subTest(fault):
                trace, done = self.record(f"fault={fault}")
                self.assertIn(words, done.out + done.err)
                names = [frame.sample for frame in self.load(trace).frames]
                self.assertEqual([int(name[5:9]) for name in names], [i for i in range(24) if i % 10 != 3])

    def test_the_first_sample_may_fail(self):
        trace, done = self.record("fault=first")
        self.assertIn("Signs.load raises ValueError: bad sample", done.out + done.err)
        self.assertEqual(len(self.load(trace).frames), 23)

    def test_a_list_that_is_none(self):
        for fault, words in {"list": "Signs.samples raises OSError: no list", "none": "Signs.samples returned no sample",
                             "twice": "Signs.samples returned the name 'a' twice", "names": "Signs.samples returned the name 3"}.items():
            with self.subTest(fault):
                self.assertIn(words, self.record(f"fault={fault}", expect=1)[1].err)

    def test_labels_of_other_samples(self):
        labels = self.folder / "labels.csv"
        labels.write_text("file,label\nother.png,1\n")
        done = run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", f"{self.file}:Signs", "--labels", labels, "--trace", self.folder / "t.mcap", expect=2)
        self.assertIn("--labels names none of the 24 samples", done.err)

    def test_wrong_names(self):
        for data, words in ((f"{self.file}:Sings", "has no class 'Sings'; did you mean 'Signs'?"),
                            (f"{self.file}:Signs?cuont=3", "Signs has no option 'cuont'; did you mean 'count'?"),
                            (f"{self.file}:Signs?count=0", "option 'count' is '0'; expected a whole number of at least 1"),
                            ("python:nobody", "dataset plug-in 'nobody' is unknown")):
            with self.subTest(data):
                done = run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", data, "--trace", self.folder / "t.mcap", expect=2)
                self.assertIn(words, done.err)


if __name__ == "__main__":
    tool.main()
