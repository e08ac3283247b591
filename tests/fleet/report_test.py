# SPDX-License-Identifier: Apache-2.0
"""A fleet of devices: the example app records each device with its facts, `report` names the facts that go with failures.

report_test.py EDGEPROBE CLASSIFIER"""
import itertools
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODELS = ROOT / "models"
ENGINE = ROOT / ".deps/engines/libjnitensorflowlite.so"
EDGEPROBE = CLASSIFIER = None
FRAMES = 12


def run(*args, expect=0):
    done = subprocess.run([EDGEPROBE, *map(str, args)], capture_output=True, text=True, timeout=600)
    assert done.returncode == expect, f"{done.returncode}: {args}\n{done.stdout}\n{done.stderr}"
    return done


def exact(counts):
    """Freeman and Halton's test of (failing, passing) for each value, in integers; for two values, Fisher's test."""
    sizes, failing = [a + b for a, b in counts], sum(a for a, _ in counts)
    ways = lambda split: math.prod(math.comb(n, k) for n, k in zip(sizes, split))
    least = ways([a for a, _ in counts])
    all_ways = [ways(split) for split in itertools.product(*(range(n + 1) for n in sizes)) if sum(split) == failing]
    return sum(w for w in all_ways if w <= least) / sum(all_ways)


class FleetReport(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not ENGINE.exists():
            raise unittest.SkipTest("no TensorFlow Lite library (script/setup --test brings it)")
        cls.root = tempfile.TemporaryDirectory(prefix="edgeprobe_fleet_")
        cls.recorded = pathlib.Path(cls.root.name) / "recorded"
        cls.recorded.mkdir()
        cls.pictures = pathlib.Path(cls.root.name) / "pictures"
        cls.pictures.mkdir()
        for picture in sorted((MODELS / "data/test").iterdir())[:FRAMES]:
            shutil.copy(picture, cls.pictures)
        for i in range(12):
            bad = i % 3 == 0
            facts = {"device_id": f"phone {i}", "soc": "G3" if bad else ("G1", "G2")[i % 2], "driver": "535.2" if bad else ("530.1", "531.7")[i % 2],
                     "os_build": ("UQ1A", "UQ2B")[i // 2 % 2], "library": "tflite", "vendor": "<i>\x1b[31mACME" if bad else "other"}
            cls.record(f"phone_{i:02}.mcap", "--channels=bgr" if bad else "--channels=rgb", facts)
        run("run", MODELS / "signs_int8.tflite", "--recipe", (MODELS / "signs.recipe").read_text().strip() + " | quantize(model)", "--data", cls.pictures,
            "--labels", MODELS / "data/labels.csv", "--trace", cls.recorded / "reference.mcap")

    @classmethod
    def tearDownClass(cls):
        cls.root.cleanup()

    @classmethod
    def record(cls, name, channels, facts):
        done = subprocess.run([CLASSIFIER, MODELS / "signs_int8.tflite", cls.pictures, f"--engine={ENGINE}", "--labels", MODELS / "data/labels.csv",
                               channels, "--trace", cls.recorded / name, *(f"--fact={k}={v}" for k, v in facts.items())],
                              capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="edgeprobe_fleet_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def take(self, *names):
        for name in names:
            (self.folder / name).symlink_to(self.recorded / name)

    def report(self, *more):
        return json.loads(run("report", self.folder, "--json", *more).stdout)["fleet"]

    def test_what_the_failing_devices_share_is_told_with_its_alias(self):
        self.take(*(p.name for p in self.recorded.iterdir()))
        page = self.folder / "page.html"
        fleet = self.report("--html", page)
        self.assertEqual([d["name"] for d in fleet["devices"] if d["fails"]], ["phone 0", "phone 3", "phone 6", "phone 9"])
        self.assertEqual(len(fleet["devices"]), 12)
        rows = json.loads(run("report", self.folder, "--json").stdout)["rows"]
        self.assertEqual({row["disagreement"]["frames"] for row in rows if not row["reference"]}, {FRAMES})
        tests = {name: test for test in fleet["tests"] for name in test["facts"]}
        told = tests["soc"]
        self.assertIs(told, tests["driver"])
        self.assertEqual(tests["vendor"]["facts"], ["vendor"])  # The vendor has two values, the SoC three: another test on the same devices.
        self.assertEqual((told["values"], told["value_failing"], told["value_devices"], told["tells"]), (["535.2", "G3"], 4, 4, True))
        self.assertAlmostEqual(told["p"], exact([(4, 0), (0, 4), (0, 4)]), places=12)
        self.assertAlmostEqual(told["p_corrected"], (fleet["tested"] - 1) * told["p"], places=12)  # Holm: the vendor's p is smaller
        self.assertEqual(fleet["cannot_be_told_apart"], [["vendor", "driver", "soc"]])
        build = tests["os_build"]
        failing = sum(i // 2 % 2 == 0 for i in (0, 3, 6, 9))
        self.assertAlmostEqual(build["p"], exact([(failing, 6 - failing), (4 - failing, 2 + failing)]), places=12)
        self.assertFalse(build["tells"])
        for shown in (" ".join(run("report", self.folder).stdout.split()), page.read_text().replace("&#39;", "'")):
            self.assertIn("4 of 12 devices fail.", shown)
            self.assertIn("driver '535.2', soc 'G3' (on the same devices: they cannot be distinguished): with it 4 of 4 fail, without 0 of 8", shown)
            self.assertNotIn("\x1b", shown)
        self.assertNotIn("<i>", page.read_text())
        self.assertLessEqual(max(map(len, run("report", self.folder).stdout.splitlines())), 110)

    def test_too_few_devices_are_too_few(self):
        self.take("reference.mcap", *(f"phone_{i:02}.mcap" for i in (0, 3, 6, 1, 2)))
        fleet = self.report()
        self.assertTrue(fleet["too_few"])
        self.assertAlmostEqual(fleet["least_p"], 0.1, places=12)
        self.assertFalse(any(test["tells"] for test in fleet["tests"]))
        text = " ".join(run("report", self.folder).stdout.split())
        self.assertIn("Too few devices to tell: the smallest possible p with 3 of 5 failing is 0.1, and cannot reach 0.05.", text)
        self.assertIn("A lead, no evidence: every device that fails and no other has driver '535.2', soc 'G3', vendor '", text)

    def test_a_list_or_verdicts_say_which_fail(self):
        self.take(*(f"phone_{i:02}.mcap" for i in range(12)))
        self.assertIsNone(self.report(), "neither reference, list nor verdicts")
        listed = self.folder / "failing.txt"
        listed.write_text("# seen in the field\nphone_01\nphone 2\nphone_03.mcap\n")
        fleet = self.report("--failing", listed)
        self.assertEqual([d["name"] for d in fleet["devices"] if d["fails"]], ["phone 1", "phone 2", "phone 3"])
        self.assertIn("--failing", fleet["rule"])
        listed.write_text("phone_1l.mcap\n")
        self.assertIn("did you mean 'phone_1", run("report", self.folder, "--failing", listed, expect=2).stderr)
        for i in (0, 1):
            run("diagnose", self.folder / f"phone_{i:02}.mcap", "--reference-trace", self.recorded / "reference.mcap", "--json", self.folder / f"phone_{i:02}.json",
                expect=(3, 0)[i])
        fleet = self.report()
        self.assertEqual({d["name"]: d["fails"] for d in fleet["devices"]}, {"phone 0": True, "phone 1": False})
        self.assertEqual(len(fleet["unknown"]), 10)

    def test_two_traces_of_one_device_are_one(self):
        self.take("reference.mcap", "phone_00.mcap", "phone_01.mcap")
        (self.folder / "again.mcap").symlink_to(self.recorded / "phone_00.mcap")
        self.assertEqual([d["name"] for d in self.report()["devices"]], ["phone 0", "phone 1"])


if __name__ == "__main__":
    EDGEPROBE, CLASSIFIER = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main(verbosity=2)
