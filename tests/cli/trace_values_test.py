# SPDX-License-Identifier: Apache-2.0
"""trace info --values against NumPy. trace_values_test.py EDGEPROBE"""
import json
import sys

import numpy as np

import tool
from tool import ROOT, run

sys.path.insert(0, str(ROOT / "tests" / "python"))
import support  # noqa: E402,F401  finds the Python package of this build, or skips
import edgeprobe  # noqa: E402


def expected(array):
    real = array.astype(np.float64)
    finite = real[np.isfinite(real)]
    floating = array.dtype.kind == "f"
    smallest = np.finfo(array.dtype).smallest_normal if floating else 0
    ends = np.finfo(array.dtype) if array.dtype == np.float16 else None if floating else np.iinfo(array.dtype)
    return {"values": array.size, "least": finite.min() if finite.size else None, "most": finite.max() if finite.size else None,
            "nan": int(np.isnan(real).sum()), "infinite": int(np.isinf(real).sum()), "zeros": int((finite == 0).sum()),
            "denormal": int(((finite != 0) & (np.abs(finite) < smallest)).sum()) if floating else 0,
            "saturated": int(((real == ends.min) | (real == ends.max)).sum()) if ends is not None else 0,
            "beyond_float16": int((np.abs(finite) > 65504).sum())}


class TraceValuesTest(tool.ToolTest):
    def test_counts_of_each_tensor(self):
        random, path = np.random.default_rng(3), self.folder / "t.mcap"
        kinds = {"float32": random.normal(0, 3e4, (3, 2, 50)).astype(np.float32), "float16": random.normal(0, 1, (3, 100)).astype(np.float16),
                 "float64": random.normal(0, 1, (3, 20)), "int8": random.integers(-128, 128, (3, 400)).astype(np.int8),
                 "uint8": random.integers(0, 256, (3, 400)).astype(np.uint8), "none": np.full((3, 4), np.nan, np.float32)}
        kinds["float32"][0, 0, :7] = np.nan, np.inf, -np.inf, 1e-40, 0, 65504, 65505
        kinds["float16"][1, :4] = 65504, -65504, 1e-5, np.inf
        kinds["float64"][2, :3] = 1e300, 1e-310, 1e-200
        with edgeprobe.Probe(str(path), level="layers", wait_when_full=True) as probe:
            for k in range(3):
                with probe.frame() as frame:
                    for position, (name, values) in enumerate(kinds.items()):
                        frame.tensor(name, values[k], "layer", position=position)
        said = {one["name"]: one["values"] for one in json.loads(run("trace", "info", path, "--values", "--json", expect=0).out)["tensors"]}
        for name, values in kinds.items():
            wanted = expected(values)
            for key, value in wanted.items():
                if isinstance(value, float) and name != "float64":
                    self.assertAlmostEqual(said[name][key], value, delta=1e-6 * max(1, abs(value)), msg=f"{name} {key}")
                else:
                    self.assertEqual(said[name][key], value, f"{name} {key}")
        text = run("trace", "info", path, "--values", expect=0).out.split("\nvalues\n")[1]
        self.assertRegex(text, r"\nlayer +none +none +0\.0 % +12 +0 +0 +0 +0  none\n")

    def test_a_verdict_counts_both_sides(self):
        random = np.random.default_rng(5)
        sides = {}
        for side in ("reference", "target"):
            kinds = {"image": ("model_input", np.zeros((3, 8), np.float32)), "conv": ("layer", random.normal(0, 1, (3, 40)).astype(np.float32)),
                     "codes": ("layer", np.zeros((3, 30), np.int8)), "calm": ("layer", np.ones((3, 5), np.float32)), "scores": ("model_output", np.full((3, 4), 0.25, np.float32))}
            kinds["image"][1][:] = np.arange(8) / 8
            if side == "reference":
                kinds["conv"][1][1, :2] = 70000, 1e-41
            else:
                kinds["conv"][1][0, :5] = np.nan, np.inf, -np.inf, 1e-40, 65600
                kinds["codes"][1][2, :7] = -128, 127, 127, 126, -127, 5, 127
            sides[side] = kinds
            with edgeprobe.Probe(str(self.folder / f"{side}.mcap"), level="layers", wait_when_full=True) as probe:
                for k in range(3):
                    with probe.frame() as frame:
                        for position, (name, (stage, values)) in enumerate(kinds.items()):
                            frame.tensor(name, values[k], stage, position=position)
        command = ("diagnose", self.folder / "target.mcap", "--reference-trace", self.folder / "reference.mcap")
        verdict = json.loads(run(*command, "--json", expect={0, 3, 4}).out)
        layers = {one["name"]: one["value_counts"] for one in verdict["layers"]}
        self.assertIsNone(layers["calm"])
        for name in ("conv", "codes"):
            for side, kinds in sides.items():
                wanted = expected(kinds[name][1])
                self.assertEqual(layers[name][side], {key: wanted[key] for key in ("values", "nan", "infinite", "denormal", "saturated", "beyond_float16")}, f"{name} {side}")
        page = self.folder / "page.html"
        text = " ".join(run(*command, "--html", page, expect={0, 3, 4}).out.split())
        self.assertRegex(text, r"The first tensor with values that are not finite where the reference's are is [^:]*'conv'\): 1 NaN and 2 infinite of 120; the reference has none\.")
        shown = page.read_text()
        self.assertIn("2 tensors with NaN, infinite, denormal, saturated or beyond-float16 values", shown)
        self.assertRegex(shown, r"conv</th><td[^>]*>0 / 1</td><td[^>]*>0 / 2</td><td[^>]*>1 / 1</td><td[^>]*>0 / 0</td><td[^>]*>1 / 1</td>")


if __name__ == "__main__":
    tool.main()
