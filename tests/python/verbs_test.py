# SPDX-License-Identifier: Apache-2.0
"""The verbs as functions, compared with the program itself."""
import json
import math
import os
import signal
import subprocess
import sys
import time

import support

import edgeprobe
from support import MODELS

RECIPE = (MODELS / "signs.recipe").read_text().strip()
FLOAT, INT8, PICTURES = MODELS / "signs_float.tflite", MODELS / "signs_int8.tflite", MODELS / "data" / "test"


def preprocess(image):
    import numpy as np
    from PIL import Image

    return np.asarray(Image.fromarray(image).resize((64, 64), Image.Resampling.BILINEAR)) / np.float32(127.5) - 1


class VerbsTest(support.PackageTest):
    def trace(self, name, model=FLOAT, recipe=RECIPE, frames=6, **more):
        result = edgeprobe.run(model, PICTURES, recipe=recipe, trace=self.folder / name, frames=frames, **more)
        self.assertEqual((result.frames, result.exit_code), (frames, 0))
        return self.folder / name

    def test_results_are_the_programs(self):
        a, b = self.trace("a.mcap"), self.trace("b.mcap", recipe=RECIPE.replace("rgb", "bgr"), labels=MODELS / "data" / "labels.csv")
        self.assertTrue(edgeprobe.compare(a, a).agrees)
        result = edgeprobe.compare(a, b, top=2)
        self.assertTrue(result.differs and not result.agrees and not result.undecided)
        done = subprocess.run([edgeprobe.executable(), "compare", a, b, "--top", "2", "--json"], capture_output=True, text=True)
        self.assertEqual(result, json.loads(done.stdout))
        self.assertEqual(result.frames.joined, 6)
        # A prompt shows a part; a whole verdict may be hundreds of kilobytes long.
        self.assertLess(len(repr(result)), len(dict.__repr__(result)))
        self.assertIn("...", repr(result))
        self.assertRegex(repr(result), r"^Result\(.*'outcome': 'differs'")
        self.assertIsInstance(result.layers[0], edgeprobe.Result)
        with self.assertRaisesRegex(AttributeError, "no 'absent'; it has .*outcome"):
            result.absent
        with self.assertRaises(AttributeError):
            result.outcome = "agrees"
        self.assertEqual(json.loads(json.dumps(result)), result)

    def test_diagnose_and_check_name_the_cause(self):
        trace = self.trace("app.mcap", INT8, RECIPE.replace("rgb", "bgr") + " | quantize(model)", frames=48, undeclared=True)
        found = edgeprobe.diagnose(trace, reference=FLOAT, reference_recipe=MODELS / "signs.recipe", model=INT8, data=PICTURES,
                                   labels=MODELS / "data" / "labels.csv", html=self.folder / "page.html")
        self.assertEqual((found.exit_code, found.causes[0].kind), (3, "channel_order"))
        self.assertIn("BGR", found.headline)
        self.assertTrue((self.folder / "page.html").exists())
        checked = edgeprobe.check(FLOAT, PICTURES, recipe=RECIPE, reference=FLOAT, reference_recipe=RECIPE, frames=24, level="io", threads=2)
        self.assertEqual(checked.exit_code, 0)

    def test_contracts_are_learned_checked_and_updated(self):
        good, path = self.trace("good.mcap", labels=MODELS / "data" / "labels.csv", frames=24), self.folder / "contract.json"
        learned = edgeprobe.contract.learn(good, path)
        self.assertTrue(learned.agrees and not learned.fails and path.exists())
        self.assertIn("recipe.channel_order", [one.id for one in learned.assertions])
        with self.assertRaisesRegex(edgeprobe.UsageError, "exists"):
            edgeprobe.contract.learn(good, path)
        told = subprocess.run([edgeprobe.executable(), "contract", "check", good, "--contract", path, "--json"], capture_output=True, text=True).stdout
        self.assertEqual(edgeprobe.contract.check(good, path), json.loads(told))
        wrong = self.trace("wrong.mcap", recipe=RECIPE.replace("rgb", "bgr"), undeclared=True)
        result = edgeprobe.contract.check(wrong, path, junit=self.folder / "r.xml")
        self.assertTrue(result.differs and (self.folder / "r.xml").exists())
        self.assertIn("recipe.channel_order", [one.id for one in result.assertions if one.state == "fails"])
        contract = json.loads(path.read_text())
        contract["outputs"]["probabilities" if "probabilities" in contract["outputs"] else next(iter(contract["outputs"]))]["range"] = [0.9, 0.95]
        path.write_text(json.dumps(contract))
        updated = edgeprobe.contract.update(good, path)
        self.assertEqual(updated.exit_code, 0)
        self.assertTrue(any(one.place.endswith("range") or "range" in one.place for one in updated.changes), updated.changes)
        self.assertEqual(edgeprobe.contract.update(good, path).changes, [])
        planted = edgeprobe.contract.check(FLOAT, path, mutate=True, data=PICTURES, recipe=RECIPE, frames=3)
        self.assertGreater(len(planted.faults), 20)
        script = self.folder / "app.py"
        script.write_text("import sys, time, edgeprobe\n"
                          "probe = edgeprobe.Probe(sys.argv[1])\nprobe.assert_that('labels', 'too few')\n"
                          "for i in range(4):\n    with probe.frame() as frame:\n        frame.variable('i', i)\ntime.sleep(6000)\n")
        running = edgeprobe.contract.check(self.folder / "app.mcap", path, app=[sys.executable, script, self.folder / "app.mcap"], frames=3)
        self.assertEqual((running.first_frames, running.exit_code), (3, 3))
        self.assertIn("app.labels", [one.id for one in running.assertions if one.state == "fails"])

    def test_a_model_is_stretched_over_processors(self):
        model, plan = MODELS / "inception_like.onnx", self.folder / "plan.json"
        self.assertEqual(len(edgeprobe.stretch.regions(model).regions), 3)
        parts = edgeprobe.stretch.split(model, self.folder / "parts.onnx", shares="1,1")
        self.assertEqual([one.parts for one in parts.splits if one.parts], [[16, 8], [16, 8]])
        self.assertTrue((self.folder / "parts.onnx").exists())
        found = edgeprobe.stretch.search(model, plan, seconds=0.02, rounds=1)
        self.assertEqual(json.loads(plan.read_text())["found"]["answer"], found.answer)
        explained = edgeprobe.stretch.explain(plan, model, runs=3)
        self.assertEqual(explained.runs, 3)
        self.assertEqual(len(explained.pieces), next(one.pieces for one in found.candidates if one.name == found.chosen))
        table = edgeprobe.stretch.table(plan, model, seconds=0.02, rounds=1)
        self.assertIn("one thread", [row.way for row in table.rows])
        with self.assertRaisesRegex(edgeprobe.UsageError, "exists"):
            edgeprobe.stretch.search(model, plan)
        profiled = edgeprobe.stretch.profile(model, self.folder / "result.csv", seconds=0.02)
        self.assertEqual([one.cfg for one in profiled.profiles], ["inception_like.onnx"])
        self.assertTrue((self.folder / "result.csv").exists())

    def test_an_executed_model_is_evaluated(self):
        data = {"labels": MODELS / "data" / "labels.csv", "frames": 24}
        result = edgeprobe.stretch.evaluate([MODELS / "signs_float.onnx"], MODELS / "data" / "test", recipe=MODELS / "signs_nchw.recipe", base=FLOAT, base_recipe=RECIPE, **data)
        self.assertEqual([one.model for one in result.evaluations], ["signs_float.tflite", "signs_float.onnx"])
        self.assertEqual(result.evaluations[1].against_base.verdict, "no difference shown")
        self.assertFalse(result.differs)

    def test_replay_takes_models_and_functions(self):
        source = self.trace("a.mcap")
        result = edgeprobe.replay(source, INT8, self.folder / "r.mcap", recipe=RECIPE + " | quantize(model)")
        self.assertEqual(result.frames, 6)
        with self.assertRaisesRegex(edgeprobe.UsageError, "exists"):
            edgeprobe.replay(source, INT8, self.folder / "r.mcap", recipe=RECIPE)
        # A function at the top level of a file is found there; without a model, only the function runs.
        self.assertEqual(edgeprobe.replay(source, None, self.folder / "p.mcap", pipeline=preprocess).frames, 6)
        self.assertEqual(edgeprobe.replay(source, preprocess, self.folder / "f.mcap"), 6)
        same = edgeprobe.compare(self.folder / "p.mcap", self.folder / "f.mcap")
        self.assertTrue(all(layer.rmse_over_range < 0.004 for layer in same.layers))
        with self.assertRaisesRegex(edgeprobe.UsageError, "top level"):
            edgeprobe.run(FLOAT, PICTURES, pipeline=lambda image: image)
        with self.assertRaises(TypeError):
            edgeprobe.replay(source, preprocess, self.folder / "g.mcap", threads=2)

    def test_a_script_without_a_main_guard_does_not_start_itself_for_ever(self):
        source = self.trace("a.mcap", frames=2)
        script = self.folder / "script.py"
        script.write_text("import sys, edgeprobe\ndef prep(image):\n    return image[:8, :8]\n"
                          "print(edgeprobe.replay(sys.argv[1] if len(sys.argv) > 1 else 'x', None, 'r.mcap', pipeline=prep).frames)\n")
        done = subprocess.run([sys.executable, script, source], cwd=self.folder, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 1)
        self.assertIn("put that under if __name__ == '__main__':", done.stderr)
        script.write_text(script.read_text().replace("print(", "if __name__ == '__main__':\n    print("))
        done = subprocess.run([sys.executable, script, source], cwd=self.folder, capture_output=True, text=True, timeout=600)
        self.assertEqual((done.returncode, done.stdout), (0, "2\n"), done.stderr)

    def test_errors_have_the_programs_sentence(self):
        with self.assertRaisesRegex(edgeprobe.Error, "absent.tflite"):
            edgeprobe.run(self.folder / "absent.tflite", PICTURES)
        with self.assertRaisesRegex(edgeprobe.UsageError, "bluur"):
            edgeprobe.run(FLOAT, PICTURES, recipe="bluur(3)", trace=self.folder / "x.mcap")
        with self.assertRaisesRegex(TypeError, "'thread'; it knows .*threads"):
            edgeprobe.run(FLOAT, PICTURES, thread=2)
        dash = self.folder / "-t.mcap"
        edgeprobe.run(FLOAT, PICTURES, recipe=RECIPE, trace=dash, frames=2)
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            self.assertTrue(edgeprobe.compare("-t.mcap", "-t.mcap").agrees)
        finally:
            os.chdir(before)

    def test_control_c_ends_the_program_in_order(self):
        script = ("import sys, edgeprobe\nprint('ready', flush=True)\ntry:\n"
                  "  edgeprobe.run(sys.argv[1], sys.argv[2], recipe=sys.argv[3], trace=sys.argv[4], pipeline=None, level='layers')\n"
                  "except KeyboardInterrupt: print('interrupted', flush=True)\nelse: print('done', flush=True)\n")
        child = subprocess.Popen([sys.executable, "-c", script, FLOAT, PICTURES, RECIPE, self.path], stdout=subprocess.PIPE, text=True,
                                 process_group=0)
        self.assertEqual(child.stdout.readline(), "ready\n")
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline and child.poll() is None and not (self.path.exists() and self.path.stat().st_size > 0):
            time.sleep(0.01)
        os.killpg(child.pid, signal.SIGINT)
        self.assertEqual(child.communicate(timeout=600)[0], "interrupted\n")
        with edgeprobe.load(self.path) as trace:
            self.assertTrue(trace.finished)

    def test_any_class_of_a_set_is_right(self):
        """Accuracies and McNemar's p, recomputed from the outputs with NumPy."""
        import numpy as np

        names = sorted(path.name for path in PICTURES.glob("*.png"))[:24]
        folder = self.folder / "pictures"
        folder.mkdir()
        for name in names:
            (folder / name).symlink_to(PICTURES / name)
        rng = np.random.default_rng(5)
        sets = {name: sorted({int(i) for i in rng.integers(0, 12, 1 + i % 4)}) for i, name in enumerate(names)}
        labels = self.folder / "sets.csv"
        labels.write_text("file,label\n" + "".join(f"{name},{';'.join(map(str, classes))}\n" for name, classes in sets.items()))
        a, b = self.folder / "sets_a.mcap", self.folder / "sets_b.mcap"
        for path, recipe in ((a, RECIPE), (b, RECIPE.replace("rgb", "bgr"))):
            edgeprobe.run(FLOAT, folder, recipe=recipe, labels=labels, trace=path)
        right = []
        for path in (a, b):
            with edgeprobe.load(path) as trace:
                self.assertEqual(len(trace.frames), len(names))
                hits = []
                for number in range(len(names)):
                    frame = trace.frames[number]
                    known = sets[frame.sample]
                    if len(known) == 1:
                        self.assertEqual((frame.label, frame.annotation), (known[0], None))
                    else:
                        self.assertEqual((frame.label, frame.annotation.kind, frame.annotation.value), (None, "class_set", known))
                    output = next(c.name for c in trace.channels if c.stage == "model_output")
                    hits.append(int(np.argmax(frame.real(output).ravel())) in known)
                right.append(np.array(hits))
        result = edgeprobe.compare(a, b).classes
        self.assertEqual(result.labelled, len(names))
        self.assertEqual((result.reference_accuracy, result.target_accuracy), (right[0].mean(), right[1].mean()))
        lost, won = int((right[0] & ~right[1]).sum()), int((~right[0] & right[1]).sum())
        self.assertGreater(lost + won, 0)
        tail = sum(math.comb(lost + won, k) for k in range(min(lost, won) + 1)) / 2 ** (lost + won)
        self.assertAlmostEqual(result.p_value, min(1, 2 * tail), places=12)

    def test_the_program_is_found(self):
        self.assertTrue(os.access(edgeprobe.executable(), os.X_OK))
        done = subprocess.run([sys.executable, "-c", "from edgeprobe.command_line import main; import sys; sys.argv[1:] = ['--version']; main()"],
                              capture_output=True, text=True)
        spelled = edgeprobe.__version__.replace("rc", "-rc")  # Python spells a pre-release in its own way.
        self.assertEqual((done.returncode, done.stdout), (0, f"edgeprobe {spelled}\n"))


if __name__ == "__main__":
    support.main()
