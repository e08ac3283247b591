# SPDX-License-Identifier: Apache-2.0
"""stretch profile: a row for each model and plan of a folder, compared with ONNX's own shapes and the runtimes' own outputs; continues after a stop
or a crash; and
refusals."""
import csv
import glob
import hashlib
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import time
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, shape_inference

import tool
from processes import children, cpu_seconds, interrupt, is_busy, status, wait_for
from stretch_models import CPUS, TWO, StretchTest, alone, tensors_of
from tool import MODELS, PATIENCE, ROOT, run

SECONDS = "0.02"
COUNTERS = [file for pattern in ("powercap/intel-rapl:*/energy_uj", "hwmon/*/energy*_input", "hwmon/*/power*_input", "power_supply/*") for file in glob.glob(f"/sys/class/{pattern}")]


def cost(path):
    """Multiply-accumulates and parameters, from ONNX's shapes."""
    graph = shape_inference.infer_shapes(onnx.load(path)).graph
    shapes = {one.name: [d.dim_value for d in one.type.tensor_type.shape.dim] for one in (*graph.value_info, *graph.output, *graph.input)}
    weights = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    macs, used = 0, set()
    for node in graph.node:
        if node.op_type in ("Conv", "Gemm"):
            weight = weights[node.input[1]]
            used.update(name for name in node.input[1:] if name in weights)
            macs += int(np.prod(shapes[node.output[0]])) * (int(np.prod(weight.shape[1:])) if node.op_type == "Conv" else weight.size // shapes[node.output[0]][-1])
    return macs, sum(weights[name].size for name in used)


def endless():
    """A model that counts to 10^9 before it answers."""
    count = [numpy_helper.from_array(np.array(10**9, np.int64), "count")]
    body = helper.make_graph([helper.make_node("Add", ["sum_in", "one"], ["sum_out"]), helper.make_node("Identity", ["go_in"], ["go_out"])], "body",
                             [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("go_in", TensorProto.BOOL, []),
                              helper.make_tensor_value_info("sum_in", TensorProto.FLOAT, [1])],
                             [helper.make_tensor_value_info("go_out", TensorProto.BOOL, []), helper.make_tensor_value_info("sum_out", TensorProto.FLOAT, [1])],
                             [numpy_helper.from_array(np.ones(1, np.float32), "one")])
    graph = helper.make_graph([helper.make_node("Loop", ["count", "", "x"], ["y"], body=body)], "endless",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])], count)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class ProfileTest(StretchTest):
    def setUp(self):
        super().setUp()
        self.nets = self.folder / "nets"
        self.nets.mkdir()
        self.table = self.folder / "result.csv"
        # The folder in which profiles wait for each other; a separate one, so that other tests do not matter.
        (self.folder / "cache").mkdir()
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}

    def put(self, name, source=MODELS / "signs_float.onnx"):
        (self.nets / name).parent.mkdir(exist_ok=True)
        return pathlib.Path(shutil.copy(source, self.nets / name))

    def profile(self, *more, path=None, expect=0, seconds=SECONDS):
        return run("stretch", "profile", path or self.nets, "--output", self.table, "--seconds", seconds, *more, expect=expect, env=self.environment)

    def rows(self):
        with open(self.table, newline="", encoding="utf-8") as file:
            return {row["cfg"]: row for row in csv.DictReader(file)}

    def begin(self, *more, seconds=SECONDS, errors=subprocess.PIPE):
        return subprocess.Popen([tool.EXECUTABLE, "stretch", "profile", str(self.nets), "--output", str(self.table), "--seconds", seconds, *more],
                                env=self.environment, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL)

    def wait_for_rows(self, count):
        self.assertTrue(wait_for(lambda: self.table.exists() and len(self.rows()) >= count))


class Figures(ProfileTest):
    def test_a_folder_becomes_a_table(self):
        self.put("net.onnx", MODELS / "inception_like.onnx")
        self.put("sub/signs.tflite", MODELS / "signs_float.tflite")
        self.put("sub/signs.onnx")
        (self.nets / "notes.json").write_text("{}")
        (self.nets / "readme.txt").write_text("no model")
        done = self.profile()
        self.assertIn("note: 'notes.json' is not a plan; left out", done.err)
        self.assertEqual(self.table.read_text().splitlines()[0].split(",")[:3], ["cfg", "latency", "energy"])
        rows = self.rows()
        self.assertEqual(list(rows), ["net.onnx", "sub/signs.onnx", "sub/signs.tflite"])
        for cfg, row in rows.items():
            latency = {key: float(row[key]) for key in ("min_us", "p10_us", "latency", "p90_us", "p99_us")}
            self.assertEqual(list(latency.values()), sorted(latency.values()), row)
            self.assertLessEqual(int(row["quiet_n"]), int(row["n"]))
            self.assertGreater(float(row["cpu_us"]), 0)
            self.assertEqual((row["threads"], row["cpus"], row["delegate"], row["inputs"]), ("1", "", "", "20 seeded random inputs, seed 1"))
            self.assertRegex(row["status"], "^ok$|^noisy: only [0-9]+ of [0-9]+ runs were quiet")
            self.assertEqual(f"warning: {cfg}: noisy" in done.err, row["status"] != "ok")
            self.assertRegex(row["date"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
            # The plan's own engine with one thread, twice.
            self.assertEqual((float(row["max_abs_d"]), row["d_inputs"]), (0, "20"))
            self.assertEqual(row["reference"], f"{row['engine']} {row['engine_version']}, 1 thread")
            # The hash covers the file, and the list of data outside of it.
            self.assertRegex(row["model_sha256"], "^[0-9a-f]{64}$")
        self.assertEqual([row["engine"] for row in rows.values()], ["onnxruntime", "onnxruntime", "litert"])
        for cfg in ("net.onnx", "sub/signs.onnx"):
            self.assertEqual((int(rows[cfg]["macs"]), int(rows[cfg]["parameters"])), cost(self.nets / cfg))
        # The same network in the other format.
        for key in ("macs", "parameters"):
            self.assertEqual(rows["sub/signs.tflite"][key], rows["sub/signs.onnx"][key])
        self.in_microseconds(float(rows["net.onnx"]["latency"]))

    def test_parameters_that_reach_a_layer_in_another_shape(self):
        weights = np.arange(12, dtype=np.float32)
        graph = helper.make_graph([helper.make_node("Reshape", ["w", "shape"], ["square"]), helper.make_node("Transpose", ["square"], ["turned"], perm=[1, 0]),
                                   helper.make_node("MatMul", ["x", "turned"], ["y"])], "reshaped",
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])],
                                  [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(np.array([3, 4]), "shape")])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.nets / "a.onnx")
        self.profile()
        self.assertEqual((self.rows()["a.onnx"]["parameters"], self.rows()["a.onnx"]["macs"]), (str(weights.size), str(2 * 3 * 4)))

    def in_microseconds(self, latency):
        session = alone(MODELS / "inception_like.onnx")
        picture = {one.name: np.zeros(one.shape, np.float32) for one in session.get_inputs()}
        times = []
        for _ in range(100):
            start = time.perf_counter()
            session.run(None, picture)
            times.append(time.perf_counter() - start)
        ratio = latency / (statistics.median(times) * 1e6)
        self.assertTrue(0.05 < ratio < 20, ratio)  # other programs may use the CPUs

    def test_energy_that_is_not_known_is_an_empty_field_with_its_reason(self):
        if COUNTERS:
            self.skipTest(f"this machine counts energy: {COUNTERS[0]}")
        self.put("a.onnx")
        out = self.profile().out
        [row] = self.rows().values()
        reason = ("no counter of energy and no gauge of power: /sys/class/powercap/intel-rapl:*, /sys/class/hwmon/*/energy*_input, /sys/class/hwmon/*/power*_input and "
                  "/sys/class/power_supply/* are absent")
        self.assertEqual((row["energy"], row["energy_n"], row["energy_source"], row["energy_status"]), ("", "", "", reason))
        self.assertIn(f"Energy is not known: {reason}", out)
        # In a table of numbers, it is NaN, not 0.
        self.assertTrue(np.isnan(np.genfromtxt(self.table, delimiter=",", names=True, usecols=(1, 2), encoding="utf-8")["energy"]))
        [one] = json.loads(self.profile("--json").out)["profiles"]
        self.assertIsNone(one["energy"])
        self.assertEqual(one["latency"], float(row["latency"]))
        self.assertEqual(self.profile("--energy-counter", "package-0", "--force", expect=2).err,
                         "edgeprobe: --energy-counter: 'package-0' is not an energy counter here: there is none\n")
        self.assertEqual(list(self.rows().values()), [row])

    def test_the_largest_difference_is_that_of_the_runtimes_own_outputs(self):
        net = self.put("net.onnx", MODELS / "inception_like.onnx")
        data, frames = self.data_of(net, 6)
        self.profile("--engine", "openvino", "--data", data)
        [row] = self.rows().values()
        trace = self.folder / "t.mcap"
        run("run", net, "--engine", "openvino", "--data", data, "--trace", trace, expect=0)
        theirs = tensors_of(trace)
        session, largest = alone(net), 0
        for i, frame in enumerate(frames):
            for output, expected in zip(session.get_outputs(), session.run(None, frame)):
                largest = max(largest, float(np.abs(theirs[i][output.name].reshape(expected.shape) - expected).max()))
        self.assertGreater(largest, 0)
        self.assertAlmostEqual(float(row["max_abs_d"]), largest, delta=1e-3 * largest)
        self.assertEqual((row["d_inputs"], row["inputs"]), ("6", "6 recorded tensors of --data"))

    def test_real_pictures(self):
        self.put("a.tflite", MODELS / "signs_float.tflite")
        data = ("--data", MODELS / "data" / "test", "--recipe", MODELS / "signs.recipe")
        self.profile(*data, "--frames", 3)
        [row] = self.rows().values()
        self.assertEqual((row["inputs"], row["d_inputs"]), ("3 pictures of --data", "3"))
        self.assertIn("1 of 1 were in it already", self.profile(*data, "--frames", 3).out)
        self.assertNotIn("already", self.profile(*data, "--frames", 4).out)


class Networks(ProfileTest):
    """Configurations among the models, with NN-Stretch's flags."""

    def config(self, name, source="basic-two.yml", **weights):
        path = self.put(name, MODELS / "families" / source)
        if weights:
            run("stretch", "generate", path, "--weights-output", path.with_suffix(".safetensors"), "--seed", weights["seed"], expect=0)
        return path

    def test_become_rows(self):
        self.config("one.yml", "basic.yml")
        two = self.config("two.yaml")
        self.put("net.onnx")
        picture = sorted((MODELS / "data" / "test").iterdir())[0]
        done = run("stretch", "profile", "--configs", self.nets, "--num_threads", 1, "--core_affinity", hex(1 << CPUS[0]), "--input_image", picture, "--no_root",
                   "--output_csv", self.table, "--seconds", SECONDS, expect=0, env=self.environment)
        rows = self.rows()
        self.assertEqual(list(rows), ["net.onnx", "one.yml", "two.yaml"])
        self.assertIn("note: --no_root has no effect: root is never required", done.err)
        self.assertRegex(done.err, "note: two.yaml: processor 'cpu' is 'cpu[0-9]+' .*, 'dsp' is 'cpu")
        for cfg, row in rows.items():
            self.assertTrue(row["latency"], row)
            self.assertEqual((row["inputs"], row["accuracy_status"]), ("1 pictures of --data", ""))
        self.assertEqual(rows["two.yaml"]["options"], "size=64 weights=random, seed 1")
        # The model and the plan of 'stretch generate'.
        model, plan = self.folder / "two.onnx", self.folder / "two.json"
        run("stretch", "generate", two, "-o", model, "--plan", plan, "--cpus", CPUS[0], expect=0)
        for key, file in (("model_sha256", model), ("plan_sha256", plan)):
            self.assertEqual(rows["two.yaml"][key], hashlib.sha256(file.read_bytes()).hexdigest())
        self.assertEqual((rows["one.yml"]["plan_sha256"], rows["one.yml"]["threads"], rows["one.yml"]["cpus"]), ("", "1", str(CPUS[0])))
        again = run("stretch", "profile", "--configs", self.nets, "--num_threads", 1, "--core_affinity", hex(1 << CPUS[0]), "--input_image", picture,
                    "--output_csv", self.table, "--seconds", SECONDS, expect=0, env=self.environment)
        self.assertIn("3 of 3 were in it already", again.out)

    def test_the_picture_is_resized_as_tensorflow_does(self):
        # Outputs are compared with the reference on the same inputs, so it takes a trace to see them.
        config = self.config("one.yml", "basic.yml")
        picture = sorted((MODELS / "data" / "test").iterdir())[0]
        data = ("--data", picture, "--recipe", "resize(64x64, bilinear, like=tensorflow) | color(rgb) | layout(nchw)")
        self.profile("--input_image", picture)
        self.assertIn("1 of 1 were in it already", self.profile(*data, path=config).out)

    def test_accuracy_is_in_the_row(self):
        self.config("two.yaml", seed=7)
        self.config("none.yml")
        net = self.put("net.onnx")
        data = ("--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv", "--recipe", MODELS / "signs_nchw.recipe")
        done = self.profile(*data)
        self.assertIn("Accuracy of none.yml: the weights are random", done.out)
        rows = self.rows()
        self.assertEqual(self.table.read_text().splitlines()[0].split(",")[:9],
                         ["cfg", "latency", "energy", "top1", "top5", "accuracy_n", "top1_low", "top1_high", "accuracy_status"])
        for cfg, path in (("net.onnx", net), ("two.yaml", self.nets / "two.yaml")):
            [one] = json.loads(run("stretch", "evaluate", path, *data, "--json", expect=0).out)["evaluations"]
            row = rows[cfg]
            self.assertEqual((row["accuracy_n"], row["accuracy_status"]), ("480", "ok"))
            for column, value in (("top1", one["top1"]["value"]), ("top5", one["top5"]["value"]), ("top1_low", one["top1"]["low"]), ("top1_high", one["top1"]["high"])):
                self.assertAlmostEqual(float(row[column]), value, places=7)
            # Times and differences are those of a few pictures.
            self.assertEqual((row["inputs"], row["d_inputs"]), ("20 pictures of --data", "20"))
        self.assertEqual((rows["none.yml"]["top1"], rows["none.yml"]["accuracy_status"]), ("", "the weights are random"))
        self.assertIn("3 of 3 were in it already", self.profile(*data).out)
        # Other labels are another measurement.
        labels = self.folder / "labels.csv"
        labels.write_text((MODELS / "data" / "labels.csv").read_text().replace("sign_0000.png,0", "sign_0000.png,1"))
        self.assertNotIn("already", self.profile(*data[:3], labels, *data[4:]).out)

    def test_that_cannot_be_made_are_rows_with_the_reason(self):
        self.config("good.yml", "basic.yml")
        (self.nets / "wrong.yaml").write_text("MODEL: {TYPE: mbanynet}\nANYNET: {STEM_W: none}\n")
        self.assertIn("1 of 2 configurations have no figures", self.profile(expect=1).err)
        self.assertRegex(self.rows()["wrong.yaml"]["status"], "^failed: .*wrong.yaml")
        self.assertIn("no weights of", self.profile("--use_real_weights", "--force", expect=1).err)


class Affinity(ProfileTest):
    def cpus_of(self, *more):
        self.profile(*more)
        [row] = self.rows().values()
        return row["threads"], row["cpus"]

    @TWO
    def test_accepts_cpu_lists_and_masks(self):
        self.put("a.onnx")
        mask = sum(1 << cpu for cpu in CPUS[:2])
        pair = " ".join(map(str, CPUS[:2]))
        self.assertEqual(self.cpus_of("--num_threads", 2, "--core_affinity", hex(mask)), ("2", pair))
        # The same threads given as a list: nothing is measured again.
        self.assertIn("already", self.profile("--num-threads", 2, "--core-affinity", f"{CPUS[0]},{CPUS[1]}").out)
        self.assertEqual(self.cpus_of("--threads", 1, "--cpus", CPUS[1]), ("1", str(CPUS[1])))

    def test_a_mask_with_letters(self):
        self.put("a.onnx")
        bits = [4, 5, 6, 7]
        done = self.profile("--core-affinity", "F0", expect=None)
        if set(bits) <= set(CPUS):
            self.assertEqual([row["cpus"] for row in self.rows().values()], ["4 5 6 7"])
        else:
            first = next(bit for bit in bits if bit not in CPUS)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"--core-affinity: CPU {first} was asked for", done.err)

    def test_each_configuration_runs_in_as_many_processes_as_requested(self):
        self.put("net.onnx")
        starts = self.folder / "starts"
        launcher = self.folder / "launcher"
        launcher.write_text(f'#!/bin/sh\necho >>"{starts}"\nexec "$@"\n')
        launcher.chmod(0o755)
        self.environment["EDGEPROBE_WORKER_LAUNCHER"] = str(launcher)
        counts = []
        for processes in (1, 3):
            starts.write_text("")
            self.profile("--processes", processes, "--force")
            counts.append(len(starts.read_text().splitlines()))
        self.assertEqual(counts[1] - counts[0], 2, counts)

    def test_what_is_none(self):
        self.put("a.onnx")
        for text in ("0xg", "0x", "fz", "0x" + "f" * 2000, "1;2", "0-", "1-0", "-1"):
            self.assertIn(f"--core-affinity '{text[:40]}", self.profile(f"--core-affinity={text}", expect=2).err)
            self.assertIn("expected CPU numbers, e.g. 0,2-3, or a mask", self.profile(f"--core-affinity={text}", expect=2).err)
        self.assertIn("a mask without a CPU", self.profile("--core-affinity", "0x0", expect=2).err)
        # A word of digits is a CPU.
        self.assertIn("CPU 4000 was asked for", self.profile("--core-affinity", "4000", expect=2).err)
        self.assertIn("as a mask it is written 0x4000", self.profile("--core-affinity", "4000", expect=2).err)
        self.assertFalse(self.table.exists())


class GoesOn(ProfileTest):
    def test_only_what_changed_is_measured_again(self):
        for name in ("a.onnx", "b.onnx", "c, \"d\".onnx"):
            self.put(name)
        self.profile()
        before = self.rows()
        self.assertEqual(list(before), ["a.onnx", "b.onnx", "c, \"d\".onnx"])
        self.put("b.onnx", MODELS / "inception_like.onnx")
        self.put("e.onnx")
        self.assertIn("2 of 4 were in it already", self.profile().out)
        after = self.rows()
        self.assertEqual({cfg: after[cfg] for cfg in ("a.onnx", "c, \"d\".onnx")}, {cfg: before[cfg] for cfg in ("a.onnx", "c, \"d\".onnx")})
        self.assertNotEqual(after["b.onnx"]["model_sha256"], before["b.onnx"]["model_sha256"])
        self.assertEqual(list(after), [*before, "e.onnx"])
        # Other options give other figures; profiling one model leaves the rows of the others unchanged.
        self.assertNotIn("already", self.profile("--optimization", "off", path=self.nets / "a.onnx").out)
        again = self.rows()
        self.assertEqual(again["a.onnx"]["options"], "optimization=off")
        self.assertEqual({cfg: again[cfg] for cfg in after if cfg != "a.onnx"}, {cfg: after[cfg] for cfg in after if cfg != "a.onnx"})
        self.assertNotIn("already", self.profile("--optimization", "off", "--force", path=self.nets / "a.onnx").out)
        self.assertEqual(list(self.rows()), ["a.onnx"])

    def test_a_stop_keeps_the_rows_that_are_done(self):
        # Many models: on a busy machine, this test may see the second row late.
        for i in range(40):
            self.put(f"{i:02}.onnx")
        process = self.begin(seconds="0.05")
        try:
            self.wait_for_rows(2)
            interrupt(process)
            error = process.communicate(timeout=PATIENCE)[1].decode()
        finally:
            process.kill()
        self.assertEqual(process.returncode, 130, error)
        before = self.rows()
        self.assertTrue(2 <= len(before) < 40)
        self.assertIn(f"stopped by the user; {len(before)} of 40 rows are in '{self.table}', and the same command continues after them", error)
        # It goes on with two of those that are left.
        for path in sorted(self.nets.iterdir())[len(before) + 2:]:
            path.unlink()
        self.assertIn(f"{len(before)} of {len(before) + 2} were in it already", self.profile(seconds="0.05").out)
        after = self.rows()
        self.assertEqual({cfg: after[cfg] for cfg in before}, before)
        self.assertEqual(len(after), len(before) + 2)

    def test_two_at_once_take_turns(self):
        self.put("a.onnx")
        onnx.save(endless(), self.nets / "b_endless.onnx")
        first = self.begin("--time-limit", str(PATIENCE))
        second = None
        errors = self.folder / "errors"
        try:
            self.wait_for_rows(1)
            (self.nets / "b_endless.onnx").unlink()
            self.put("c.onnx")
            with open(errors, "w") as file:
                second = self.begin(errors=file)
            self.assertTrue(wait_for(lambda: "note: another search or profile runs on this machine; waiting" in errors.read_text()))
            self.assertEqual(list(self.rows()), ["a.onnx"])
            # The second signal ends the program in the middle of an inference.
            for _ in range(2):
                interrupt(first, signal.SIGTERM)
            first.communicate(timeout=PATIENCE)
            out = second.communicate(timeout=PATIENCE)[0].decode()
        finally:
            for process in filter(None, (first, second)):
                process.kill()
        self.assertEqual(second.returncode, 0, errors.read_text())
        self.assertIn("1 of 2 were in it already", out)
        self.assertEqual(list(self.rows()), ["a.onnx", "c.onnx"])

    def test_a_crash_a_hang_and_a_damaged_file_are_rows_of_their_own(self):
        self.put("a.onnx")
        onnx.save(endless(), self.nets / "b_endless.onnx")
        (self.nets / "c_cut.onnx").write_bytes((MODELS / "signs_float.onnx").read_bytes()[:900])
        self.put("d.onnx")
        process = self.begin("--time-limit", str(PATIENCE), "--core_affinity", hex(1 << CPUS[-1]))
        try:
            self.wait_for_rows(1)
            # A busy child may still be loading its library, before it moves to its CPU.
            self.assertTrue(wait_for(lambda: any(is_busy(child) and status(child, "Cpus_allowed_list") == str(CPUS[-1]) for child in children(process.pid))),
                            {child: (cpu_seconds(child), status(child, "Cpus_allowed_list")) for child in children(process.pid)})
            for child in children(process.pid):
                os.kill(child, signal.SIGKILL)
            error = process.communicate(timeout=PATIENCE)[1].decode()
        finally:
            process.kill()
        self.assertEqual(process.returncode, 1, error)
        self.assertIn("2 of 4 configurations have no figures; the column 'status' says why", error)
        rows = self.rows()
        self.assertEqual([row["latency"] != "" for row in rows.values()], [True, False, False, True])
        self.assertRegex(rows["b_endless.onnx"]["status"], "^failed: .*SIGKILL")
        self.assertRegex(rows["c_cut.onnx"]["status"], "^failed: .*cut short")
        for cfg in ("b_endless.onnx", "c_cut.onnx"):  # it is unknown how often a loop runs
            self.assertEqual({rows[cfg][key] for key in ("latency", "energy", "n", "p99_us", "macs", "max_abs_d")}, {""})
        # The next run tries these models again, and reaches the time limit.
        done = self.profile("--time-limit", "1", "--core-affinity", CPUS[-1], expect=1)
        self.assertLess(done.cpu_s, 30)
        self.assertIn("2 of 4 were in it already", done.out)
        self.assertRegex(self.rows()["b_endless.onnx"]["status"], "^failed: .*(time limit|1 s|limit)")


@TWO
class Plans(ProfileTest):
    def setUp(self):
        super().setUp()
        self.net = self.put("net.onnx", MODELS / "inception_like.onnx")

    def test_a_plan_is_run_with_its_model(self):
        plan = self.nets / "net.json"
        shutil.move(self.plan_of(self.net)[0], plan)
        shutil.copy(plan, self.nets / "other.json")
        (self.nets / "bad.json").write_text('{"edgeprobe_plan": 1,')
        done = self.profile("--num-threads", 2, expect=1)
        self.assertIn("note: --num-threads is for the models; plans run as they say", done.err)
        rows = self.rows()
        self.assertEqual(list(rows), ["bad.json", "net.json", "net.onnx", "other.json"])
        for cfg in ("bad.json", "other.json"):
            self.assertEqual(rows[cfg]["status"], "failed: no model of that name is next to this plan; name one with --model")
        self.assertEqual((rows["net.json"]["engine"], rows["net.json"]["threads"], rows["net.json"]["cpus"]), ("stretch", "2", " ".join(map(str, CPUS[:2]))))
        self.assertEqual(rows["net.json"]["engine_version"], f"onnxruntime {rows['net.onnx']['engine_version']}")
        self.assertEqual(rows["net.json"]["model_sha256"], rows["net.onnx"]["model_sha256"])
        self.assertLessEqual(float(rows["net.json"]["max_abs_d"]), 1e-5)
        self.assertNotEqual(rows["net.json"]["plan_sha256"], "")
        # The others get a model.
        done = self.profile("--num-threads", 2, "--model", self.net, expect=1)
        self.assertIn("2 of 4 were in it already", done.out)
        rows = self.rows()
        self.assertNotEqual(rows["other.json"]["latency"], "")
        self.assertRegex(rows["bad.json"]["status"], "^failed: plan '.*bad.json': .*JSON")
        # A plan for another structure is refused, with the first layer that differs.
        self.profile("--model", MODELS / "signs_float.onnx", path=self.nets / "other.json", expect=1)
        self.assertRegex(self.rows()["other.json"]["status"], "^failed: .*layer")

    def test_flags_beside_a_plan_alone(self):
        plan = self.nets / "net.json"
        shutil.move(self.plan_of(self.net)[0], plan)
        for flag, value in (("--num-threads", 2), ("--core-affinity", CPUS[0]), ("--engine", "openvino"), ("--precision", "engine")):
            self.assertIn(f"{flag} with a plan", self.profile(flag, value, path=plan, expect=2).err)


@unittest.skipUnless((ROOT / ".deps" / "gpu" / "libLiteRtWebGpuAccelerator.so").exists(), "no .deps/gpu: run script/setup --gpu")
class OnGpu(ProfileTest):
    def test_another_driver_is_another_processor(self):
        self.put("a.tflite", MODELS / "signs_float.tflite")
        mesa = ROOT / ".deps" / "gpu" / "mesa"
        self.environment.update(VK_DRIVER_FILES=str(mesa / "lvp_icd.json"), LD_LIBRARY_PATH=str(mesa / "lib"), MESA_SHADER_CACHE_DIR=str(mesa.parent / "shaders"))
        flags = ("--engine", "litert", "--delegate", "gpu", "--time-limit", 300)
        self.profile(*flags)
        [row] = self.rows().values()
        self.assertEqual((row["delegate"], row["options"]), ("gpu (software)", "delegate=gpu (software)"))
        self.assertIn("1 of 1 were in it already", self.profile(*flags).out)
        del self.environment["VK_DRIVER_FILES"]
        self.environment["VK_ICD_FILENAMES"] = str(self.folder / "none.json")
        self.profile(*flags, expect=1)
        [row] = self.rows().values()
        self.assertEqual((row["delegate"], row["latency"]), ("gpu", ""))
        self.assertRegex(row["status"], "^failed: .*no Vulkan driver is found")


class Refused(ProfileTest):
    """Refusals that console/stretch.md does not contain."""

    def test_a_table_that_was_cut_off_is_not_gone_on_with(self):
        self.put("a.onnx")
        self.table.write_text("my notes\n")
        self.assertIn("--force replaces no other", self.profile("--force", expect=2).err)
        self.assertEqual(self.table.read_text(), "my notes\n")
        self.table.unlink()
        self.profile()
        self.profile("--force")
        whole = self.table.read_text()
        self.table.write_text(whole[:-40])
        self.assertRegex(self.profile(expect=2).err, "line 2: [0-9]+ fields, not [0-9]+")
        self.assertEqual(self.table.read_text(), whole[:-40])

    def test_a_library_that_is_missing_leaves_the_table_alone(self):
        self.put("a.onnx")
        self.profile()
        before = self.table.read_text()
        self.assertIn("none.so", self.profile("--engine", f"onnxruntime:{self.folder / 'none.so'}", expect=(1, 2)).err)
        self.assertEqual(self.table.read_text(), before)


if __name__ == "__main__":
    tool.main()
