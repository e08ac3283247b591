# SPDX-License-Identifier: Apache-2.0
"""The same model on two processors: traces that aarch64 records (under qemu) are compared with those of this machine.

    aarch64_test.py EDGEPROBE EDGEPROBE-OF-AARCH64

For quantised models, reference kernels must agree in every bit of every layer; results of optimised kernels and float models are
printed. Models beyond the project's own come from ../shared/data (or EDGEPROBE_SHARED_DATA) if it exists."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODELS = ROOT / "models"
SHARED = pathlib.Path(os.environ.get("EDGEPROBE_SHARED_DATA", ROOT.parent / "shared" / "data"))
RECIPE = (MODELS / "signs.recipe").read_text().strip()
HERE = {"tflite": ROOT / ".deps/engines/libjnitensorflowlite.so", "onnxruntime": ROOT / ".deps/engines/libonnxruntime.so"}
BOARD = {"tflite": ROOT / ".deps/cross/aarch64/engines/libjnitensorflowlite.so",
         "onnxruntime": ROOT / ".deps/cross/aarch64/engines/libonnxruntime.so"}
LIMIT = 240  # seconds for one run under qemu, which is known to hang
EXECUTABLE = BOARD_EXECUTABLE = None

# name of the model below ../shared/data/models, recipe ("" = the model's default)
QUANTISED = [
    ("aeq/conv_fc_mnist_srq_a8w8", ""),
    ("mlperf_tiny/kws_ref_model", "resize(49x10, bilinear, antialias=off, align=half_pixel) | gray | scale(-123.4..25.7) | quantize(model)"),
    ("mlperf_tiny/pretrainedResnet_quant", ""),
    ("mlperf_tiny/vww_96_int8", ""),
    ("coral/mobilenet_v1_0.25_128_quant", ""),
    ("tflite_support/mobilenet_v1_0.25_224_quant", ""),
]


def run(command, *args, expect=0, **more):
    done = subprocess.run([*map(str, command), *map(str, args)], capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)
    if done.returncode != expect:
        raise AssertionError(f"exit code {done.returncode}, expected {expect}: {' '.join(map(str, args))}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def here(*args, **more):
    return run([EXECUTABLE], *args, timeout=LIMIT, **more)


def on_board(*args, **more):
    # script/emulate stops qemu by itself; the second limit covers the case that it cannot.
    environment = dict(os.environ, EDGEPROBE_EMULATION_LIMIT=str(LIMIT))
    return run([ROOT / "script/emulate", "aarch64", BOARD_EXECUTABLE], *args, timeout=LIMIT + 20, env=environment, **more)


def engine(kind, libraries):
    # Emulated code is a hundred times slower; this must not count as an engine that hangs.
    return ["--engine", f"{kind}:{libraries[kind]}", "--time-limit", 120]


class Aarch64(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="edgeprobe_aarch64_")
        self.folder = pathlib.Path(self._folder.name)

    def tearDown(self):
        self._folder.cleanup()

    def record(self, model, data, *more, recipe="", frames=1, kind="tflite", kernels=None):
        """The traces of both processors, each with every layer."""
        recipe = ["--recipe", recipe] if recipe else []
        kernels = ["--kernels", kernels] if kernels else []
        traces = self.folder / "here.mcap", self.folder / "aarch64.mcap"
        for runner, libraries, trace in ((here, HERE, traces[0]), (on_board, BOARD, traces[1])):
            runner("run", model, *recipe, *kernels, *engine(kind, libraries), "--data", data, "--frames", frames, "--level", "layers",
                   "--trace", trace, "--force", *more)
        return traces

    def assert_equal_in_every_bit(self, traces, name):
        """Compares twice: with `compare`, and with NumPy on the exports of both traces."""
        found = json.loads(here("compare", *traces, "--json", "--top", 1000))
        self.assertTrue(found["exact"], found["headline"])
        arrays = []
        for trace in traces:
            here("trace", "export", trace, "--npz", trace.with_suffix(".npz"), "--force")
            with np.load(trace.with_suffix(".npz")) as file:
                arrays.append({key: file[key] for key in file.files if key.startswith(("model_input/", "layer/", "model_output/"))})
        self.assertEqual(sorted(arrays[0]), sorted(arrays[1]))
        layers = [key for key in arrays[0] if key.startswith("layer/")]
        self.assertGreater(len(layers), 3, sorted(arrays[0]))
        values = 0
        for key, array in arrays[0].items():
            self.assertEqual(array.dtype, arrays[1][key].dtype, key)
            np.testing.assert_array_equal(array.view(np.uint8), arrays[1][key].view(np.uint8), key)
            values += array.size
        print(f"    {name}: {len(layers)} layers, {values} values equal in every bit", flush=True)

    def test_1_the_deployed_executable_starts(self):
        self.assertEqual(on_board("--version"), here("--version"))

    def test_2_our_quantised_model_on_reference_kernels(self):
        traces = self.record(MODELS / "signs_int8.tflite", MODELS / "data/test", recipe=RECIPE + " | quantize(model)", frames=6,
                             kernels="reference")
        self.assert_equal_in_every_bit(traces, "signs_int8, 6 pictures")

    def test_3_other_quantised_models_on_reference_kernels(self):
        tried = 0
        for name, recipe in QUANTISED:
            model = SHARED / "models" / (name + ".tflite")
            if not model.exists():
                continue
            with self.subTest(name):
                traces = self.record(model, SHARED / "images" / "cat.bmp", recipe=recipe, kernels="reference")
                self.assert_equal_in_every_bit(traces, name)
            tried += 1
        if tried == 0:
            self.skipTest(f"there are no models in {SHARED} (EDGEPROBE_SHARED_DATA)")
        self.assertEqual(tried, len(QUANTISED))

    def test_4_optimised_kernels_and_float_are_reported(self):
        """Not required to be equal; the answers must still agree."""
        cases = [("signs_int8, xnnpack", "signs_int8.tflite", RECIPE + " | quantize(model)", "tflite", "xnnpack"),
                 ("signs_float, reference", "signs_float.tflite", RECIPE, "tflite", "reference"),
                 ("signs_float, xnnpack", "signs_float.tflite", RECIPE, "tflite", "xnnpack")]
        if BOARD["onnxruntime"].exists() and HERE["onnxruntime"].exists():
            nchw = (MODELS / "signs_nchw.recipe").read_text().strip()
            cases.append(("signs_float.onnx, onnxruntime", "signs_float.onnx", nchw, "onnxruntime", None))
        for name, model, recipe, kind, kernels in cases:
            with self.subTest(name):
                traces = self.record(MODELS / model, MODELS / "data/test", recipe=recipe, frames=4, kind=kind, kernels=kernels)
                found = json.loads(here("compare", *traces, "--json", "--top", 1000))
                self.assertEqual(found["outcome"], "agrees", found["headline"])
                print(f"    {name}: {found['headline']}", flush=True)

    def test_5_a_check_on_the_board_names_the_fault(self):
        began = time.monotonic()
        verdict = json.loads(on_board(
            "check", MODELS / "signs_int8.tflite", "--recipe", RECIPE.replace("rgb", "bgr") + " | quantize(model)",
            "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE, "--data", MODELS / "data/test", "--frames", 4,
            "--labels", MODELS / "data/labels.csv", *engine("tflite", BOARD), "--reference-engine", f"tflite:{BOARD['tflite']}", "--json",
            expect=3))
        self.assertEqual(verdict["verdict"], "differs")
        self.assertEqual([(cause["kind"], cause["status"]) for cause in verdict["causes"]], [("channel_order", "confirmed")])
        print(f"    check under qemu: {verdict['headline']} ({time.monotonic() - began:.0f} s, emulated)", flush=True)

    def test_6_a_library_of_another_processor_is_refused(self):
        done = subprocess.run([ROOT / "script/emulate", "aarch64", BOARD_EXECUTABLE, "run", MODELS / "signs_int8.tflite", "--engine",
                               f"tflite:{HERE['tflite']}", "--data", MODELS / "data/test", "--frames", "1", "--trace", self.folder / "no.mcap"],
                              capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("built for x86-64, this program runs on 64-bit ARM", done.stderr)

    def test_7_a_check_with_a_board_as_target_says_what_it_says_here(self):
        """`serve` under qemu, the host on this processor; both use reference kernels, so that they compute the same."""
        began = time.monotonic()
        check = ["check", MODELS / "signs_int8.tflite", "--recipe", RECIPE.replace("rgb", "bgr") + " | quantize(model)", "--kernels", "reference",
                 "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE, "--data", MODELS / "data/test", "--frames", 12,
                 "--labels", MODELS / "data/labels.csv", "--time-limit", 120]
        local = here(*check, "--engine", f"tflite:{HERE['tflite']}", expect=3)
        socket = self.folder / "board.sock"
        board = subprocess.Popen([ROOT / "script/emulate", "aarch64", BOARD_EXECUTABLE, "serve", "--listen", f"unix:{socket}", *map(str, engine("tflite", BOARD))],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ, EDGEPROBE_EMULATION_LIMIT=str(LIMIT)))
        try:
            self.assertTrue(board.stdout.readline().startswith("listening on "))
            there = here(*check, "--target", f"unix:{socket}", expect=3)
        finally:
            board.terminate()
            log = board.communicate(timeout=600)[1]
        # The libraries of two processors have two hashes, which the report names.
        self.assertEqual(*(re.sub(r"\b[0-9a-f]{40,64}\b", "HASH", text) for text in (local, there)), log)
        self.assertTrue(there.startswith("the app feeds BGR"), there)
        print(f"    check with a target under qemu: {there.splitlines()[0]} ({time.monotonic() - began:.0f} s, emulated)", flush=True)


if __name__ == "__main__":
    EXECUTABLE, BOARD_EXECUTABLE = map(pathlib.Path, sys.argv[1:3])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
