# SPDX-License-Identifier: Apache-2.0
"""A check that ends early reports the frames that both sides finished: the figures are those of a check of these frames, and nothing else is claimed."""
import collections
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import processes
import tool
from jsonschema import Draft202012Validator
from tool import MODELS, ROOT, run, verdict_of

os.environ["EDGEPROBE_PYTHON"] = sys.executable
PICTURES = sorted((MODELS / "data" / "test").rglob("*.jpg"))
FRAMES = 20
SCHEMA = Draft202012Validator(json.loads((ROOT / "docs/reference/report.schema.json").read_text()))
ENGINE = textwrap.dedent('''
    import dataclasses, os, signal, time
    import numpy as np
    from edgeprobe.plugins import Tensor, option

    @dataclasses.dataclass
    class Sums:
        """Twelve weighted sums of a picture of 8 x 8; writes a line when a run begins."""
        formats = (".npy",)
        stateful = False
        hangs_at: int = option(0, "This run does not end")
        ends_at: int = option(0, "The process is killed in this run")
        gain: float = option(1.0, "Factor of the results")
        log: str = option("", "File of one line for each run")

        def load(self, file):
            self.weights = np.load(file)
            self.inputs = [Tensor("x", "float32", (1, 8, 8, 3))]
            self.outputs = [Tensor("sums", "float32", (1, 12))]
            self.count = 0

        def run(self, inputs):
            self.count += 1
            with open(self.log, "a") as lines:
                lines.write("%d\\n" % self.count)
            if self.count == self.ends_at:
                os.kill(os.getpid(), signal.SIGKILL)
            if self.count == self.hangs_at:
                time.sleep(3600)
            return [(inputs[0].reshape(1, -1) @ self.weights * self.gain).astype(np.float32)]
''')
SMALL = "resize(8x8, bilinear, antialias=on, align=half_pixel) | color(rgb) | scale(0..1)"
BGR = SMALL.replace("rgb", "bgr")


class PartialVerdictTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.scratch, self.data = self.folder / "scratch", self.folder / "data"
        self.scratch.mkdir()
        self.data.mkdir()
        for i in range(FRAMES):
            shutil.copy(PICTURES[i * len(PICTURES) // FRAMES], self.data / f"{i:03}.jpg")
        self.engine = self.folder / "engine.py"
        self.engine.write_text(ENGINE)
        self.model = self.folder / "weights.npy"
        np.save(self.model, np.random.default_rng(7).normal(size=(192, 12)).astype(np.float32))

    def command(self, target, reference, recipe=BGR, data=None, more=()):
        def engine(side, values):
            return f"{self.engine}:Sums?" + "&".join(f"{key}={value}" for key, value in {"log": self.folder / side, **values}.items())

        return ["check", self.model, "--engine", engine("target", target), "--recipe", recipe, "--reference", self.model, "--reference-engine",
                engine("reference", reference), "--reference-recipe", SMALL, "--data", data or self.data, "--level", "io", *more]

    def lines(self, side):
        log = self.folder / side
        return len(log.read_text().splitlines()) if log.exists() else 0

    def interrupted(self, command, until, signals=1):
        """Exit code, output and error of a command that gets Ctrl-C once `until` holds."""
        for side in ("target", "reference"):
            (self.folder / side).unlink(missing_ok=True)
        process = subprocess.Popen([tool.EXECUTABLE, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                                   env={**os.environ, "TMPDIR": str(self.scratch)})
        processes.wait_for(lambda: process.poll() is not None or until())
        for _ in range(signals):
            os.killpg(process.pid, signal.SIGINT)  # Like a terminal: signals the whole foreground group.
            processes.wait_for(lambda: process.poll() is not None or not processes.has(processes.status(process.pid, "ShdPnd"), signal.SIGINT))
        out, err = process.communicate(timeout=tool.PATIENCE)
        return process.returncode, out, err

    def assert_partial(self, report, frames, by="user", during="recording"):
        SCHEMA.validate(report)
        cut = report["coverage"]["cut_short"]
        self.assertEqual((cut["by"], cut["during"], cut["frames_wanted"]), (by, during, FRAMES))
        self.assertEqual((report["verdict"], report["headline_values"]["kind"], report["causes"], report["would_decide"]), ("undecided", "cut_short", [], []))
        self.assertEqual(report["coverage"]["frames_compared"], frames)
        self.assertIn(f"{frames} of {FRAMES} frames", report["headline"])
        self.assertIn("no cause is confirmed", report["headline"])

    def assert_is_of_the_first(self, report, frames, **sides):
        """The figures equal those of a finished check of the first frames."""
        some = self.folder / f"first{frames}"
        some.mkdir(exist_ok=True)
        for i in range(frames):
            shutil.copy(self.data / f"{i:03}.jpg", some)
        whole = verdict_of(*self.command(sides.get("target", {}), sides.get("reference", {}), data=some), expect=3)
        self.assertIsNone(whole["coverage"]["cut_short"])
        self.assertEqual(report["outputs"], whole["outputs"])
        for ours, theirs in zip(report["layers"], whole["layers"], strict=True):
            self.assertEqual(ours, theirs)

    def test_an_interrupted_recording_is_compared_as_far_as_both_sides_are(self):
        for target, reference, frames in ({"hangs_at": 9}, {}, 8), ({}, {"hangs_at": 6}, 5), ({"hangs_at": 9}, {"hangs_at": 9}, 8):
            with self.subTest(target=target, reference=reference):
                # The faster side is at most four samples ahead.
                least = {side: values.get("hangs_at", frames + 4) for side, values in (("target", target), ("reference", reference))}
                code, out, err = self.interrupted(self.command(target, reference, more=["--json", "--html", self.folder / "page.html"]),
                                                  lambda: all(self.lines(side) >= count for side, count in least.items()))
                self.assertEqual(code, 130, err)
                self.assertIn("stopped by the user", err)
                report = json.loads(out)
                self.assert_partial(report, frames)
                self.assert_is_of_the_first(report, frames)
                page = (self.folder / "page.html").read_text()
                self.assertIn(f"partial: interrupted after {frames} of {FRAMES} frames", page.lower())
                self.assertIn("Exit code 130", page)
                self.assertEqual(list(self.scratch.iterdir()), [])

    def test_the_text_says_so_first(self):
        code, out, _ = self.interrupted(self.command({"hangs_at": 9}, {}), lambda: self.lines("target") >= 9 and self.lines("reference") >= 12)
        self.assertEqual(code, 130)
        self.assertTrue(out.startswith(f"partial: interrupted after 8 of {FRAMES} frames; on those 8 the outputs differ by "), out)
        self.assertIn("undecided (exit code 130)", out)

    def test_an_interrupt_in_the_search_for_causes_keeps_the_comparison_and_names_no_cause(self):
        # The first replay of the target's model.
        code, out, err = self.interrupted(self.command({"hangs_at": FRAMES + 1}, {}, more=["--json", "--exhaustive"]), lambda: self.lines("target") > FRAMES)
        self.assertEqual(code, 130, err)
        report = json.loads(out)
        self.assert_partial(report, FRAMES, during="diagnosis")
        whole = verdict_of(*self.command({}, {}), expect=3)
        self.assertEqual(report["outputs"], whole["outputs"])
        self.assertEqual([cause["kind"] for cause in whole["causes"]], ["channel_order"])

    def test_before_the_first_frame_there_is_no_verdict(self):
        code, out, err = self.interrupted(self.command({"hangs_at": 1}, {}, more=["--json"]), lambda: self.lines("target") == 1)
        self.assertEqual((code, out), (130, ""), err)

    def test_a_second_interrupt_ends_it_at_once(self):
        code, out, _ = self.interrupted(self.command({"hangs_at": 9}, {"hangs_at": 9}), lambda: self.lines("target") == self.lines("reference") == 9, signals=2)
        self.assertEqual((code, out), (130, ""))

    def test_kept_traces_of_an_earlier_check_are_not_compared(self):
        kept = ["--keep-traces", self.folder / "kept", "--json"]
        run(*self.command({}, {}, more=kept), expect=3)
        code, out, err = self.interrupted(self.command({"hangs_at": 9}, {}, more=kept), lambda: self.lines("target") == 9)
        self.assertEqual((code, out), (130, ""), err)
        code, out, err = self.interrupted(self.command({}, {"hangs_at": 9}, more=kept), lambda: self.lines("reference") == 9)
        self.assertEqual(code, 130, err)
        self.assert_partial(json.loads(out), 8)

    def test_an_engine_that_dies_leaves_the_frames_before_it(self):
        """One side after the other (kept traces), the reference still runs the frames that the target finished."""
        for target, reference, side, more in (({"ends_at": 9}, {}, "target", []), ({}, {"ends_at": 9}, "reference", []),
                                              ({"ends_at": 9}, {}, "target", ["--keep-traces", self.folder / "kept"]),
                                              ({}, {"ends_at": 9}, "reference", ["--keep-traces", self.folder / "kept"])):
            with self.subTest(target=target, more=more):
                done = run(*self.command(target, reference, more=["--json", *more]), expect=1)
                self.assertRegex(done.err, rf"(?m)^edgeprobe: {side}: '008\.jpg': .*(SIGKILL|signal 9)")
                report = json.loads(done.out)
                self.assert_partial(report, 8, by="error")
                self.assertIn(f"{side}: '008.jpg'", report["headline"])
                self.assert_is_of_the_first(report, 8)

    def test_an_engine_that_dies_in_the_search_for_causes_leaves_the_comparison(self):
        report = json.loads(run(*self.command({"ends_at": FRAMES + 1}, {}, more=["--json", "--exhaustive"]), expect=1).out)
        self.assert_partial(report, FRAMES, by="error", during="diagnosis")

    def test_a_replay_of_a_recording_is_cut_short_as_well(self):
        """`diagnose` of a trace whose reference hangs."""
        kept = self.folder / "kept"
        run(*self.command({}, {}, more=["--keep-traces", kept]), expect=3)
        whole = self.command({}, {"hangs_at": 9})
        engine = whole[whole.index("--reference-engine") + 1]
        command = ["diagnose", kept / "target.mcap", "--reference", self.model, "--reference-engine", engine, "--reference-recipe", SMALL, "--json"]
        code, out, err = self.interrupted(command, lambda: self.lines("reference") == 9)
        self.assertEqual(code, 130, err)
        self.assert_partial(json.loads(out), 8)

    def test_at_any_time_an_interrupt_gives_a_marked_part_or_nothing_or_the_whole(self):
        """LiteRT with layers, interrupted after several shares of the time that the check takes: every result is valid and claims no more than it knows."""
        command = ["check", MODELS / "signs_float.tflite", "--recipe", tool.RECIPE.replace("color(rgb)", "color(bgr)"), "--reference",
                   MODELS / "signs_float.tflite", "--reference-recipe", tool.RECIPE, "--data", self.data, "--json"]
        began = time.monotonic()
        whole = json.loads(run(*command, expect=3).out)
        took, found = time.monotonic() - began, collections.Counter()
        for share in np.linspace(0.2, 0.95, 12):
            process = subprocess.Popen([tool.EXECUTABLE, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(share * took)
            processes.interrupt(process)
            out, err = process.communicate(timeout=tool.PATIENCE)
            self.assertIn(process.returncode, (130, 3), err)
            if process.returncode == 3:
                found["finished"] += 1
                self.assertEqual(json.loads(out), whole)
            elif not out:
                found["nothing"] += 1
            else:
                report = json.loads(out)
                frames, during = report["coverage"]["frames_compared"], report["coverage"]["cut_short"]["during"]
                found[during] += 1
                self.assert_partial(report, frames, during=during)
                if frames == FRAMES:
                    self.assertEqual(report["outputs"]["distance"], whole["outputs"]["distance"])
        print("interrupted:", dict(found))


if __name__ == "__main__":
    tool.main()
