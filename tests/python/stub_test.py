# SPDX-License-Identifier: Apache-2.0
"""The files that type checkers read: the native module's stub equals the module's own description, and each verb has each flag.

`stub_test.py --update` writes the present stub."""
import importlib
import inspect
import re
import subprocess
import sys

import support

import edgeprobe
from edgeprobe.verbs import contract, models, stretch, verbs
from support import ROOT

STUB = ROOT / "python" / "edgeprobe" / "_native.pyi"


def generated():
    from nanobind.stubgen import StubGen

    module = importlib.import_module("edgeprobe._native")
    stub = StubGen(module, quiet=True)
    stub.put(module)
    return stub.get()


class StubTest(support.PackageTest):
    def test_the_stub_is_the_module(self):
        try:
            import nanobind  # noqa: F401
        except ImportError as error:
            self.skipTest(str(error))
        self.maxDiff = None
        self.assertEqual(STUB.read_text(), generated(), "run this test with --update and look at the difference")

    def test_every_public_name_is_there_and_told_to_type_checkers(self):
        source = (ROOT / "python" / "edgeprobe" / "__init__.py").read_text()
        typed = set(re.findall(r"\w+", " ".join(re.findall(r"from \.[\w.]+ import (.*)", source.split("if TYPE_CHECKING:")[1].split("\n\n")[0]))))
        self.assertEqual(typed, set(edgeprobe.__all__) - {"__version__"})
        self.assertEqual(typed, set(edgeprobe._MODULE_OF))
        for name in edgeprobe.__all__:
            self.assertIsNotNone(inspect.getdoc(getattr(edgeprobe, name)) or name == "__version__", name)
        self.assertTrue((ROOT / "python" / "edgeprobe" / "py.typed").exists())
        with self.assertRaises(AttributeError):
            edgeprobe.absent

    def test_every_flag_has_its_keyword(self):
        known = {"run": verbs.RunOptions, "replay": verbs.ReplayOptions, "compare": verbs.CompareOptions, "diagnose": verbs.DiagnoseOptions, "check": verbs.CheckOptions, "bench": models.BenchOptions, "inspect": models.InspectOptions,
                 "contract learn": contract.LearnOptions, "contract check": contract.CheckOptions, "contract update": contract.SubjectOptions,
                 "stretch generate": stretch.GenerateOptions, "stretch regions": stretch.RegionsOptions, "stretch split": stretch.SplitOptions, "stretch search": stretch.SearchOptions, "stretch explain": stretch.ExplainOptions, "stretch table": stretch.TableOptions, "stretch profile": stretch.ProfileOptions, "stretch evaluate": stretch.EvaluateOptions, "stretch train": stretch.TrainOptions}
        # Covered by the functions' own parameters.
        own = {"run": {"data"}, "replay": {"model", "trace", "data", "force"}, "compare": set(), "diagnose": set(), "check": {"data"}, "bench": set(), "inspect": set(), "contract learn": {"out"}, "contract check": {"contract"}, "contract update": {"contract"},
               "stretch generate": {"output"}, "stretch regions": set(), "stretch split": {"output"}, "stretch search": {"output"}, "stretch explain": set(), "stretch table": set(), "stretch profile": {"output"}, "stretch evaluate": {"data"}, "stretch train": {"data", "output"}}
        for verb, options in known.items():
            told = subprocess.run([edgeprobe.executable(), *verb.split(), "--help-all"], capture_output=True, text=True, check=True).stdout
            # The flags of NN-Stretch's scripts are for command lines.
            told = told.split("\nNN-Stretch's names:")[0]
            flags = {flag.replace("-", "_") for flag in re.findall(r"^  (?:-\w,)?--([a-z-]+)", told, re.M)} - {"json", "help"}
            keywords = set(options.__annotations__)
            self.assertEqual(keywords | own[verb], flags, verb)


if __name__ == "__main__":
    if "--update" in sys.argv:
        STUB.write_text(generated())
        sys.exit()
    support.main()
