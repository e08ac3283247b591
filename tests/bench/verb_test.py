# SPDX-License-Identifier: Apache-2.0
"""bench and bench diff on the command line. No test asserts a time; the tests check that the figures agree with each other."""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import tool
from processes import children, interrupt, is_busy, wait_for
from tool import MODELS, run

FLOAT = MODELS / "signs_float.tflite"
SHORT = ("--runs", 40, "--warm-up", 0.3)
SECTION = re.compile(r"^```\n(edgeprobe bench .*?)^```", re.S | re.M)


def needs_engine(test):
    return unittest.skipUnless((tool.ROOT / ".deps/engines/libLiteRt.so").exists() or "EDGEPROBE_LITERT_LIB" in os.environ,
                               "engine litert is not installed")(test)


def measure(folder, name, *more, model=FLOAT, expect=0):
    path = folder / name
    done = run("bench", model, *SHORT, "--json", path, *more, expect=expect)
    return json.loads(path.read_text()), done


class BenchTest(tool.ToolTest):
    @needs_engine
    def test_figures_fit_the_runs_that_they_are_of(self):
        found, done = measure(self.folder, "a.json")
        runs = found["target_inference_step"]
        self.assertEqual(len(runs), 40)
        self.assertAlmostEqual(found["inferencetime_median"], statistics.median(runs), delta=1e-12)
        self.assertAlmostEqual(found["inferencetime_mean"], statistics.fmean(runs), delta=1e-12)
        self.assertAlmostEqual(found["inferencetime_std"], statistics.stdev(runs), delta=1e-12)
        self.assertEqual((found["inferencetime_min"], found["inferencetime_max"]), (min(runs), max(runs)))
        low, high = found["inferencetime_p50_interval"]
        self.assertTrue((low is None or low <= found["inferencetime_p50"]) and (high is None or found["inferencetime_p50"] <= high))
        self.assertIsNone(found["inferencetime_p99_interval"][1])  # 40 runs cannot bound this quantile.
        stamps = found["target_inference_step_timestamp"]
        self.assertEqual(stamps, sorted(stamps))
        for start, latency, following in zip(stamps, runs, stamps[1:]):
            self.assertLessEqual(start + latency, following + 1e-9)
        one = found["configurations"][0]
        self.assertEqual(one["target_inference_step"], runs)
        self.assertEqual(len(one["quiet"]), 40)
        for delay, latency, quiet in zip(one["run_delay"], runs, one["quiet"]):
            if "no_quiet" not in one:
                self.assertEqual(quiet, delay <= 0.05 * latency)
        self.assertGreaterEqual(one["memory"]["peak"], one["memory"]["peak_after_load"])
        self.assertGreaterEqual(one["memory"]["peak_after_load"], one["memory"]["peak_before_load"])
        self.assertGreater(one["memory"]["peak"], 1e6)
        self.assertEqual(len(found["session_utilization_timestamp"]), len(found["session_utilization_mem_percent"]))
        for meter in one["meters_before"] + one["meters_after"]:
            self.assertEqual(meter["value"] is None, "reason" in meter, meter)
        self.assertIn("p99", done.out)
        self.assertNotIn(str(tool.ROOT), json.dumps(found))

    @needs_engine
    def test_threads_and_cpus_are_swept(self):
        cpu = min(os.sched_getaffinity(0))
        found, _ = measure(self.folder, "a.json", "--threads", "1,2", "--cpus", cpu)
        self.assertEqual([c["name"] for c in found["configurations"]], [f"threads=1 cpus={cpu}", f"threads=2 cpus={cpu}"])
        self.assertIn("more threads than CPUs", found["configurations"][1]["no_quiet"])
        done = run("bench", FLOAT, "--cpus", 900, *SHORT, expect=2)
        self.assertIn("CPU 900", done.err)

    @needs_engine
    def test_layers_are_summed_by_type_and_recording_them_has_a_price(self):
        found, done = measure(self.folder, "a.json", "--layers", "--kernels", "builtin", "--perfetto", self.folder / "p.json")
        profile = found["configurations"][0]["profile"]
        outer = [k for k in profile["kernels"] if not k["inner"]]
        self.assertEqual(profile["layers_known"], profile["layers_all"])
        self.assertAlmostEqual(sum(t["share"] for t in profile["types"]), 1, delta=1e-9)
        self.assertAlmostEqual(sum(t["total"] for t in profile["types"]), sum(k["mean"] for k in outer), delta=1e-12)
        self.assertEqual(sum(t["count"] for t in profile["types"]), len(outer))
        for kernel in profile["kernels"]:
            self.assertEqual(len(kernel["seconds"]), profile["runs"])
            self.assertAlmostEqual(kernel["mean"], statistics.fmean(kernel["seconds"]), delta=1e-12)
        self.assertGreaterEqual(profile["pairs"], 10)
        self.assertGreater(profile["overhead_ratio"], 0)
        self.assertIn("CONV_2D", done.out)
        self.check_events(json.loads((self.folder / "p.json").read_text()), found)

    def check_events(self, events, found):
        """Chrome's trace event format: every event has its fields, and slices of one track do not overlap."""
        self.assertEqual(set(events), {"otherData", "traceEvents", "displayTimeUnit"})
        tracks, counters, names = {}, set(), set()
        for event in events["traceEvents"]:
            self.assertIsInstance(event["name"], str)
            self.assertIn(event["ph"], "XCM")
            if event["ph"] == "X":
                self.assertGreaterEqual(event["dur"], 0)
                tracks.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["dur"]))
            elif event["ph"] == "C":
                counters.add(event["name"])
                self.assertTrue(all(isinstance(v, (int, float)) for v in event["args"].values()))
            else:
                names.add(event["args"]["name"])
        self.assertEqual(len(tracks[1, 1]), len(found["target_inference_step"]))
        self.assertIn((1, 3), tracks)
        self.assertIn("load, 1 min", counters)
        self.assertIn("kernels (end to end)", names)
        for slices in tracks.values():
            slices.sort()
            for (start, length), (following, _) in zip(slices, slices[1:]):
                self.assertLessEqual(start + length, following + 0.01)

    @needs_engine
    def test_offline_counts_samples_and_cold_start_counts_phases(self):
        found, done = measure(self.folder, "a.json", "--scenario", "offline", "--batch", 2, "--streams", 2, "--cold", 2)
        one = found["configurations"][0]
        self.assertEqual(one["offline"]["samples"], 80)
        self.assertAlmostEqual(one["offline"]["samples_per_second"] * one["offline"]["seconds"], 80, delta=1e-6)
        self.assertEqual(len(one["cold_start"]), 2)
        for start in one["cold_start"]:
            self.assertAlmostEqual(start["total"], start["process"] + start["open"] + start["load"] + start["first_inference"], delta=1e-9)
            self.assertTrue(all(start[phase] >= 0 for phase in start))
        self.assertIn("cold start, 2 fresh processes", done.out)

    @needs_engine
    def test_pictures_are_inputs_too(self):
        found, _ = measure(self.folder, "a.json", "--data", MODELS / "data/test", "--recipe", MODELS / "signs.recipe", "--frames", 3)
        self.assertEqual(found["inputs"], "3 samples")
        self.assertEqual(len(found["target_inference_step"]), 40)

    @needs_engine
    def test_an_interrupt_keeps_what_is_measured(self):
        path = self.folder / "a.json"
        process = subprocess.Popen([tool.EXECUTABLE, "bench", str(FLOAT), "--duration", "6000", "--warm-up", "0.2", "--json", str(path)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertTrue(wait_for(lambda: any(map(is_busy, children(process.pid)))), "nothing was run")
        interrupt(process)
        _, errors = process.communicate(timeout=tool.PATIENCE)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("stopped by the user", errors)
        if path.exists():  # On a very slow machine the first run may not have begun.
            found = json.loads(path.read_text())
            self.assertTrue(found["stopped"])
            self.assertGreater(len(found["target_inference_step"]), 0)

    def test_wrong_flags_are_refused(self):
        for flags, word in ((("--threads", "1,x"), "--threads"), (("--threads", "0"), "--threads"), (("--noise", "much"), "--noise"),
                            (("--scenario", "server"), "--scenario"), (("--streams", 2), "--streams"), (("--duration", 0), "--duration"),
                            (("--batch", 0), "--batch"), (("--recipe", "cast(float32)"), "--recipe"), (("--runs", 0), "--runs")):
            done = run("bench", FLOAT, *flags, expect=2)
            self.assertIn(word, done.err)
        self.assertIn("MODEL", run("bench", expect=2).err)
        run("bench", self.folder / "none.tflite", expect=1)

    @needs_engine
    def test_a_batch_that_the_model_cannot_take_is_refused(self):
        done = run("bench", FLOAT, *SHORT, "--batch", 4, expect={0, 1, 2})
        self.assertTrue(done.returncode == 0 or "batch" in done.err or "resize" in done.err or "prepare" in done.err, done.err)

    @needs_engine
    def test_the_example_of_the_page_runs(self):
        page = (tool.ROOT / "docs/guides/bench.md").read_text()
        commands = SECTION.search(page).group(1).strip().splitlines()
        self.assertEqual(len(commands), 3)
        first = commands[0].split()[1:] + ["--runs", "30", "--warm-up", "0.2"]
        before = self.folder / "before.json"
        run(*[str(before) if word == "before.json" else word for word in first], expect=0, cwd=tool.ROOT)
        done = run(*commands[1].split()[1:], "--duration", 0.05, "--warm-up", 0.05, "--rounds", 6, expect={0, 3, 4}, cwd=tool.ROOT)
        self.assertIn("6 rounds of a process each", done.out)
        # Measures once and uses the result many times: figures of a busy machine may differ.
        for name in [word for word in commands[2].split() if word.endswith(".json")]:
            (self.folder / name).write_bytes(before.read_bytes())
        done = run(*[str(self.folder / word) if word.endswith(".json") else word for word in commands[2].split()[1:]], expect=0)
        self.assertIn("no regression", done.out)


class DiffTest(tool.ToolTest):
    @needs_engine
    def test_a_planted_regression_of_one_layer_is_named(self):
        found, _ = measure(self.folder, "a.json", "--layers", "--kernels", "builtin")
        kernels = found["configurations"][0]["profile"]["kernels"]
        index = max(range(len(kernels)), key=lambda i: kernels[i]["median"])
        base = kernels[index]["median"]
        # A steady layer in A; in B it takes 20 % longer in every run.
        for i, kernel in enumerate(kernels):
            kernel["seconds"] = [kernel["median"] * (1 + 0.001 * (j * 7919 % 101 - 50) / 50) for j in range(60)]
        (self.folder / "a.json").write_text(json.dumps(found))
        kernels[index]["seconds"] = [1.2 * s for s in kernels[index]["seconds"]]
        (self.folder / "b.json").write_text(json.dumps(found))
        self.assertGreater(base, 0)
        # With one process of each, the difference between two processes is unknown.
        done = run("bench", "diff", self.folder / "a.json", self.folder / "b.json", "--json", expect=4)
        result = json.loads(done.out)
        self.assertEqual((result["regression"], result["undecided"]), (False, True))
        sides = ["--a"] + [self.folder / "a.json"] * 3 + ["--b"] + [self.folder / "b.json"] * 3
        result = json.loads(run("bench", "diff", *sides, "--json", expect=3).out)
        slower = [k for k in result["configurations"][0]["kernels"] if k["change"] == "slower"]
        self.assertEqual([k["layers"] for k in slower], [kernels[index]["layers"]])
        self.assertAlmostEqual(slower[0]["ratio"], 1.2, delta=1e-3)
        self.assertEqual(len(slower[0]["ratios"]), 3)
        text = run("bench", "diff", *sides, expect=3).out
        self.assertIn("layer %d" % kernels[index]["layers"][0], text)
        run("bench", "diff", self.folder / "b.json", self.folder / "a.json", expect=0)
        run("bench", "diff", *sides, "--threshold", "25%", expect=0)
        result = json.loads(run("bench", "diff", *sides, "--layer-floor", "90%", "--json", expect=0).out)
        self.assertEqual({k["change"] for k in result["configurations"][0]["kernels"]} & {"slower", "small"}, {"small"})

    @needs_engine
    def test_models_are_measured_in_turns_in_fresh_processes(self):
        short = ("--duration", 0.05, "--warm-up", 0.05, "--rounds", 6, "--json")
        # The built-in kernels take several times as long as XNNPACK's on this model.
        result = json.loads(run("bench", "diff", FLOAT, "--b-kernels", "builtin", *short, expect=3).out)
        one = result["configurations"][0]
        self.assertEqual((one["rounds"], one["inference"]["change"]), (6, "slower"))
        self.assertEqual(len(one["inference"]["ratios"]), 6)
        self.assertGreater(one["inference"]["ratio_interval"][0], 1.05)
        self.assertTrue(any("builtin" in note for note in result["notes"]))
        result = json.loads(run("bench", "diff", FLOAT, MODELS / "signs_int8.tflite", "--layers", *short, expect={0, 3, 4}).out)
        self.assertEqual(result["configurations"][0]["kernels"], [])
        self.assertTrue(any("same kernels" in note for note in result["notes"]), result["notes"])
        result = json.loads(run("bench", "diff", FLOAT, FLOAT, "--layers", *short, expect={0, 3, 4}).out)
        self.assertGreater(len(result["configurations"][0]["kernels"]), 10)

    @unittest.skipUnless((tool.ROOT / ".deps/engines/libonnxruntime.so").exists(), "no ONNX Runtime (script/setup --onnxruntime)")
    def test_another_optimization_level_of_b_is_noted(self):
        result = json.loads(run("bench", "diff", MODELS / "signs_float.onnx", "--b-optimization", "off", "--duration", 0.02, "--warm-up", 0.02,
                                "--rounds", 6, "--json", expect={0, 3, 4}).out)
        self.assertTrue(any("off" in note for note in result["notes"]), result["notes"])

    def test_wrong_sides_are_refused(self):
        (self.folder / "a.json").write_text("{}")
        for args, word in (((), "two models"), ((FLOAT,), "B is missing"), ((FLOAT, self.folder / "a.json"), "is JSON"),
                           (("--a", self.folder / "a.json"), "--b"), ((FLOAT, "--a", self.folder / "a.json", "--b", self.folder / "a.json"), "nothing else"),
                           ((FLOAT, FLOAT, "--rounds", 2), "--rounds"), ((FLOAT, FLOAT, "--duration", 0), "--duration"),
                           ((FLOAT, FLOAT, "--threshold", 0), "--threshold")):
            with self.subTest(args=args):
                self.assertIn(word, run("bench", "diff", *args, expect=2).err)

    @needs_engine
    def test_what_cannot_be_compared_is_refused(self):
        found, _ = measure(self.folder, "a.json")
        found["machine"]["processor"] = "another"
        (self.folder / "b.json").write_text(json.dumps(found))
        self.assertIn("other machines", run("bench", "diff", self.folder / "a.json", self.folder / "b.json", expect=2).err)
        run("bench", "diff", self.folder / "a.json", self.folder / "b.json", "--force", expect=0)
        (self.folder / "c.json").write_text("{}")
        self.assertIn("c.json", run("bench", "diff", self.folder / "a.json", self.folder / "c.json", expect=1).err)
        run("bench", "diff", self.folder / "a.json", expect=2)


class MetersTest(tool.ToolTest):
    def test_doctor_prints_every_meter_or_the_reason(self):
        found = json.loads(run("doctor", "--meters", "--json", expect=0).out)["meters"]
        self.assertEqual(list(found), ["memory", "cpu", "load", "frequency", "temperature", "power", "sensors"])
        for group in found.values():
            self.assertTrue(group)
            for reading in group:
                self.assertTrue(reading["source"])
                self.assertEqual(reading["value"] is None, bool(reading.get("reason")), reading)
        self.assertIn("temperature", run("doctor", "--meters", expect=0).out)
        run("doctor", "--meters", "litert", expect=2)


if __name__ == "__main__":
    tool.main()
