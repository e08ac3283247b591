# SPDX-License-Identifier: Apache-2.0
"""--engine stretch:PLAN with every verb, compared with ONNX Runtime's and LiteRT's own Python: layers, time lines, pieces that crash, hang or make
NaN, and refused plans."""
import copy
import json
import os
import signal
import subprocess
import sys

import numpy as np
import onnx
from ai_edge_litert.interpreter import Interpreter
from mcap.reader import make_reader

import tool
from processes import children, further_threads, interrupt, is_busy, wait_for
from stretch_models import CPUS, PAIR, TWO, StretchTest, alone, nets, spread, tensors_of
from tool import MODELS, PATIENCE, ROOT, SHARED, run

sys.path.insert(0, str(ROOT / "tests" / "engine"))
from small_tflite import Graph  # noqa: E402

RESNET = SHARED / "models" / "mlperf_tiny"


def metadata_of(trace, name):
    with open(trace, "rb") as file:
        return next(one.metadata for one in make_reader(file).iter_metadata() if one.name == name)


def all_tensors(model):
    """ONNX Runtime's result for each layer, with all of them as outputs."""
    whole = onnx.load(model)
    seen = {one.name for one in whole.graph.output}
    names = [name for node in whole.graph.node for name in node.output if name not in seen]
    whole.graph.output.extend(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in names)
    path = model.with_suffix(".all.onnx")
    onnx.save(whole, path)
    return alone(path)


def changed(plan, change):
    plan = copy.deepcopy(plan)
    change(plan)
    return plan


@TWO
class Verbs(StretchTest):
    def setUp(self):
        super().setUp()
        self.net = self.model(nets.ensemble(2, width=8, size=16))
        self.path, self.plan = self.plan_of(self.net)
        self.assertEqual(len(self.plan["programs"]), 2)
        self.engine = ("--engine", f"stretch:{self.path}")
        self.data, self.drawn = self.data_of(self.net, 3)

    def slowed(self, times):
        """The plan with a second processor that is slower by this factor."""
        path = self.folder / "slow.json"
        path.write_text(json.dumps(changed(self.plan, lambda plan: plan["processors"][1].update(emulated_slowdown=times))))
        return path

    def test_run_and_replay_give_what_onnx_runtime_gives(self):
        first, again = self.folder / "first.mcap", self.folder / "again.mcap"
        run("run", self.net, *self.engine, "--data", self.data, "--trace", first, expect=0)
        run("replay", first, self.net, *self.engine, "--trace", again, expect=0)
        whole = alone(self.net)
        for trace in (first, again):
            for frame, inputs in enumerate(self.drawn):
                for one, expected in zip(whole.get_outputs(), whole.run(None, inputs)):
                    got = tensors_of(trace)[frame][one.name].reshape(expected.shape)
                    self.assertLessEqual(np.abs(got - expected).max(), 1e-6 * np.abs(expected).max())

    def test_shapes_that_are_open_in_the_model_are_those_of_the_data(self):
        model = nets.ensemble(2, width=8, size=16)
        del model.graph.value_info[:]
        for one in (*model.graph.input, *model.graph.output):
            one.type.tensor_type.shape.dim[0].dim_param = "N"
        net = self.model(onnx.shape_inference.infer_shapes(model), "open")
        path, plan = self.plan_of(net)
        self.assertEqual(len(plan["programs"]), 2)
        for count in (1, 3):
            data, trace = np.random.default_rng(count).random((2, count, 3, 16, 16), dtype=np.float32), self.folder / f"{count}.mcap"
            run("run", net, "--engine", f"stretch:{path}", "--data", self.npz(x=data), "--trace", trace, expect=0)
            for frame, batch in enumerate(data):
                [expected] = alone(net).run(None, {"x": batch})
                [got] = tensors_of(trace)[frame].values()
                self.assertLessEqual(np.abs(got.reshape(expected.shape) - expected).max(), 1e-6 * np.abs(expected).max())

    def test_layers_of_all_pieces_are_recorded_and_timed(self):
        trace = self.folder / "layers.mcap"
        run("run", self.net, *self.engine, "--data", self.data, "--level", "layers", "--layer-times", "--trace", trace, expect=0)
        layers, session = tensors_of(trace, "layer"), all_tensors(self.net)
        outputs = {name for node in onnx.load(self.net).graph.node for name in node.output}
        recorded = tensors_of(trace)
        for frame, inputs in enumerate(self.drawn):
            self.assertEqual(layers[frame].keys() | recorded[frame].keys(), outputs)
            for one, expected in zip(session.get_outputs(), session.run(None, inputs)):
                got = {**layers[frame], **recorded[frame]}[one.name].reshape(expected.shape)
                self.assertLessEqual(np.abs(got - expected).max(), 1e-5 * np.abs(expected).max(), one.name)
        self.assertEqual(int(metadata_of(trace, "edgeprobe.layer_times")["layers"]), len(self.plan["model"]["layers"]))

    def test_check_and_matrix_see_no_difference_from_the_whole_model(self):
        verdict = tool.verdict_of("check", self.net, "--reference", self.net, *self.engine, "--data", self.data, expect=0)
        self.assertEqual(verdict["verdict"], "agrees")
        shown = run("matrix", self.net, "--engines", f"onnxruntime,stretch:{self.path}", "--outputs", expect=0).out
        self.assertIn("all 2 agree", shown)

    def test_check_finds_the_layer_whose_weights_are_others(self):
        other = onnx.load(self.net)
        weight = next(one for one in other.graph.initializer if one.name == other.graph.node[-2].input[1])
        weight.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(weight)[:, ::-1].copy(), weight.name))
        other_path = self.model(other, "other")
        verdict = tool.verdict_of("check", other_path, "--reference", self.net, *self.engine, "--data", self.data, expect=3)
        self.assertEqual(verdict["first_layer"]["name"], other.graph.node[-2].output[0])
        self.assertEqual([cause["kind"] for cause in verdict["causes"]], ["weights"])

    def test_bench_tells_the_layers_of_all_pieces(self):
        out = self.folder / "bench.json"
        run("bench", self.net, *self.engine, "--duration", "0.3", "--warm-up", "0.2", "--layers", "--json", out, expect=0)
        result = json.loads(out.read_text())
        self.assertEqual((result["engine"]["kind"], result["engine"]["library"]), ("stretch", self.path.name))
        profile = result["configurations"][0]["profile"]
        self.assertEqual(profile["layers_all"], len(self.plan["model"]["layers"]))
        layers = {layer for kernel in profile["kernels"] for layer in kernel["layers"]}
        self.assertGreaterEqual(len(layers), profile["layers_known"])
        convolutions = {i for i, text in enumerate(self.plan["model"]["layers"]) if text.startswith("Conv(")}
        self.assertLessEqual(convolutions, layers)

    def test_a_time_line_has_a_track_for_each_processor(self):
        trace, line = self.folder / "a.mcap", self.folder / "line.json"
        run("run", self.net, *self.engine, "--data", self.data, "--trace", trace, expect=0)
        run("trace", "export", trace, "--perfetto", line, expect=0)
        events = json.loads(line.read_text())["traceEvents"]
        tracks = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
        inferences = [event for event in events if event["name"] == "inference"]
        self.assertEqual(len(inferences), 3)
        for inference in inferences:
            ran = {}
            for event in events:
                if event["ph"] == "X" and event is not inference and event["args"]["frame"] == inference["args"]["frame"]:
                    self.assertGreaterEqual(event["ts"], inference["ts"])
                    self.assertLessEqual(event["ts"] + event["dur"], inference["ts"] + inference["dur"] + 0.01)
                    ran[event["name"]] = (tracks[event["tid"]], event["ts"], event["ts"] + event["dur"])
            programs = {program["processor"]: [step["run"] for step in program["steps"] if "run" in step] for program in self.plan["programs"]}
            self.assertEqual({piece: one[0] for piece, one in ran.items()}, {piece: processor for processor, pieces in programs.items() for piece in pieces})
            # Pieces run in sequence on each processor, and a waiting piece begins after the end of the one that it waits for.
            for pieces in programs.values():
                for before, after in zip(pieces, pieces[1:]):
                    self.assertLessEqual(ran[before][2], ran[after][1] + 0.002)
            for piece in self.plan["pieces"]:
                for other in self.plan["pieces"]:
                    if set(piece["inputs"]) & set(other["outputs"]):
                        self.assertLessEqual(ran[other["name"]][2], ran[piece["name"]][1] + 0.002)

    def killed(self, plan, *more):
        """The error message for an engine process that ends with SIGSEGV."""
        process = subprocess.Popen([tool.EXECUTABLE, "bench", self.net, "--engine", f"stretch:{plan}", "--duration", str(PATIENCE), *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            # The thread of the second processor computes: an inference runs.
            [engine] = wait_for(lambda: [child for child in children(process.pid) if any(map(is_busy, further_threads(child)))]) or [None]
            self.assertIsNotNone(engine, "no engine runs inferences")
            os.kill(engine, signal.SIGSEGV)
            error = process.communicate(timeout=PATIENCE)[1].decode()
        finally:
            process.kill()
        self.assertEqual(process.returncode, 1, error)
        self.assertIn("the engine process ended with SIGSEGV", error)
        return error

    def test_a_crash_names_what_ran_and_where(self):
        sentences = {program["processor"]: [f"piece '{step['run']}' on processor '{program['processor']}' was running" for step in program["steps"] if "run" in step] for program in self.plan["programs"]}
        # A piece that runs nearly all of the time.
        error = self.killed(self.slowed(1e6))
        self.assertTrue(any(one in error for one in sentences[self.plan["processors"][1]["name"]]), error)
        # Between two inferences no piece runs, and none is named.
        error = self.killed(self.path, "--warm-up", "0.3")
        self.assertTrue("was running" not in error or any(one in error for lane in sentences.values() for one in lane), error)

    def test_a_piece_that_hangs_is_named_and_everything_ends(self):
        slow = self.slowed(1e6)
        there = next(program for program in self.plan["programs"] if program["processor"] == self.plan["processors"][1]["name"])
        # A busy machine may take longer to load the model; the inference takes half a minute or more.
        for limit in (2, 5, 10):
            done = run("run", self.net, "--engine", f"stretch:{slow}", "--time-limit", limit, "--data", self.data, "--trace", self.folder / "t.mcap", expect=1)
            if "was running" in done.err:
                break
        self.assertIn(f"it took longer than the limit of {limit} s and was stopped; it printed: piece '{there['steps'][0]['run']}' on processor '{there['processor']}' was running", done.err)

    def test_pieces_that_are_slower_on_one_processor_take_longer_there(self):
        slow = self.slowed(50)
        times = {}
        for plan in (self.path, slow):
            told = json.loads(run("stretch", "explain", plan, self.net, "--runs", "30", "--json", expect=0).out)
            times[plan] = {piece["name"]: piece["time"] for piece in told["pieces"] if piece["processor"] == self.plan["processors"][1]["name"]}
        for name, seconds in times[self.path].items():
            self.assertGreater(times[slow][name], 10 * seconds)


@TWO
class Numbers(StretchTest):
    def setUp(self):
        super().setUp()
        self.net = self.model(spread())
        self.path, self.plan = self.plan_of(self.net)
        picture = np.random.default_rng(0).random((2, 1, 1, 16, 16), dtype=np.float32) + 1
        negative = picture.copy()
        negative[1, 0, 0, 3, 3] = -1
        self.good, self.bad = self.npz(x=picture), self.npz(x=negative)

    def run_on(self, data, expect, *more):
        return run("run", self.net, "--engine", f"stretch:{self.path}", "--data", data, "--trace", self.folder / "t.mcap", "--force", *more, expect=expect)

    def test_nan_out_of_numbers_names_the_piece_that_made_it(self):
        [piece] = [piece for piece in self.plan["pieces"] if piece["outputs"] != ["relu3"] and piece["inputs"] == ["x"]]
        processor = next(program["processor"] for program in self.plan["programs"] if {"run": piece["name"]} in program["steps"])
        sentence = f"piece '{piece['name']}' on processor '{processor}' made NaN in '{piece['outputs'][0]}' out of numbers"
        self.assertIn(f"'0001': {sentence}", self.run_on(self.bad, 1).err)
        self.assertIn(sentence, run("bench", self.net, "--engine", f"stretch:{self.path}", "--data", self.bad, "--duration", "0.1", expect=1).err)
        # The next run is unaffected.
        self.run_on(self.good, 0)
        with np.load(self.good) as file:
            for frame, picture in enumerate(file["x"]):
                [expected] = alone(self.net).run(None, {"x": picture})
                [got] = tensors_of(self.folder / "t.mcap")[frame].values()
                self.assertLessEqual(np.abs(got.reshape(expected.shape) - expected).max(), 1e-6 * np.abs(expected).max())


def two_branches(path, kind):
    """Two dense layers on one vector, joined, and one after them."""
    random, graph, whole = np.random.default_rng(4), Graph(), kind == np.int8
    scale = {"scale": 0.05} if whole else {}

    def vector(name, length):
        return graph.tensor(name, [1, length], kind=kind, **scale)

    def dense(name, source, inside, out):
        weight = random.integers(-127, 128, (out, inside)).astype(np.int8) if whole else random.standard_normal((out, inside)).astype(np.float32)
        bias = random.integers(-500, 500, out).astype(np.int32) if whole else random.standard_normal(out).astype(np.float32)
        weights = graph.tensor(f"{name}_w", values=weight, **({"scale": 0.01} if whole else {})), graph.tensor(f"{name}_b", values=bias, **({"scale": 0.0005} if whole else {}))
        made = vector(name, out)
        graph.op("FULLY_CONNECTED", [source, *weights], [made], options="FullyConnectedOptions", version=4 if whole else 1)
        return made

    x = vector("x", 16)
    a, b, both = dense("a", x, 16, 24), dense("b", x, 16, 8), vector("both", 32)
    graph.op("CONCATENATION", [a, b], [both], options="ConcatenationOptions", axis=1, version=2 if whole else 1)
    graph.save(path, [x], [dense("y", both, 32, 5)])


@TWO
class LiteRt(StretchTest):
    def same(self, model, plan, exactly):
        """Runs both on random inputs; all results of LiteRT must be equal."""
        path, trace = self.folder / "plan.json", self.folder / f"{model.stem}.mcap"
        path.write_text(json.dumps(plan))
        interpreter = Interpreter(str(model), num_threads=1)
        interpreter.allocate_tensors()
        [entry] = interpreter.get_input_details()
        random, shape = np.random.default_rng(5), (6, *entry["shape"])
        drawn = random.integers(-128, 128, shape).astype(np.int8) if entry["dtype"] == np.int8 else random.random(shape, dtype=np.float32)
        run("run", model, "--engine", f"stretch:{path}", "--data", self.npz(**{entry["name"]: drawn}), "--trace", trace, expect=0)
        [output] = interpreter.get_output_details()
        recorded = tensors_of(trace, dtype=output["dtype"])
        for frame, one in enumerate(drawn):
            interpreter.set_tensor(entry["index"], one)
            interpreter.invoke()
            expected, [got] = interpreter.get_tensor(output["index"]), recorded[frame].values()
            difference = np.abs(expected.astype(np.float64) - got.reshape(expected.shape)).max()
            self.assertLessEqual(difference, 0 if exactly else 1e-5 * np.abs(expected).max(), model.name)
        self.assertGreater(len({recorded[frame][output["name"]].tobytes() for frame in recorded}), 1)

    def test_two_branches_and_a_merge(self):
        for kind, name in ((np.float32, "float"), (np.int8, "int8")):
            with self.subTest(kind=name):
                model = self.folder / f"{name}.tflite"
                two_branches(model, kind)
                _, plan = self.plan_of(model)
                self.assertEqual(plan["processors"][0]["engine"], "litert")
                plan.update(by_hand(plan, ["x"], [["a"], ["b"]], ["y"], joined="both"))
                plan["merges"] = [{"tensor": "both", "slices": [{"tensor": "a", "first": 0, "count": 24}, {"tensor": "b", "first": 24, "count": 8}]}]
                self.same(model, plan, exactly=kind == np.int8)

    def test_a_residual_block_of_shared_models(self):
        for name in ("pretrainedResnet", "pretrainedResnet_quant"):
            model = RESNET / f"{name}.tflite"
            if not model.exists():
                self.skipTest(f"{model} is not there")
            with self.subTest(model=name):
                _, plan = self.plan_of(model)
                region = json.loads(run("stretch", "regions", model, "--json", expect=0).out)["regions"][0]
                [entry], [output] = (details() for details in (Interpreter(str(model)).get_input_details, Interpreter(str(model)).get_output_details))
                fork = region["branches"][0]["inputs"]
                before = {"name": "before", "inputs": [entry["name"]], "outputs": fork}
                plan.update(by_hand(plan, fork, [branch["outputs"] for branch in region["branches"]], [output["name"]], before))
                self.assertEqual(len(plan["pieces"]), 4)
                self.same(model, plan, exactly="quant" in name)

    def test_an_engine_for_another_format_is_refused(self):
        model = self.folder / "float.tflite"
        two_branches(model, np.float32)
        path, plan = self.plan_of(model)
        path.write_text(json.dumps(changed(plan, lambda one: one["processors"][0].update(engine="onnxruntime"))))
        done = run("bench", model, "--engine", f"stretch:{path}", expect=2)
        self.assertIn(f"processor '{plan['processors'][0]['name']}': engine onnxruntime loads onnx, the plan is of a model in the format 'tflite'", done.err)


def by_hand(plan, inputs, branches, outputs, before=None, joined=None):
    """Two branches, each a piece on its own processor; the layers before and after them run on the first processor."""
    pieces = [{"name": f"branch {i}", "inputs": inputs, "outputs": branch} for i, branch in enumerate(branches)]
    head = {"name": "head", "inputs": [joined] if joined else [name for branch in branches for name in branch], "outputs": outputs}
    processors = [{**plan["processors"][0], "name": name, "cpus": [cpu]} for name, cpu in zip(("first", "second"), CPUS)]
    first, second = [{"run": "branch 0"}, {"wait": "joined"}, {"run": "head"}], [{"run": "branch 1"}, {"signal": "joined"}]
    if before:
        first, second = [{"run": "before"}, {"signal": "forked"}, *first], [{"wait": "forked"}, *second]
    return {"processors": processors, "pieces": [*([before] if before else []), *pieces, head], "programs": [{"processor": "first", "steps": first}, {"processor": "second", "steps": second}]}


@TWO
class Refusals(StretchTest):
    def setUp(self):
        super().setUp()
        self.net = self.model(nets.sensors(2))
        self.path, self.plan = self.plan_of(self.net)
        self.file = self.folder / "refused.json"

    def refused(self, says, *more, plan=None, engine=None, code=2, model=None, **environment):
        """`plan`: a change of the plan, or the text of the file."""
        if callable(plan):
            self.file.write_text(json.dumps(changed(self.plan, plan)))
        elif plan is not None:
            self.file.write_text(plan)
        file = self.path if plan is None else self.file
        done = run("bench", model or self.net, "--duration", "0.1", "--engine", engine or f"stretch:{file}", *more, expect=code, env={**os.environ, **environment})
        self.assertIn(says, done.err)
        self.assertEqual(len(done.err.strip().splitlines()), 1, done.err)
        self.assertEqual(done.out, "")

    def test_a_plan_of_another_model_tells_the_first_layer_that_differs(self):
        other = self.model(nets.sensors(3), "other")
        self.refused("model.layers[8]: the plan has 'Concat(relu4, relu8) -> concat9 float32[1,32]', the model 'Gemm(x2) -> gemm9 float32[1,64]': the plan is of another model", model=other)
        run("stretch", "explain", self.path, other, expect=2)
        # Other weights count as the same model.
        weights = onnx.load(self.net)
        weights.graph.initializer[0].raw_data = np.zeros((64, 64), np.float32).tobytes()
        run("bench", self.model(weights, "weights"), "--engine", f"stretch:{self.path}", "--duration", "0.1", "--warm-up", "0.1", expect=0)

    def test_flags_and_slices(self):
        def waits(plan):
            next(step for program in plan["programs"] for step in program["steps"] if "wait" in step)["wait"] = "nothing of the kind"

        def circle(plan):
            first, second = (program["steps"] for program in plan["programs"])
            first[:0] = [{"wait": "b"}, {"signal": "a"}]
            second[:0] = [{"wait": "a"}, {"signal": "b"}]

        self.refused("waits for flag 'nothing of the kind', which no program signals", plan=waits)
        self.refused("these steps wait for ever: programs[0].steps[0] for 'b', programs[1].steps[0] for 'a'", plan=circle)
        self.refused("merges[0].slices[1].first: 12, but what is before it ends at 16: they overlap", plan=lambda plan: plan["merges"][0]["slices"][1].update(first=12))
        self.refused("merges[0].slices[1].first: 20, but what is before it ends at 16: there is a gap", plan=lambda plan: plan["merges"][0]["slices"][1].update(first=20))
        self.refused("which piece", plan=lambda plan: plan["programs"][0].update(steps=[step for step in plan["programs"][0]["steps"] if "wait" not in step]))

    def test_keys(self):
        self.refused("proccessors: no such key; did you mean 'processors'?", plan=lambda plan: plan.update(proccessors=plan.pop("processors")))
        self.refused("processors[1].thread: no such key; did you mean 'threads'?", plan=lambda plan: plan["processors"][1].update(thread=1))
        self.refused("the key appears twice", plan=self.path.read_text().replace('"threads": 1', '"threads": 1, "threads": 1'))
        self.refused("no program runs", plan=lambda plan: plan.update(programs=[]))

    def test_processors(self):
        name = self.plan["processors"][0]["name"]
        self.refused(f"processor '{name}': CPU 1000 was asked for, but this process may use", plan=lambda plan: plan["processors"][0].update(cpus=[1000]))
        self.refused("processors[0].threads: 2; expected 1 to 1", plan=lambda plan: plan["processors"][0].update(threads=2))
        self.refused("processors[0].emulated_slowdown: 0.5; expected a number from 1", plan=lambda plan: plan["processors"][0].update(emulated_slowdown=0.5))
        self.refused("processors[0].emulated_slowdown: 1e+300; expected a number from 1 to 1000000", plan=lambda plan: plan["processors"][0].update(emulated_slowdown=1e300))
        # Two programs on one CPU; a processor without steps may be on any.
        first, second = (self.plan["processors"][i] for i in (0, 1))
        self.refused(f"processors[1].cpus: processor '{first['name']}' runs steps on CPU {first['cpus'][0]} too; give each processor CPUs of its own", plan=lambda plan: plan["processors"][1].update(cpus=first["cpus"]))
        self.file.write_text(json.dumps(changed(self.plan, lambda plan: plan["processors"].append({**second, "name": "spare"}))))
        run("bench", self.net, "--duration", "0.1", "--warm-up", "0.1", "--engine", f"stretch:{self.file}", expect=0)
        for engine in ("stretch", f"stretch:{self.path}"):
            self.refused(f"processor '{name}': a processor cannot be another plan; name an engine", plan=lambda plan, engine=engine: plan["processors"][0].update(engine=engine))
        self.refused(f"processor '{name}': engine litert loads tflite, the plan is of a model in the format 'onnx'", plan=lambda plan: plan["processors"][0].update(engine="litert"))
        self.refused("engine 'onnxrunime' is unknown; did you mean 'onnxruntime'?", plan=lambda plan: plan["processors"][0].update(engine="onnxrunime"))

    def test_a_library_that_is_not_there(self):
        self.refused("no library for engine 'onnxruntime' was found; run 'edgeprobe fetch onnxruntime' (in a checkout: script/setup --onnxruntime)", EDGEPROBE_ONNXRUNTIME_LIB=str(self.folder / "no.so"))
        self.refused("no.so' does not exist", "--trust", plan=lambda plan: plan["processors"][0].update(engine="onnxruntime:/nowhere/no.so"))
        name = self.plan["processors"][0]["name"]
        self.refused(f"processor '{name}': delegate '/nowhere/no.so' does not exist", "--trust", plan=lambda plan: plan["processors"][0].update(delegate="external:/nowhere/no.so"))

    def test_options_beside_a_plan(self):
        for option, value in (("--threads", "2"), ("--threads", "1"), ("--threads", "1,2"), ("--cpus", str(CPUS[0])), ("--kernels", "builtin"), ("--delegate", "gpu")):
            with self.subTest(option=option, value=value):
                self.refused(f"{option} with a plan: engine stretch runs what its plan says; leave {option} out, or change the plan", option, value)
        for option, value in (("--threads", "1"), ("--cpus", PAIR), ("--kernels", "xnnpack"), ("--delegate", "gpu")):
            done = run("run", self.net, "--engine", f"stretch:{self.path}", "--data", self.data_of(self.net, 1)[0], "--trace", self.folder / "t.mcap", option, value, expect=2)
            self.assertIn(f"{option} with a plan", done.err)
        for more in (("--optimization", "off"), ("--no-spinning",), ("--precision", "engine")):
            self.refused("engine stretch has no such setting", *more)

    def test_threads_of_a_are_none_of_a_plan_of_b(self):
        process = subprocess.Popen([tool.EXECUTABLE, "bench", "diff", self.net, "--threads", "1", "--b-engine", f"stretch:{self.path}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            self.assertTrue(wait_for(lambda: any(map(is_busy, children(process.pid)))), "it measures")
            interrupt(process)
            error = process.communicate(timeout=PATIENCE)[1].decode()
        finally:
            process.kill()
        self.assertNotIn("with a plan", error)
        done = run("bench", "diff", self.net, "--b-engine", f"stretch:{self.path}", "--b-threads", "1", expect=2)
        self.assertIn("--threads with a plan", done.err)

    def test_files_that_are_no_plan(self):
        for verb in (lambda file: ("bench", self.net, "--engine", f"stretch:{file}"), lambda file: ("stretch", "explain", file, self.net)):
            done = run(*verb(self.folder / "nothing.json"), expect=2)
            self.assertRegex(done.err, "plan '.*nothing.json': cannot open: No such file or directory; 'edgeprobe stretch plan MODEL' makes one")
            self.assertRegex(run(*verb(self.folder), expect=2).err, "plan '.*' is not a regular file")
            self.assertIn("line 1, column 1: this is not valid JSON", run(*verb(self.net), expect=2).err)
        self.refused("this is not valid JSON", plan="")
        self.refused("this is not valid JSON", plan=self.path.read_text()[:-20])
        self.refused("is not a plan: expected an object with \"edgeprobe_plan\": 1", plan="[]")
        self.refused("is a plan of version 2", plan=lambda plan: plan.update(edgeprobe_plan=2))
        self.refused("engine stretch needs a plan, as stretch:PLAN.json; 'edgeprobe stretch plan MODEL' makes one", engine="stretch")
        self.refused("names no plan after the colon", engine="stretch:")
        self.refused("the plan is of a model in the format 'onnx', this one is in 'tflite'", model=MODELS / "signs_float.tflite")


if __name__ == "__main__":
    tool.main()
