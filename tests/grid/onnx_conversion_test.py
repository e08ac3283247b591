# SPDX-License-Identifier: Apache-2.0
"""`edgeprobe onnx-conversion` on the command line, with a framework of NumPy whose models end in every way that a cell can end.

Usage: onnx_conversion_test.py EDGEPROBE. Keras, PyTorch and JAX export where EDGEPROBE_KERAS_PYTHON, EDGEPROBE_TORCH_PYTHON or
EDGEPROBE_JAX_PYTHON names a Python that has the framework and its exporter."""
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "cli")]
import tool  # noqa: E402
from processes import status, wait_for  # noqa: E402
from tool import run  # noqa: E402

try:
    import numpy  # noqa: F401
    import onnx  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TINY = pathlib.Path(__file__).with_name("tiny_framework.py")
os.environ["EDGEPROBE_PYTHON"] = sys.executable


def cells_of(file):
    """(model, importer or "") -> cell."""
    return {(cell["model"], cell.get("importer", "")): cell for cell in json.loads(pathlib.Path(file).read_text())["cells"]}


class OnnxConversionTest(tool.ToolTest):
    def grid(self, models, *more, expect=0, importers="onnxruntime", out="grid.json"):
        return run("onnx-conversion", self.folder / "cells", self.folder / out, "--frameworks", TINY, "--models", models, "--importers", importers, *more,
                   expect=expect)

    def cells(self, models, *more, **settings):
        self.grid(models, *more, **settings)
        return cells_of(self.folder / "grid.json")

    def test_a_file_that_computes_the_frameworks_outputs_is_supported(self):
        cells = self.cells("good")
        self.assertEqual(cells["good", ""]["status"], "supported")
        self.assertEqual(cells["good", ""]["opsets"], [["ai.onnx", 17]])
        self.assertEqual(cells["good", "onnxruntime"]["status"], "supported")
        self.assertLess(cells["good", "onnxruntime"]["error"], 1e-5)

    def test_a_file_that_computes_something_else_differs(self):
        cells = self.cells("wrong", expect=3, importers="onnxruntime,openvino")
        self.assertEqual(cells["wrong", "onnxruntime"]["status"], "differs")
        self.assertEqual(cells["wrong", "openvino"]["status"], "differs")
        # By an independent route: NumPy with the weights of the file.
        arrays = numpy.load(self.folder / "cells/tiny_framework/wrong/inputs.npz")["x"]
        weights = {one.name: onnx.numpy_helper.to_array(one) for one in onnx.load(self.folder / "cells/tiny_framework/wrong/model.onnx").graph.initializer}
        own = [numpy.maximum(x @ weights["a"], 0) ** 2 @ weights["b"] for x in arrays]
        found = [numpy.tanh(x @ weights["a"]) ** 2 @ weights["b"] for x in arrays]
        error = max(abs(a - b).max() / abs(b).max() for a, b in zip(found, own))
        self.assertAlmostEqual(cells["wrong", "onnxruntime"]["error"], error, places=5)
        # Two engines agree with each other, so the export is to blame.
        self.assertEqual(cells["wrong", ""]["status"], "differs")

    def test_an_engine_that_differs_names_the_first_node_and_its_cause(self):
        cells = self.cells("pooling", expect=3, importers="onnxruntime,openvino")
        self.assertEqual((cells["pooling", ""]["status"], cells["pooling", "onnxruntime"]["status"]), ("supported", "supported"))
        differs = cells["pooling", "openvino"]
        self.assertEqual(differs["status"], "differs")
        self.assertRegex(differs["first_node"], "^AveragePool 'pooled' with .*ceil_mode=1.*, against onnxruntime")
        self.assertIn("miscomputes AveragePool", differs["cause"])

    def test_a_failed_export_has_its_status_and_reason(self):
        cells = self.cells("invalid,raises,unsupported,killed")
        for model, status, words in (("invalid", "invalid", "Erfc"), ("raises", "error", "ValueError: this layer of model.onnx has no name"),
                                     ("unsupported", "unsupported", "the operator Spline"), ("killed", "error", "signal 9")):
            with self.subTest(model=model):
                self.assertEqual(cells[model, ""]["status"], status)
                self.assertIn(words, cells[model, ""]["reason"])
                self.assertEqual(cells[model, "onnxruntime"]["status"], "unverified")

    def test_a_file_too_new_for_an_engine_names_the_versions_that_work(self):
        cell = self.cells("newest")["newest", "onnxruntime"]
        self.assertEqual(cell["status"], "unsupported")
        self.assertIn("Unsupported model IR version: 14", cell["reason"])
        self.assertIn("ONNX Runtime 1.32.0 reads them", cell["pair"])

    def test_outputs_that_rounding_decides_are_not_judged(self):
        cells = self.cells("unstable")
        self.assertEqual(cells["unstable", "onnxruntime"]["status"], "unverified")
        self.assertIn("proves nothing", cells["unstable", "onnxruntime"]["reason"])

    def test_a_cell_beyond_a_limit_is_stopped_and_says_so(self):
        for model, flags, words in (("slow", ["--time-limit", "2"], "after 2 s (--time-limit)"), ("large", ["--memory-limit", "300MB"], "above 300 MB of memory"),
                                    ("long", ["--disk-limit", "20MB"], "above 20 MB on disk")):
            with self.subTest(model=model):
                begin = time.monotonic()
                cell = self.cells(model, *flags)[model, ""]
                self.assertEqual(cell["status"], "error")
                self.assertIn(words, cell["reason"])
                self.assertLess(time.monotonic() - begin, 120)

    def test_a_stopped_cell_leaves_no_process(self):
        file = self.folder / "cells/tiny_framework/forks/child"
        # On a busy machine a process may need longer than the shortest limit to begin.
        for limit in ("2", "20", "200"):
            self.cells("forks", "--time-limit", limit)
            if file.exists():
                break
        child = int(file.read_text())
        self.assertIn(status(child, "State")[:1], ("", "Z"))

    def test_a_second_run_does_only_what_changed(self):
        # By itself, since a busy machine may need more than that limit for it.
        self.grid("good")
        self.grid("good,slow", "--time-limit", "2")
        made = self.folder / "cells/tiny_framework"
        files = [made / "good/export.json", made / "good/import-onnxruntime.json", made / "slow/export.json"]
        before = [file.stat().st_mtime_ns for file in files]
        self.grid("good,slow", "--time-limit", "2")
        self.assertEqual([file.stat().st_mtime_ns for file in files], before)
        # Another limit may let the slow one end; a finished one stays.
        self.grid("good,slow", "--time-limit", "2.5")
        after = [file.stat().st_mtime_ns for file in files]
        self.assertEqual([old == new for old, new in zip(before, after)], [True, True, False])
        # A damaged file is exported again.
        (made / "good/model.onnx").write_bytes(b"")
        self.assertEqual(self.cells("good")["good", "onnxruntime"]["status"], "supported")
        before = files[0].stat().st_mtime_ns
        self.grid("good", "--force")
        self.assertNotEqual(files[0].stat().st_mtime_ns, before)

    def test_ctrl_c_keeps_the_cells_that_ended_and_no_process(self):
        words = ["onnx-conversion", self.folder / "cells", self.folder / "grid.json", "--frameworks", TINY, "--models", "good,forks", "--importers", "onnxruntime"]
        process = subprocess.Popen([tool.EXECUTABLE, *map(str, words)], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        child = self.folder / "cells/tiny_framework/forks/child"
        wait_for(lambda: process.poll() is not None or (child.exists() and child.read_text()))
        self.assertIn("another run works in", self.grid("good", expect=2).err)
        process.send_signal(2)
        said = process.communicate(timeout=tool.PATIENCE)[1]
        self.assertEqual(process.returncode, 130)
        self.assertIn("the same command continues", said)
        self.assertTrue((self.folder / "cells/tiny_framework/good/import-onnxruntime.json").exists())
        self.assertTrue(wait_for(lambda: status(child.read_text(), "State")[:1] in ("", "Z")))

    def test_wrong_arguments_are_refused_before_any_work(self):
        for words, said in ((["grid.txt"], "written as .rst, .md, .html or .json"), (["g.rst", "--frameworks", "kears"], "did you mean 'keras'"),
                            (["g.rst", "--importers", "tvmm"], "did you mean 'tvm'"), (["g.rst", "--frameworks", str(TINY), "--models", "god"], "did you mean 'good'"),
                            (["g.rst", "--frameworks", "pytorch"], "--python pytorch=PYTHON"), (["g.rst", "--python", "keras"], "FRAMEWORK=PYTHON"),
                            (["g.rst", "--memory-limit", "much"], "--memory-limit"), (["g.rst", "--time-limit", "0"], "--time-limit"),
                            (["g.rst", "--frameworks", "there_is_none.py"], "no such file")):
            with self.subTest(words=words):
                done = run("onnx-conversion", self.folder / "cells", *words, expect=2, cwd=self.folder)
                self.assertIn(said, done.err)
                self.assertFalse((self.folder / "g.rst").exists())

    def test_a_folder_or_report_that_is_not_of_a_grid_is_left_alone(self):
        (self.folder / "cells").mkdir()
        (self.folder / "cells/mine.txt").write_text("mine")
        self.assertIn("not of a grid", self.grid("good", expect=2).err)
        (self.folder / "cells/mine.txt").unlink()
        (self.folder / "mine.md").write_text("my notes\n")
        self.grid("good", expect=2, out="mine.md")
        self.assertEqual((self.folder / "mine.md").read_text(), "my notes\n")

    def test_every_form_is_written_and_may_be_written_again(self):
        names = [self.folder / f"new/grid{form}" for form in (".rst", ".md", ".html", ".json")]
        for _ in range(2):
            # Edge AI tester's name of the scenario.
            done = run("onnx_conversion", self.folder / "cells", *names, "--frameworks", TINY, "--models", "good", "--importers", "onnxruntime", "--json",
                       self.folder / "too.json", expect=0)
        self.assertIn("supported 2", done.out)
        command = json.loads(names[3].read_text())["command"]
        self.assertEqual(command, "edgeprobe onnx-conversion DIR OUT.rst OUT.md OUT.html OUT.json --frameworks tiny_framework.py --models good --importers onnxruntime")
        self.assertEqual(cells_of(names[3]), cells_of(self.folder / "too.json"))
        self.assertIn("| good | supported | supported |", names[1].read_text())
        self.assertIn("<td>good</td><td>supported</td>", names[2].read_text())

    def test_scikit_learn_without_its_exporter_is_unverified(self):
        empty = self.folder / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", empty], check=True)
        run("onnx-conversion", self.folder / "cells", self.folder / "grid.json", "--frameworks", "sklearn", "--python", f"sklearn={empty}/bin/python", expect=0)
        cells = cells_of(self.folder / "grid.json")
        self.assertEqual({cell["status"] for cell in cells.values()}, {"unverified"})
        self.assertIn("no sklearn", cells["svm", ""]["reason"])

    def real(self, framework, variable, modules):
        """A model of the framework in the Python that a variable names, if that also has the exporter."""
        python = os.environ.get(variable)
        if not python:
            self.skipTest(f"no Python is named by {variable}")
        ask = "import importlib.util, sys; sys.exit(any(importlib.util.find_spec(name) is None for name in sys.argv[1:]))"
        if subprocess.run([python, "-c", ask, *modules]).returncode:
            self.skipTest(f"the Python of {variable} lacks one of {', '.join(modules)}")
        run("onnx-conversion", self.folder / "cells", self.folder / "grid.json", "--frameworks", framework, "--python", f"{framework}={python}", "--models", "mlp",
            "--importers", "onnxruntime", expect=0)
        cells = cells_of(self.folder / "grid.json")
        self.assertEqual(cells["mlp", "onnxruntime"]["status"], "supported")
        self.assertLess(cells["mlp", "onnxruntime"]["error"], 1e-5)

    def test_keras(self):
        self.real("keras", "EDGEPROBE_KERAS_PYTHON", ("keras", "tf2onnx", "onnx"))

    def test_pytorch(self):
        self.real("pytorch", "EDGEPROBE_TORCH_PYTHON", ("torch", "torchvision", "onnxscript", "onnx"))

    def test_jax(self):
        self.real("jax", "EDGEPROBE_JAX_PYTHON", ("jax", "jax2onnx", "onnx"))


if __name__ == "__main__":
    tool.main()
