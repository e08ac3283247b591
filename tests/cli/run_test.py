# SPDX-License-Identifier: Apache-2.0
"""run, replay and compare: what is recorded, that capture changes nothing, and that Ctrl-C loses nothing."""
import json
import os
import shutil
import signal
import stat
import subprocess
import time

import tool
from tool import MODELS, RECIPE, run

DATA = MODELS / "data" / "test"


class RunTest(tool.ToolTest):
    def record(self, name, *more, model="signs_float.tflite", recipe=RECIPE, frames=6):
        trace = self.folder / name
        done = run("run", MODELS / model, "--recipe", recipe, "--data", DATA, "--frames", frames, "--trace", trace, "--json", *more, expect=0)
        return trace, json.loads(done.out)

    def test_layers_are_captured_and_the_outputs_stay(self):
        trace, summary = self.record("layers.mcap", "--level", "layers")
        self.assertEqual(summary["frames_moved_by_capture"], 0)
        self.assertGreater(summary["layers"], 10)
        self.assertEqual(stat.S_IMODE(os.stat(trace).st_mode), 0o600)
        info = json.loads(run("trace", "info", trace, "--json", expect=0).out)
        self.assertEqual(info["frames"], 6)

    def test_layers_equal_the_engines_own_interpreter(self):
        """Every captured tensor against LiteRT's Python interpreter with all tensors preserved, fed with the recorded input."""
        import numpy as np
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        for model, recipe in (("signs_float.tflite", RECIPE), ("signs_int8.tflite", RECIPE + " | quantize(model)")):
            trace, _ = self.record(model + ".mcap", "--level", "layers", "--kernels", "builtin", model=model, recipe=recipe, frames=2)
            npz = self.folder / (model + ".npz")
            run("trace", "export", trace, "--npz", npz, expect=0)
            arrays = np.load(npz)
            interpreter = Interpreter(str(MODELS / model), experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
                                      experimental_preserve_all_tensors=True)
            interpreter.allocate_tensors()
            inputs = next(arrays[n] for n in arrays.files if "model_input" in n)
            compared = 0
            for frame in range(2):
                interpreter.set_tensor(interpreter.get_input_details()[0]["index"], inputs[frame])
                interpreter.invoke()
                for detail in interpreter.get_tensor_details():
                    member = "layer/" + detail["name"]
                    if member in arrays.files:
                        np.testing.assert_array_equal(arrays[member][frame], interpreter.get_tensor(detail["index"]), member)
                        compared += 1
            self.assertEqual(compared, 2 * 18, arrays.files)

    def test_a_resized_input_reaches_every_layer(self):
        recipe = RECIPE.replace("64x64", "96x96")
        trace, summary = self.record("resized.mcap", "--level", "layers", "--input-shape", "1x96x96x3", recipe=recipe, frames=2)
        self.assertEqual(summary["frames_moved_by_capture"], 0)
        info = json.loads(run("trace", "info", trace, "--json", expect=0).out)
        shapes = {tensor["name"]: tensor["shape"] for tensor in info["tensors"] if tensor["stage"] in {"model_input", "layer"}}
        self.assertEqual(shapes["image"], [1, 96, 96, 3])
        self.assertEqual(shapes["stem/conv"][1:3], [48, 48])
        done = run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", DATA, "--frames", 1, "--input-shape", "1x-3", "--trace",
                   self.folder / "x.mcap", expect=2)
        self.assertIn("--input-shape", done.err)

    def test_an_existing_trace_is_kept_unless_force(self):
        trace, _ = self.record("a.mcap")
        before = trace.read_bytes()
        done = run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", DATA, "--frames", 2, "--trace", trace, expect={1, 2})
        self.assertIn("a.mcap", done.err)
        self.assertEqual(trace.read_bytes(), before)
        run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", DATA, "--frames", 2, "--trace", trace, "--force", expect=0)

    def test_a_dataset_with_unreadable_pictures_goes_on_and_lists_them(self):
        data = self.folder / "data"
        data.mkdir()
        for name in sorted(os.listdir(DATA))[:4]:
            shutil.copy(DATA / name, data / name)
        (data / "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0 not a picture")
        (data / "empty.png").write_bytes(b"")
        done = run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", data, "--trace", self.folder / "t.mcap", "--json", expect=0)
        summary = json.loads(done.out)
        self.assertEqual(summary["frames"], 4)
        self.assertEqual(sorted(u["sample"] for u in summary["unreadable"]), ["broken.jpg", "empty.png"])
        self.assertIn("2 samples could not be read", done.err)

    def test_replay_of_a_trace_equals_the_run_bit_for_bit(self):
        first, _ = self.record("first.mcap", "--level", "layers")
        second = self.folder / "second.mcap"
        run("replay", first, MODELS / "signs_float.tflite", "--recipe", RECIPE, "--level", "layers", "--trace", second, expect=0)
        done = run("compare", first, second, "--json", expect=0)
        json.loads(done.out)

    def test_compare_of_two_builds_differs(self):
        good, _ = self.record("good.mcap")
        bad, _ = self.record("bad.mcap", recipe=RECIPE.replace("rgb", "bgr"))
        run("compare", good, bad, expect=3)

    def test_interrupt_keeps_what_is_done(self):
        trace = self.folder / "t.mcap"
        process = subprocess.Popen([tool.EXECUTABLE, "run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", DATA, "--level", "io",
                                    "--kernels", "builtin", "--json", "--trace", trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        deadline = time.time() + 60
        while time.time() < deadline and process.poll() is None and not (trace.exists() and trace.stat().st_size > 20_000):
            time.sleep(0.002)
        os.killpg(process.pid, signal.SIGINT)  # As a terminal does: the whole foreground group.
        out, err = process.communicate(timeout=60)
        if process.returncode == 0:
            self.skipTest("the run was over before it could be interrupted")
        self.assertEqual(process.returncode, 130, err)
        self.assertTrue(json.loads(out)["interrupted"])
        info = json.loads(run("trace", "info", trace, "--json", expect=0).out)
        self.assertGreater(info["frames"], 0)
        self.assertLess(info["frames"], 480)

    def test_the_default_place_follows_the_convention(self):
        done = run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", DATA, "--frames", 1, "--json", expect=0, cwd=self.folder)
        path = json.loads(done.out)["trace"]
        self.assertRegex(path, r"^traces/test/signs_float/litert-xnnpack_recipe-[0-9a-f]{8}\.mcap$")
        self.assertTrue((self.folder / path).exists())

    def test_too_large_a_trace_is_refused_before_anything_is_written(self):
        trace = self.folder / "t.mcap"
        done = run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", DATA, "--level", "layers", "--max-size", "1MB", "--trace", trace,
                   expect=1)
        self.assertIn("--max-size", done.err)
        self.assertFalse(trace.exists())


if __name__ == "__main__":
    tool.main()
