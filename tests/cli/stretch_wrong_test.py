# SPDX-License-Identifier: Apache-2.0
"""A processor that computes wrong values gets no piece, and is named with the first layer that differs: a delegate with an injected fault, and
ONNX Runtime's WebGPU provider; a piece that hangs before the first inference. stretch_wrong_test.py EDGEPROBE POOL_FAULT_DELEGATE LIBFAULTY"""
import json
import os
import re
import sys

import tool
from gpu_engines import NEED_GPU, PROVIDER, environment
from stretch_models import CPUS, PAIR, TWO, StretchTest, nets, tflite_nets
from tool import run

FAULT = sys.argv.pop(2)
FAULTY = sys.argv.pop(2)


class WrongTest(StretchTest):
    def search(self, model, engine, delegate, **more):
        """Searches with a CPU and a second processor: returns the JSON, and the row of the second processor."""
        device = self.folder / "device.yaml"
        device.write_text("device: 1\nprocessors:\n"
                          f"  - {{name: good, engine: {engine}, cpus: [{CPUS[0]}]}}\n"
                          f"  - {{name: other, engine: {engine}, cpus: [{CPUS[-1]}], delegate: '{delegate}'}}\n")
        more.setdefault("env", dict(os.environ))["XDG_CACHE_HOME"] = str(self.folder)
        plan = self.folder / "plan.json"
        found = json.loads(run("stretch", "search", model, "--device", device, "--trust", "--seconds", 0.02, "--rounds", 1, "--best", 1, "--output", plan, "--force", "--json", expect={0, 4}, **more).out)
        [other] = [one for one in found["candidates"] if one["plain"] and delegate.split("?")[0].rsplit("/", 1)[1] in one["name"]]
        used = [one["name"] for one in json.loads(plan.read_text())["processors"]]
        if other["refused"]:
            self.assertNotIn("other", used)
        elif found["chosen"] == other["name"]:
            self.assertEqual(used, ["other"])
        return found, other

    def assertNamed(self, found, other, output, layer):
        self.assertIn(f"piece 'whole' on processor 'other' computes '{output}' differently, by ", other["refused"])
        self.assertIn(f" of its largest value; the first layer that differs there is {layer}", other["refused"])
        self.assertNotEqual(found["chosen"], other["name"])
        # It gets no piece of a division either.
        self.assertEqual([one for one in found["candidates"] if not one["plain"]], [])


class PlantedFault(WrongTest):
    def setUp(self):
        super().setUp()
        net, joined = tflite_nets.fork(8, 16, 1)
        self.pooled = self.folder / "pooled.tflite"
        net.save(self.pooled, [net.x], [joined])

    def test_it_is_refused_and_named(self):
        found, other = self.search(self.pooled, "tflite", f"external:{FAULT}?share=0.999")
        self.assertNamed(found, other, "joined5", "'mean2' (AVERAGE_POOL_2D)")
        self.assertAlmostEqual(float(re.search("differently, by ([0-9.e-]+) of", other["refused"])[1]), 0.001, places=5)

    def test_the_same_delegate_without_its_fault_is_taken(self):
        found, other = self.search(self.pooled, "tflite", f"external:{FAULT}?share=1")
        self.assertIsNone(other["refused"])
        self.assertTrue(any(not one["plain"] and not one["refused"] for one in found["candidates"]), found)


@TWO
class Hangs(StretchTest):
    def test_a_piece_that_hangs_in_its_first_run_is_named(self):
        model = self.folder / "fork.tflite"
        net, joined = tflite_nets.fork(8, 16, 1)
        net.save(model, [net.x], [joined])
        path = self.folder / "plan.json"
        run("stretch", "plan", model, "--engine", f"tflite:{FAULTY}", "--trust", "--cpus", PAIR, "--output", path, expect=0)
        plan = json.loads(path.read_text())
        where = {step["run"]: program["processor"] for program in plan["programs"] for step in program["steps"] if "run" in step}
        self.assertEqual(len(set(where.values())), 2)
        bench = ("bench", model, "--engine", f"stretch:{path}", "--trust", "--runs", "3")
        # The library without its fault runs the plan; with it, the operator hangs in whichever piece is loaded first.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("EDGEPROBE_FAULT")}
        run(*bench, expect=0, env=environment)
        for limit in (4, 40):
            done = run(*bench, "--time-limit", limit, expect=1, env={**environment, "EDGEPROBE_FAULT": "op=0 kind=hang"})
            if "was running" in done.err:
                break
        self.assertIn(f"took longer than the limit of {limit} s and was stopped; it printed: piece '", done.err)
        self.assertIn(re.search("piece '(.*)' on processor '(.*)' was running", done.err).groups(), where.items(), done.err)


@NEED_GPU
class WebGpu(WrongTest):
    def test_a_provider_that_computes_a_convolution_wrongly(self):
        # The delegate is right if the number of channels is a multiple of four.
        for channels in (6, 8):
            found, other = self.search(self.model(nets.fork(channels), f"fork{channels}"), "onnxruntime", f"external:{PROVIDER}", env=environment())
            self.assertIn("(software)", other["name"])
            if channels == 6:
                self.assertNamed(found, other, "concat5", "'conv1' (Conv)")
            else:
                self.assertIsNone(other["refused"])


if __name__ == "__main__":
    tool.main()
