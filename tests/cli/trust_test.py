# SPDX-License-Identifier: Apache-2.0
"""Files that name a library: it is loaded only if the user names it, too, or gives --trust (SECURITY.md). The library here does not exist, so every attempt to
load it is an error."""
import json
import os

import tool
from tool import MODELS, run

MODEL = MODELS / "inception_like.onnx"
NAMED, TRIED = "names the library '/nowhere/own.so', and loading it runs its code", "own.so' does not exist"


class TrustTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.plan = self.folder / "plan.json"
        run("stretch", "plan", MODEL, "--cpus", str(min(os.sched_getaffinity(0))), "--output", self.plan, expect=0)
        self.sound = json.loads(self.plan.read_text())

    def with_processor(self, **changed):
        plan = json.loads(json.dumps(self.sound))
        plan["processors"][0].update(changed)
        self.plan.write_text(json.dumps(plan))

    def refused_and_tried(self, *words, tried=TRIED):
        """Without --trust, the library is refused by its name; with it, edgeprobe tries to open it."""
        done = run(*words, expect=2)
        self.assertIn(NAMED, done.err)
        self.assertIn("--trust", done.err)
        self.assertIn(tried, run(*words, "--trust", expect={1, 2}).err)

    def test_a_plan(self):
        data = ("--duration", "0.1", "--warm-up", "0.1")
        for changed in ({"engine": "onnxruntime:/nowhere/own.so"}, {"delegate": "external:/nowhere/own.so"}):
            with self.subTest(changed=changed):
                self.with_processor(**changed)
                tried = "own.so" if "delegate" in changed else TRIED
                self.refused_and_tried("bench", MODEL, "--engine", f"stretch:{self.plan}", *data, tried=tried)
                self.refused_and_tried("stretch", "explain", self.plan, MODEL, "--runs", "1", tried=tried)
                self.assertIn(NAMED, run("stretch", "table", self.plan, MODEL, "--seconds", "0.01", "--rounds", "1", expect=2).err)

    def test_a_plan_that_lies_in_a_folder_of_models(self):
        self.with_processor(engine="onnxruntime:/nowhere/own.so")
        (self.folder / "plan.onnx").write_bytes(MODEL.read_bytes())
        run("stretch", "profile", self.folder, "-o", self.folder / "rows.csv", "--seconds", "0.01", expect={0, 1, 2})
        self.assertIn(NAMED, (self.folder / "rows.csv").read_text().replace('""', '"'))

    def test_a_library_that_a_variable_names_too(self):
        known = json.loads(run("doctor", "--json", expect=0).out)
        found = [one["library"] for one in known["engines"] if one["kind"] == "onnxruntime" and one.get("library")]
        if not found:
            self.skipTest("ONNX Runtime was not found here")
        self.with_processor(engine=f"onnxruntime:{found[0]}")
        words = ("stretch", "explain", self.plan, MODEL, "--runs", "1")
        self.assertIn("names the library", run(*words, expect=2).err)
        run(*words, env=dict(os.environ, EDGEPROBE_ONNXRUNTIME_LIB=found[0]), expect=0)

    def test_a_device_file(self):
        for line in ("engine: 'onnxruntime:/nowhere/own.so'", "engine: onnxruntime, delegate: 'external:/nowhere/own.so'"):
            device = self.folder / "device.yaml"
            device.write_text(f"device: 1\nprocessors:\n  - {{name: a, {line}, cpus: [{min(os.sched_getaffinity(0))}]}}\n")
            self.assertIn(NAMED, run("stretch", "search", MODEL, "--device", device, "--seconds", "0.01", expect=2).err)

    def test_a_scenario(self):
        for engine in ({"name": "tflite:/nowhere/own.so"}, {"name": "tflite", "delegate": ["external:/nowhere/own.so"]}):
            file = self.folder / "s.json"
            file.write_text(json.dumps({"kind": "inference_performance", "model": str(MODELS / "signs_float.tflite"), "engine": engine,
                                        "dataset": {"data": str(MODELS / "data" / "test"), "frames": 1}, "recipe": str(MODELS / "signs.recipe")}))
            self.refused_and_tried("scenario", "run", file, "--report", self.folder / "r", tried="own.so")
        # The plan that it names names the library.
        self.with_processor(engine="onnxruntime:/nowhere/own.so")
        planned = self.folder / "planned.json"
        planned.write_text(json.dumps({"kind": "inference_performance", "model": str(MODEL), "engine": {"name": f"stretch:{self.plan}"},
                                       "dataset": {"data": str(MODELS / "data" / "test"), "frames": 1}}))
        self.refused_and_tried("scenario", "run", planned, "--report", self.folder / "r3")
        # The user chose an engine given by a flag.
        file.write_text(file.read_text().replace(', "delegate": ["external:/nowhere/own.so"]', "").replace('"tflite"', '"tflite:/nowhere/other.so"'))
        self.assertIn(TRIED, run("scenario", "run", file, "--engine", "tflite:/nowhere/own.so", "--report", self.folder / "r2", expect={1, 2}).err)


if __name__ == "__main__":
    tool.main()
