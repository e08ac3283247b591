# SPDX-License-Identifier: Apache-2.0
"""check runs target and reference at the same time, and equal computations once: the verdict is that of one run after the other, on any number of CPUs."""
import collections
import functools
import os
import shutil
import signal
import subprocess
import sys
import textwrap

import numpy as np
import processes
import tool
from tool import MODELS, RECIPE, run, verdict_of

os.environ["EDGEPROBE_PYTHON"] = sys.executable
PICTURES = sorted((MODELS / "data" / "test").rglob("*.jpg"))
FRAMES = 40
ENGINE = textwrap.dedent('''
    import dataclasses, os, time
    import numpy as np
    from edgeprobe.plugins import Tensor, option

    @dataclasses.dataclass
    class Sums:
        """Twelve weighted sums of a picture of 8 x 8; writes a line for each run."""
        formats = (".npy",)
        stateful = False
        fails_at: int = option(0, "This run fails")
        ends_at: int = option(0, "The process ends in this run")
        noise: float = option(0.0, "Deviation of what is added to the results")
        pause: float = option(0.0, "Seconds of a run")
        log: str = option("", "File of one line for each run")

        def load(self, file):
            self.weights = np.load(file)
            self.inputs = [Tensor("x", "float32", (1, 8, 8, 3))]
            self.outputs = [Tensor("sums", "float32", (1, 12))]
            self.count = 0
            self.chance = np.random.default_rng(os.getpid())

        def run(self, inputs):
            self.count += 1
            if self.count == self.fails_at:
                raise ValueError("run %d fails" % self.count)
            if self.count == self.ends_at:
                os._exit(3)
            if self.log:
                with open(self.log, "a") as lines:
                    lines.write("%d\\n" % os.getpid())
            time.sleep(self.pause)
            sums = inputs[0].reshape(1, -1) @ self.weights
            return [(sums + self.noise * self.chance.standard_normal(sums.shape)).astype(np.float32)]
''')
SMALL = "resize(8x8, bilinear, antialias=on, align=half_pixel) | scale(0..1)"


def on(cpus):
    """For run(): the program gets the first CPUs only."""
    return {"preexec_fn": functools.partial(os.sched_setaffinity, 0, sorted(os.sched_getaffinity(0))[:cpus])}


class TogetherTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        self.data.mkdir()
        for i in range(FRAMES):
            path = PICTURES[i * len(PICTURES) // FRAMES]
            shutil.copy(path, self.data / f"{i:03}{path.suffix}")
        self.engine = self.folder / "engine.py"
        self.engine.write_text(ENGINE)
        self.model = self.folder / "weights.npy"
        np.save(self.model, np.random.default_rng(7).normal(size=(192, 12)).astype(np.float32))
        self.log = self.folder / "log"

    def options(self, **values):
        return f"{self.engine}:Sums?" + "&".join(f"{key}={value}" for key, value in values.items())

    def plugged(self, target, reference, recipe=SMALL):
        return ["check", self.model, "--engine", target, "--recipe", recipe, "--reference", self.model, "--reference-engine", reference,
                "--reference-recipe", SMALL, "--data", self.data]

    def check(self, target="signs_float.tflite", recipe=RECIPE, *more, expect, cpus=2, level="layers"):
        done = run("check", MODELS / target, "--recipe", recipe, "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE,
                   "--data", self.data, "--level", level, "--json", *more, expect=expect, **on(cpus))
        return done.out, done.err

    def test_the_verdict_is_that_of_one_run_after_the_other(self):
        (self.data / "005.broken.jpg").write_bytes(b"no picture")
        shutil.copy(PICTURES[0], self.data / "last.jpg")
        bgr = RECIPE.replace("color(rgb)", "color(bgr)")
        for target, recipe, expect in (("signs_float.tflite", bgr, 3), ("signs_int8.tflite", RECIPE + " | quantize(model)", {0, 3}),
                                       ("signs_int8.tflite", bgr + " | quantize(model)", 3)):
            with self.subTest(target=target, recipe=recipe):
                kept = self.folder / "kept"
                in_turn = self.check(target, recipe, "--keep-traces", kept, expect=expect)
                self.assertEqual(self.check(target, recipe, expect=expect, cpus=2), in_turn)
                self.assertEqual(self.check(target, recipe, expect=expect, cpus=1), in_turn)
                self.assertIn("1 of 42 samples could not be read", in_turn[0])
                self.assertTrue((kept / "target.mcap").exists() and (kept / "reference.mcap").exists())
                shutil.rmtree(kept)

    def test_equal_computations_run_once(self):
        told = "the reference ran on 16 of 40 frames and gave the same bits"
        in_turn, _ = self.check(expect=0)
        self.assertIn(told, in_turn)
        for more in (["--exhaustive"], ["--keep-traces", self.folder / "kept"]):
            whole, _ = self.check("signs_float.tflite", RECIPE, *more, expect=0)
            self.assertNotIn(told, whole)
        one_cpu, _ = self.check(expect=0, cpus=1)
        self.assertEqual(one_cpu, in_turn)

    def runs(self, target, reference, *more, expect=0):
        self.log.unlink(missing_ok=True)
        verdict = verdict_of(*self.plugged(target, reference), "--level", "io", *more, expect=expect)
        return len(self.log.read_text().splitlines()), [text for text in verdict["warnings"] if "same computation" in text]

    def test_the_reference_runs_in_full_unless_its_bits_are_equal(self):
        same = self.options(log=self.log)
        some, told = self.runs(same, same)
        self.assertEqual(len(told), 1)
        every, nothing = self.runs(same, same, "--exhaustive")
        # The reference's frames that were not sampled, and replays of the reference on the target's inputs after the first eight.
        self.assertEqual((every - some, nothing), (FRAMES - 16 + FRAMES - 8, []))
        # Another option is another computation, and an engine with chance in it is no computation that repeats.
        _, nothing = self.runs(same, self.options(log=self.log, pause=0.0001))
        self.assertEqual(nothing, [])
        chance = self.options(log=self.log, noise=1e-6)
        noisy, nothing = self.runs(chance, chance, expect={0, 3, 4})
        self.assertEqual(nothing, [])
        self.assertGreaterEqual(noisy, 2 * FRAMES + 16, "16 frames were compared, then all ran")

    def test_the_earlier_failure_is_told_whichever_side_it_is_on(self):
        for name in ("fails_at", "ends_at"):
            for target, reference, side, number in ((7, 0, "target", 7), (0, 7, "reference", 7), (7, 7, "target", 7), (9, 8, "reference", 8), (8, 9, "target", 8)):
                for cpus in (1, 2):
                    with self.subTest(name=name, target=target, reference=reference, cpus=cpus):
                        done = run(*self.plugged(self.options(**{name: target}), self.options(**{name: reference, "pause": 0.001})), "--level", "io",
                                   expect={1, 2}, **on(cpus))
                        self.assertIn(f"{side}: '{number - 1:03}.", done.err)
                        if name == "fails_at":
                            self.assertIn(f"run {number} fails", done.err)

    def test_an_interrupt_ends_both_and_leaves_nothing(self):
        scratch = self.folder / "scratch"
        scratch.mkdir()
        for target, reference in ((0.05, 0.0), (0.0, 0.05), (0.05, 0.05)):
            with self.subTest(target=target, reference=reference):
                self.log.unlink(missing_ok=True)
                process = subprocess.Popen([tool.EXECUTABLE, *map(str, self.plugged(self.options(pause=target, log=self.log), self.options(pause=reference)))],
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, env={**os.environ, "TMPDIR": str(scratch)})
                processes.wait_for(lambda: process.poll() is not None or self.log.exists() and len(self.log.read_text().splitlines()) > 5)
                os.killpg(process.pid, signal.SIGINT)
                _, err = process.communicate(timeout=tool.PATIENCE)
                self.assertEqual(process.returncode, 130, err)
                self.assertEqual(list(scratch.iterdir()), [])

    def test_kept_traces_hold_undisturbed_latencies(self):
        """With --keep-traces the runs of one side all come before those of the other."""
        kept = self.folder / "kept"
        for more, switches in (["--keep-traces", kept], 1), ([], FRAMES // 2):
            self.log.unlink(missing_ok=True)
            run(*self.plugged(self.options(log=self.log, pause=0.002), self.options(log=self.log, pause=0.0021)), "--level", "io", *more, expect=0, **on(2))
            lines = self.log.read_text().splitlines()[:2 * FRAMES]
            found = sum(a != b for a, b in zip(lines, lines[1:]))
            self.assertEqual(collections.Counter(lines).most_common(1)[0][1], FRAMES)
            self.assertTrue(found == 1 if more else found >= switches, found)


if __name__ == "__main__":
    tool.main()
