# SPDX-License-Identifier: Apache-2.0
"""The fixture assert_deploys, in runs of the real pytest."""
import pathlib
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree as xml

import support

import edgeprobe
from edgeprobe.verbs.deploying import explanation
from support import MODELS, ROOT

HEAD = f"""
import pathlib
import pytest

MODELS = pathlib.Path({str(MODELS)!r})
GOOD = (MODELS / "signs.recipe").read_text().strip()
AGAINST = dict(reference=MODELS / "signs_float.tflite", reference_recipe=MODELS / "signs.recipe")
WITH = dict(data=MODELS / "data" / "test", labels=MODELS / "data" / "labels.csv", level="io", frames=24, **AGAINST)
FAULTY = GOOD.replace("rgb", "bgr") + " | quantize(model)"
INT8 = MODELS / "signs_int8.tflite"
"""
VERDICTS = """
def test_float(assert_deploys):
    verdict = assert_deploys(MODELS / "signs_float.tflite", recipe=GOOD, **WITH)
    assert verdict.agrees and verdict.task.target > 0.8

@pytest.mark.parametrize("order", ["a b"])
def test_faulty(assert_deploys, order):
    assert_deploys(MODELS / "signs_float.tflite", recipe=GOOD, **WITH)
    assert_deploys(INT8, recipe=FAULTY, **WITH)

def test_trace(assert_deploys):
    assert_deploys("app.mcap", **AGAINST)

@pytest.mark.parametrize("undecided", ["fail", "skip", "pass"])
def test_undecided(assert_deploys, undecided):
    assert_deploys("good.mcap", undecided=undecided, reference=MODELS / "signs_float.tflite")

def test_own_page(assert_deploys):
    assert_deploys("app.mcap", html="own.html", **AGAINST)

def test_without_data(assert_deploys):
    assert_deploys(INT8)

def test_without_a_file(assert_deploys):
    assert_deploys("absent.tflite", **WITH)

def test_wrong_word(assert_deploys):
    assert_deploys("good.mcap", undecided="maybe")
"""
WATCH = """
import sys

def pytest_sessionfinish():
    print("\\nheavy:", sorted(name for name in sys.modules if name.startswith(("numpy", "mcap", "edgeprobe."))))
"""


class PytestTest(support.PackageTest):
    def run_pytest(self, text, *flags, expect=1):
        """The output, and {name of a test: its element in JUnit's report}."""
        (self.folder / "test_net.py").write_text(HEAD + text)
        done = subprocess.run([sys.executable, "-m", "pytest", "-p", "edgeprobe.pytest_plugin", "-p", "no:cacheprovider", "--junitxml=r.xml", "-q",
                               f"--basetemp={self.folder / 'temporary'}", *flags], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done.stdout, {case.get("name"): case for case in xml.parse(self.folder / "r.xml").iter("testcase")}

    def test_pytest_starts_without_what_it_does_not_use(self):
        (self.folder / "conftest.py").write_text(WATCH)
        said, _ = self.run_pytest("def test_nothing():\n    pass\n", "-s", expect=0)
        self.assertIn("heavy: ['edgeprobe.folders', 'edgeprobe.pytest_plugin']", said)

    def test_verdicts_pass_fail_and_are_skipped(self):
        recipe = (MODELS / "signs.recipe").read_text().strip()
        edgeprobe.run(MODELS / "signs_float.tflite", MODELS / "data" / "test", trace=self.folder / "good.mcap", frames=6, recipe=recipe)
        edgeprobe.run(MODELS / "signs_int8.tflite", MODELS / "data" / "test", trace=self.folder / "app.mcap", frames=24, undeclared=True,
                      recipe=recipe.replace("rgb", "bgr") + " | quantize(model)")
        _, cases = self.run_pytest(VERDICTS, "--edgeprobe-report", "pages")
        ended = {name: next((child.tag for child in case if child.tag != "properties"), "passed") for name, case in cases.items()}
        self.assertEqual(ended, {"test_float": "passed", "test_faulty[a b]": "failure", "test_trace": "failure", "test_undecided[fail]": "failure",
                                 "test_undecided[skip]": "skipped", "test_undecided[pass]": "passed", "test_own_page": "failure",
                                 "test_without_data": "failure", "test_without_a_file": "failure", "test_wrong_word": "failure"})

        pages = {path.name: path for path in (self.folder / "pages").iterdir()}
        self.assertEqual(len(pages), 7, sorted(pages))
        self.assertIn("test_net.py-test_float.html", pages)
        self.assertIn("test_net.py-test_undecided-skip.html", pages)
        page = self.page_of(cases["test_faulty[a b]"])
        self.assertRegex(page.name, r"^test_net\.py-test_faulty-a-b-[0-9a-f]{8}-2\.html$")
        self.assertIn("the app feeds BGR", page.read_text())

        failure = cases["test_faulty[a b]"].find("failure")
        self.assertIn("edgeprobe.DeploymentFailed: the app feeds BGR; the reference feeds RGB", failure.get("message"))
        for line in ("cause        channel_order (confirmed): the app feeds BGR", "fix          color(rgb)", "opencv       img = cv2.cvtColor(", f"page         {page}"):
            self.assertIn(line, failure.text)
        self.assertIn("assert_deploys(INT8, recipe=FAULTY, **WITH)", failure.text)
        self.assertNotIn("deploying.py", failure.text)  # the traceback ends in the test
        headline = [one.get("value") for one in cases["test_faulty[a b]"].iter("property") if one.get("name") == "edgeprobe_headline"]
        self.assertTrue(headline[0].startswith("the app feeds BGR"), headline)

        self.assertIn("channel_order (confirmed)", cases["test_trace"].find("failure").text)
        self.assertIn("would decide", cases["test_undecided[fail]"].find("failure").text)
        self.assertIn("--reference-recipe R", cases["test_undecided[skip]"].find("skipped").get("message"))
        self.assertTrue((self.folder / "own.html").exists())
        self.assertIn("signs_int8.tflite' is a model, which runs on data: give data=FOLDER", cases["test_without_data"].find("failure").text)
        self.assertIn("absent.tflite", cases["test_without_a_file"].find("failure").get("message"))
        self.assertIn("expected 'fail', 'skip' or 'pass'", cases["test_wrong_word"].find("failure").text)

    def test_pages_are_kept_where_pytest_keeps_files(self):
        text = "def test_float(assert_deploys):\n    assert_deploys(MODELS / 'signs_float.tflite', recipe=GOOD, **WITH)\n"
        _, cases = self.run_pytest(text, expect=0)
        self.assertEqual(self.page_of(cases["test_float"]), self.folder / "temporary" / "edgeprobe" / "test_net.py-test_float.html")
        self.assertTrue(self.page_of(cases["test_float"]).exists())
        # A page of an earlier run is replaced.
        for _ in range(2):
            self.run_pytest(text, f"--edgeprobe-report={self.folder / 'a' / 'b'}", expect=0)
        self.assertEqual([path.name for path in (self.folder / "a" / "b").iterdir()], ["test_net.py-test_float.html"])

    def test_the_examples_of_the_page_run(self):
        page = (ROOT / "docs" / "guides" / "python.md").read_text().split("\n## In a test\n")[1].split("\n## ")[0]
        (self.folder / "models").symlink_to(MODELS)
        _, cases = self.run_pytest(re.search(r"^```python\n(.*?)^```$", page, re.M | re.S)[1])
        self.assertEqual({name: case.find("failure") is not None for name, case in cases.items()}, {"test_int8_model": False, "test_app": True})
        self.assertIn("the app feeds BGR", cases["test_app"].find("failure").get("message"))

    def page_of(self, case):
        return pathlib.Path([one.get("value") for one in case.iter("property") if one.get("name") == "edgeprobe_page"][-1])


class FunctionTest(support.PackageTest):
    def test_it_stands_in_any_test(self):
        app = self.folder / "app.mcap"
        edgeprobe.run(MODELS / "signs_float.tflite", MODELS / "data" / "test", recipe=MODELS / "signs.recipe", trace=app, frames=6)
        against = {"reference": MODELS / "signs_float.tflite", "reference_recipe": MODELS / "signs.recipe"}
        self.assertEqual(edgeprobe.assert_deploys(app, undecided="pass", **against).task.top1_agreement, 1)
        with self.assertRaisesRegex(unittest.SkipTest, "^undecided"):
            edgeprobe.assert_deploys(app, undecided="skip", reference=MODELS / "signs_float.tflite")
        with self.assertRaises(edgeprobe.DeploymentFailed) as failed:
            edgeprobe.assert_deploys(app, **{**against, "reference_recipe": (MODELS / "signs.recipe").read_text().replace("rgb", "bgr")})
        self.assertIsInstance(failed.exception, AssertionError)
        self.assertTrue(failed.exception.result.differs)

    def test_what_is_not_confirmed_is_no_cause_and_has_no_fix(self):
        fix = {"step": "color(rgb)", "code": {"numpy": "x = 1\ny = 2"}}
        cause = {"kind": "resize", "status": "partial", "detail": "the app resizes", "fix": fix}
        verdict = {"headline": "cause unknown", "verdict": "differs", "would_decide": [], "warnings": ["a", "b", "c", "d"], "causes": [cause]}
        said = explanation(edgeprobe.Result(verdict))
        self.assertIn("nearest      resize (partial): the app resizes", said)
        self.assertNotIn("color(rgb)", said)
        self.assertIn("warning      c\n               and 1 more", said)
        verdict["causes"] = [{**cause, "status": "confirmed"}] * 5
        said = explanation(edgeprobe.Result(verdict))
        self.assertIn("numpy        x = 1\n               y = 2", said)
        self.assertIn("and 2 more causes", said)


if __name__ == "__main__":
    support.main()
