# SPDX-License-Identifier: Apache-2.0
"""States that an application feeds back wrongly are named, with the first wrong step. state_test.py EDGEPROBE

The applications run in ONNX Runtime's and LiteRT's own Python with a probe; their faults (bench/state/apps.py) share no code with the search."""
import contextlib
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench" / "state"), str(ROOT / "python")]
import tool
from tool import run, verdict_of

try:
    import edgeprobe._native  # noqa: F401
except ImportError as error:
    print(f"skipped: the Python module is not built: {error}")
    sys.exit(77)
import apps
import matrix
import models

# : Every kind in at least one network; bench/state/matrix.py has all of them in three networks.
PLANTED = {"lstm": ("one of two never fed back", "exchanged", "two steps late", "kept for three steps", "float16", "layers exchanged", "axes transposed", "half copied"),
           "gru": ("never fed back", "set back every 4 steps", "kept once", "int8, by the largest", "text of 3 decimals", "NaN"),
           "cell": ("another output", "set back in two steps", "one step late", "bfloat16, cut", "negated", "not reset")}


class StateTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.files = {name: models.write(name, self.folder) for name in models.UNITS}

    def recorded(self, name, fault=None, **more):
        return matrix.record(name, self.files[name], self.folder / "app.mcap", fault, **more)

    def diagnosed(self, name, *more, expect, trace=None):
        return verdict_of("diagnose", trace or self.folder / "app.mcap", "--reference", self.files[name], *more, expect=expect)

    def test_planted_faults_are_named_with_their_first_step(self):
        for name, faults in PLANTED.items():
            for fault in faults:
                with self.subTest(model=name, fault=fault):
                    plant, words, first, _ = apps.FAULTS[fault]
                    self.recorded(name, plant)
                    verdict = self.diagnosed(name, "--model", self.files[name], expect={3, 4})
                    self.assertTrue(matrix.is_told(verdict, words, first), matrix.causes(verdict))
                    cause = next(one for one in verdict["causes"] if one["kind"] == "state")
                    self.assertEqual(len(verdict["causes"]), 1, matrix.causes(verdict))
                    if cause["status"] == "confirmed" and fault != "NaN":  # which has no distance
                        self.assertGreater(cause["restored"], 0.999)
                        self.assertEqual(cause["evidence_values"][0]["kind"], "state_steps")

    def test_what_the_app_would_answer_is_what_the_engine_gives_with_states_fed_right(self):
        """The measured effect equals that of the engine's own Python with the right states."""
        self.recorded("lstm", apps.FAULTS["never fed back"][0])
        verdict = self.diagnosed("lstm", "--model", self.files["lstm"], expect=3)
        answers = []
        for fault in (None, apps.FAULTS["never fed back"][0]):
            app = apps.App("lstm", fault)
            app.run(apps.engine("lstm", self.files["lstm"]), lambda _: contextlib.nullcontext())
            answers.append(np.array([one["y"].reshape(-1) for one in app.made]))
        agreement = np.mean(answers[0].argmax(1) == answers[1].argmax(1))
        self.assertAlmostEqual(verdict["task"]["top1_agreement"], agreement, places=6)

    def test_some_frames_of_a_right_app_are_the_first(self):
        """A carried state allows no gaps between frames."""
        self.recorded("gru")
        for count in (7, 12):
            verdict = self.diagnosed("gru", "--model", self.files["gru"], "--frames", count, expect=0)
            self.assertEqual(verdict["coverage"]["frames_compared"], count)

    def test_healthy_apps_raise_no_alarm(self):
        for name in models.UNITS:
            for lengths in (apps.LENGTHS, (30,)):
                for said in ("begins,states", "", "begins"):
                    with self.subTest(model=name, lengths=lengths, said=said):
                        self.recorded(name, said=said, lengths=lengths, initial=0.25 if name == "gru" else 0)
                        verdict = self.diagnosed(name, "--model", self.files[name], expect=0)
                        self.assertEqual(verdict["causes"], [])
                        unsure = [one for one in verdict["warnings"] if "cannot be told" in one]
                        self.assertEqual(len(unsure), "begins" not in said and len(lengths) > 1, verdict["warnings"])

    def test_foreign_faults_are_never_confirmed(self):
        for name, fault in (("lstm", "times 0.9"), ("gru", "noise"), ("cell", "larger of two steps"), ("lstm", "small values dropped")):
            with self.subTest(model=name, fault=fault):
                self.recorded(name, apps.FOREIGN[fault])
                verdict = self.diagnosed(name, "--model", self.files[name], expect={3, 4})
                of_state = [cause for cause in verdict["causes"] if cause["stage"] == "state"]
                self.assertEqual({cause["status"] for cause in of_state}, {"partial"})
                self.assertRegex(of_state[0]["detail"], r"first at frame [12]\b")

    def test_two_traces_are_enough(self):
        """Without any model, the recorded tensors are proof; --state may state which output belongs to which input."""
        right = self.recorded("cell").rename(self.folder / "right.mcap")
        self.recorded("cell", apps.FAULTS["exchanged"][0], said="begins")
        cause = verdict_of("diagnose", self.folder / "app.mcap", "--reference-trace", right, expect=3)["causes"][0]
        self.assertEqual((cause["kind"], cause["status"], cause["stage"]), ("state", "confirmed", "state"), cause["detail"])
        self.assertIn("states 'h' and 'm' are exchanged", cause["detail"])
        self.assertIsNone(cause["restored"])
        self.recorded("cell", apps.FAULTS["never fed back"][0], said="begins")
        verdict = self.diagnosed("cell", "--state", "h_out=h", "--state", "m_out=m", expect=3)
        self.assertIn("are not fed back", verdict["causes"][0]["detail"])

    def test_without_beginnings_a_reset_is_not_told_from_a_sequence(self):
        self.recorded("gru", apps.FAULTS["set back in two steps"][0], said="states")
        verdict = self.diagnosed("gru", expect=0)
        self.assertEqual(verdict["causes"], [])
        self.assertTrue(any("in 6 frames every carried state has its initial value (first: frame 5)" in one for one in verdict["warnings"]), verdict["warnings"])

    def test_a_counter_is_named(self):
        for fault, (plant, words, first) in apps.COUNTER_FAULTS.items():
            with self.subTest(fault=fault):
                right = self.recorded("gru").rename(self.folder / "right.mcap")
                self.recorded("gru", plant)
                verdict = verdict_of("diagnose", self.folder / "app.mcap", "--reference", self.files["gru"], "--reference-trace", right, expect={3, 4})
                self.assertTrue(matrix.is_told(verdict, words, first, counter=True), matrix.causes(verdict))

    def test_a_state_inside_the_model_is_told_by_when_it_is_set_back(self):
        model = models.inner(self.folder / "inner.tflite")
        flags = ("--reference", model, "--reference-engine", "tflite", "--model", model, "--engine", "tflite")
        trace = matrix.record_inner(model, self.folder / "inner.mcap")
        self.assertEqual(verdict_of("diagnose", trace, *flags, expect=0)["causes"], [])
        for schedule in "before every step", "never":
            is_reset, words = apps.RESETS[schedule]
            verdict = verdict_of("diagnose", matrix.record_inner(model, trace, is_reset), *flags, expect=3)
            self.assertTrue(matrix.is_told(verdict, words, None), matrix.causes(verdict))
            self.assertIn("first at frame", verdict["causes"][0]["detail"])
            self.assertGreater(verdict["causes"][0]["restored"], 0.99)
        # The list contains no such schedule.
        verdict = verdict_of("diagnose", matrix.record_inner(model, trace, lambda step, begins: step in (3, 4, 12)), *flags, expect=3)
        self.assertNotIn("state", [cause["kind"] for cause in verdict["causes"]])

    def test_the_text_and_the_page_say_it(self):
        self.recorded("lstm", apps.FAULTS["float16"][0])
        page = self.folder / "report.html"
        text = run("diagnose", self.folder / "app.mcap", "--reference", self.files["lstm"], "--html", page, expect={3, 4}).out
        for shown in (text, page.read_text()):
            self.assertIn("rounded to float16", shown)
            self.assertIn("first at frame 1", shown)

    def test_frames_that_were_not_recorded_are_not_judged(self):
        app = apps.App("lstm")
        trace = self.folder / "holes.mcap"
        with edgeprobe.Probe(trace, sampling="every", every=3) as probe:
            infer = apps.engine("lstm", self.files["lstm"], lambda one: edgeprobe.wrap(one, probe))
            app.run(infer, lambda _: probe.frame())
            probe.describe(states="h_out=h,c_out=c", sequence_begins="0,9,16,17,25")
        verdict = self.diagnosed("lstm", trace=trace, expect=0)
        self.assertEqual(verdict["causes"], [])
        self.assertTrue(any("could not be judged: the frame before was not recorded" in one for one in verdict["warnings"]), verdict["warnings"])


if __name__ == "__main__":
    tool.main()
