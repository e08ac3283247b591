# SPDX-License-Identifier: Apache-2.0
"""contract check --follow: an app with a probe runs, and its first frames are judged while it still runs.

The app is a separate Python program with a real probe; it logs recorded tensors, with or without a fault."""
import json
import subprocess
import sys
import textwrap

import tool
from processes import interrupt, wait_for
from tool import MODELS, PATIENCE, RECIPE, ROOT, run

sys.path.insert(0, str(ROOT / "python"))
try:
    import edgeprobe._native  # noqa: F401
except ImportError as error:
    print(f"skipped: the Python module is not built: {error}")
    sys.exit(77)

APP = """
    import signal, sys, time
    sys.path.insert(0, ROOT)
    import numpy as np
    import edgeprobe
    from mcap.reader import make_reader

    source, target, fault, count, stay = sys.argv[1:4] + [int(sys.argv[4]), float(sys.argv[5])]
    # It is ended behind its frames: the check is content with the first ones, and may be faster.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print("the app has begun")
    frames = {}
    with open(source, "rb") as file:
        for _, channel, message in make_reader(file).iter_messages():
            frames.setdefault(message.sequence, {})[channel.topic.split("/")[1]] = (channel, message.data)
    with edgeprobe.Probe(target) as probe:
        probe.mark("assertion.model", "it is another file" if fault == "assertion" else "holds")
        for number in sorted(frames)[:count]:
            with probe.frame() as frame:
                channel, picture = frames[number]["raw_input"]
                frame.encoded(channel.topic.split("/", 2)[2], picture)
                for stage in ("model_input", "model_output"):
                    channel, data = frames[number][stage]
                    shape = [int(n) for n in channel.metadata["shape"].split(",")]
                    values = np.frombuffer(data, channel.metadata["dtype"]).reshape(shape)
                    if fault == "bgr" and stage == "model_input":
                        values = values[..., ::-1].copy()
                    frame.tensor(channel.topic.split("/", 2)[2], values, stage, position=0)
        open_frame = probe.frame()
        if fault == "open":  # a frame that is begun, and whose output is still to come
            open_frame.tensor(channel.topic.split("/", 2)[2], values * np.nan, "model_output", position=0)
            probe.flush()
            open(target + ".flushed", "w").close()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        time.sleep(stay)
        open_frame.end()
"""


class FollowTest(tool.ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = cls.class_folder()
        cls.good, cls.contract, cls.script = cls.shared / "good.mcap", cls.shared / "contract.json", cls.shared / "app.py"
        cls.script.write_text(textwrap.dedent(APP).replace("ROOT", repr(str(ROOT / "python"))))
        run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", MODELS / "data" / "test", "--labels",
            MODELS / "data" / "labels.csv", "--frames", 24, "--trace", cls.good, expect=0)
        run("contract", "learn", cls.good, "--speed", "-o", cls.contract, expect=0)

    def setUp(self):
        super().setUp()
        self.trace = self.folder / "app.mcap"
        self.apps = []

    def tearDown(self):
        for app in self.apps:
            app.kill()
            app.wait()
        super().tearDown()

    def command(self, fault="none", frames=24, stay=PATIENCE):
        return [sys.executable, self.script, self.good, self.trace, fault, str(frames), str(stay)]

    def start(self, *args, **more):
        app = subprocess.Popen(self.command(*args, **more), stdout=subprocess.DEVNULL)
        self.apps.append(app)
        return app

    def follow(self, *more, expect, contract=None):
        done = run("contract", "check", self.trace, "--contract", contract or self.contract, "--follow", "--json", self.folder / "r.json", *more, expect=expect)
        return done, json.loads((self.folder / "r.json").read_text())

    def of_state(self, result, state):
        return {one["id"] for one in result["assertions"] if one["state"] == state}

    def test_a_right_app_is_told_to_be_right_while_it_runs(self):
        app = self.start()
        done, result = self.follow(expect=0)
        self.assertIsNone(app.poll())
        self.assertEqual((result["first_frames"], result["outcome"], result["fails"], result["cannot_tell"]), (8, "agrees", 0, 0))
        self.assertLessEqual({"recipe.channel_order", "recipe.value_range", "app.model", "inputs." + list(json.loads(self.contract.read_text())["inputs"])[0] + ".range"},
                             self.of_state(result, "passes"))
        self.assertEqual(self.of_state(result, "not_yet"), {"inputs.image.std", "latency_ms", "memory_mb.peak", "answers.metric", "answers.most_alike"})
        self.assertEqual(result["not_yet"], len(self.of_state(result, "not_yet")))
        self.assertIn("in the first 8 frames", done.out)
        self.assertIn("need all frames", done.out)

    def test_a_fault_is_named_while_the_app_runs(self):
        app = self.start("bgr")
        done, result = self.follow("--frames", 3, "--junit", self.folder / "r.xml", expect=3)
        self.assertIsNone(app.poll())
        self.assertEqual(result["first_frames"], 3)
        self.assertIn("recipe.channel_order", self.of_state(result, "fails"))
        junit = (self.folder / "r.xml").read_text()
        self.assertEqual(junit.count("<skipped "), result["not_yet"])
        self.assertIn(f'skipped="{result["not_yet"]}"', junit)

    def test_few_frames_of_an_app_that_then_waits_are_there_within_a_second_or_two(self):
        """The probe closes a chunk after a second, even if no frame follows."""
        app = self.start(frames=2)
        done, result = self.follow("--frames", 2, expect=0)
        self.assertIsNone(app.poll())

    def test_what_the_app_asserts_at_its_start_counts(self):
        self.start("assertion")
        done, result = self.follow("--frames", 1, expect=3)
        self.assertEqual(self.of_state(result, "fails"), {"app.model"})
        self.assertIn("it is another file", done.out)

    def test_a_frame_that_is_not_ended_is_not_judged(self):
        self.start("open", frames=4)
        self.assertTrue(wait_for((self.folder / "app.mcap.flushed").exists))
        done, result = self.follow("--timeout", 2, expect=0)
        self.assertIn("4 frames of 8 came in 2 s", done.err)
        self.assertEqual(result["first_frames"], 4)

    def test_an_app_that_ended_is_judged_as_a_whole(self):
        subprocess.run(self.command(frames=5, stay=0), check=True, stdout=subprocess.DEVNULL)
        done, result = self.follow(expect=(0, 3, 4))
        again = json.loads(run("contract", "check", self.trace, "--contract", self.contract, "--json", expect=done.returncode).out)
        self.assertEqual(result, again)
        self.assertIsNone(result["first_frames"])

    def test_lines_and_functions_see_the_first_frames_alone(self):
        contract = json.loads(self.contract.read_text())
        contract["assertions"] = ["frame.output.max <= 1.001", "trace.frames >= 20", "frame.output.max < trace.latency_ms.median + 1000"]
        contract["python"] = ["checks.py:few"]
        (self.folder / "checks.py").write_text("def few(frame):\n    return frame.number < 8\n")
        (self.folder / "own.json").write_text(json.dumps(contract))
        self.start()
        done, result = self.follow("--python", sys.executable, expect=0, contract=self.folder / "own.json")
        states = {one["id"]: one["state"] for one in result["assertions"]}
        self.assertEqual([states[f"assertions[{i}]"] for i in range(3)], ["passes", "not_yet", "not_yet"])
        (own,) = [state for id, state in states.items() if id.startswith("python")]
        self.assertEqual(own, "passes")

    def test_the_app_is_started_and_ended_with_the_check(self):
        done, result = self.follow("--", *self.command(stay=600), expect=0)
        self.assertEqual(result["first_frames"], 8)
        self.assertNotIn("begun", done.out)  # the app's output is not a result
        with edgeprobe.load(self.trace) as trace:  # it was stopped regularly
            self.assertTrue(trace.finished)
            self.assertEqual(len(trace.frames), 25)
        self.trace.unlink()
        self.follow("--", *self.command("bgr", stay=600), expect=3)
        self.assertIn("exists before", run("contract", "check", self.trace, "--contract", self.contract, "--follow", "--", *self.command(), expect=2).err)

    def test_ctrl_c_ends_the_waiting_and_the_app_that_was_started(self):
        process = subprocess.Popen([tool.EXECUTABLE, "contract", "check", self.trace, "--contract", self.contract, "--follow", "--frames", "1000", "--",
                                    *self.command(stay=600)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            self.assertTrue(wait_for(self.trace.exists))
            interrupt(process)
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
        self.assertEqual(process.returncode, 130)
        with edgeprobe.load(self.trace) as trace:
            self.assertTrue(trace.finished)


if __name__ == "__main__":
    tool.main()
