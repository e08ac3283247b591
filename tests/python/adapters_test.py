# SPDX-License-Identifier: Apache-2.0
"""Wrapped engines: results are bit-equal to the engine's own, and the trace contains the same as `edgeprobe run` for the same sample."""
import subprocess
import sys

import support

import numpy as np

import edgeprobe
from edgeprobe.recording.adapters.recorder import Recorder
from support import MODELS, ROOT

ENGINES = {"litert": "engines/libLiteRt.so", "onnxruntime": "engines/libonnxruntime.so", "openvino": "openvino/libs"}
RECIPE = (MODELS / "signs.recipe").read_text().strip()
NCHW = (MODELS / "signs_nchw.recipe").read_text().strip()


class AdaptersTest(support.PackageTest):
    def recorded(self, model, recipe, engine):
        """Recorded on the command line: three frames with inputs and outputs."""
        if not any((ROOT / ".deps").glob(ENGINES[engine])):
            self.skipTest(f"set-up has not brought {engine}")
        path = self.folder / f"by_tool_{model}.mcap"
        edgeprobe.run(MODELS / model, MODELS / "data" / "test", recipe=recipe, engine=engine, trace=path, frames=3)
        return edgeprobe.load(path)

    def assert_same_model_tensors(self, by_tool, by_app, exact=True):
        self.assertEqual(len(by_tool.frames), len(by_app.frames))
        for tool, app in zip(by_tool.frames, by_app.frames):
            model = [name for name in tool if name.startswith(("model_input/", "model_output/"))]
            self.assertEqual(model, [name for name in app if name.startswith(("model_input/", "model_output/"))])
            for name in model:
                a, b = tool.channel(name), app.channel(name)
                self.assertEqual((a.dtype, a.shape, a.axis, a.metadata.get("position")), (b.dtype, b.shape, b.axis, b.metadata.get("position")))
                for key in ("scale", "zero_point"):
                    x, y = getattr(a, key), getattr(b, key)
                    self.assertEqual(x is None, y is None, (name, key))
                    if x is not None:
                        np.testing.assert_array_equal(x, y)
                if exact or name.startswith("model_input/"):
                    np.testing.assert_array_equal(tool[name], app[name])
                else:
                    np.testing.assert_allclose(tool.real(name), app.real(name), atol=1e-5)
            self.assertGreater(app.latency_ns, 0)

    def test_litert_interpreter(self):
        try:
            from ai_edge_litert.interpreter import Interpreter
        except ImportError as error:
            self.skipTest(str(error))
        for model, recipe in (("signs_float.tflite", RECIPE), ("signs_int8.tflite", RECIPE + " | quantize(model)")):
            with self.subTest(model), self.recorded(model, recipe, "litert") as by_tool:
                path = self.folder / f"{model}.mcap"
                plain = Interpreter(str(MODELS / model))
                with edgeprobe.Probe(path) as probe:
                    interpreter = edgeprobe.wrap(Interpreter(str(MODELS / model)), probe, model=MODELS / model)
                    interpreter.allocate_tensors()
                    plain.allocate_tensors()
                    given, answered = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
                    for frame in by_tool.frames:
                        for one in (plain, interpreter):
                            one.set_tensor(given["index"], frame[given["name"]])
                            one.invoke()
                        a, b = plain.get_tensor(answered["index"]), interpreter.get_tensor(answered["index"])
                        self.assertEqual(a.tobytes(), b.tobytes())
                with edgeprobe.load(path) as by_app:
                    self.assert_same_model_tensors(by_tool, by_app)
                    about, tool = by_app.metadata["edgeprobe.run"], by_tool.metadata["edgeprobe.run"]
                    self.assertEqual((about["engine"], about["model"], about["model_sha256"]), ("litert", model, tool["model_sha256"]))

    def test_litert_signatures_resizing_and_frames_of_the_application(self):
        try:
            from ai_edge_litert.interpreter import Interpreter
        except ImportError as error:
            self.skipTest(str(error))
        model = str(MODELS / "signs_float.tflite")
        batch = np.random.default_rng(1).uniform(-1, 1, (2, 64, 64, 3)).astype(np.float32)
        with edgeprobe.Probe(self.path) as probe:
            interpreter = probe.wrap(Interpreter(model))
            index = interpreter.get_input_details()[0]["index"]
            interpreter.resize_tensor_input(index, (2, 64, 64, 3))
            interpreter.allocate_tensors()
            interpreter.set_tensor(index, batch)
            with probe.frame(sample="two") as frame:
                frame.tensor("own", np.zeros(2))
                interpreter.invoke()
            scores = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
            second = probe.wrap(Interpreter(model), prefix="second/")
            with self.assertRaises(Exception):  # the engine's own error
                second.invoke()
            second.allocate_tensors()
            with probe.frame(sample="again"):
                second.invoke()
        with edgeprobe.load(self.path) as trace:
            frames = {frame.sample: frame for frame in trace.frames}
            np.testing.assert_array_equal(frames["two"]["image"], batch)
            np.testing.assert_array_equal(frames["two"]["probabilities"], scores)
            self.assertIn("intermediate/own", frames["two"])
            self.assertIn("model_output/second/probabilities", frames["again"])

    def test_onnxruntime_session(self):
        try:
            import onnxruntime
        except ImportError as error:
            self.skipTest(str(error))
        model = "signs_float.onnx"
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        make = lambda: onnxruntime.InferenceSession(str(MODELS / model), options, providers=["CPUExecutionProvider"])
        with self.recorded(model, NCHW, "onnxruntime") as by_tool:
            plain = make()
            with edgeprobe.Probe(self.path) as probe:
                session = edgeprobe.wrap(make(), probe, model=MODELS / model)
                name = session.get_inputs()[0].name
                for frame in by_tool.frames:
                    a, b = (one.run(None, {name: frame[name]}) for one in (plain, session))
                    self.assertEqual([x.tobytes() for x in a], [x.tobytes() for x in b])
                with self.assertRaises(Exception):
                    session.run(None, {"no such input": np.zeros(1)})
                value = onnxruntime.OrtValue.ortvalue_from_numpy(by_tool.frames[0][name])
                session.run([session.get_outputs()[0].name], {name: value})
            with edgeprobe.load(self.path) as by_app:
                np.testing.assert_array_equal(by_app.frames[4][name], by_tool.frames[0][name])
                self.assertEqual(len(by_app.frames[3]), 0)
                by_app.frames = by_app.frames[:3]
                self.assert_same_model_tensors(by_tool, by_app)

    def test_openvino_models_and_requests(self):
        try:
            import openvino
        except ImportError as error:
            self.skipTest(str(error))
        model = "signs_float.onnx"
        settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
        compiled = openvino.Core().compile_model(str(MODELS / model), "CPU", settings)
        with self.recorded(model, NCHW, "openvino") as by_tool:
            name = next(iter(compiled.inputs[0].get_names()))
            inputs = [frame[name] for frame in by_tool.frames]
            expected = [compiled({name: one})[0].tobytes() for one in inputs]
            with edgeprobe.Probe(self.path) as probe:
                wrapped = edgeprobe.wrap(compiled, probe)
                request = wrapped.create_infer_request()
                other = edgeprobe.wrap(compiled.create_infer_request(), probe)
                other.set_input_tensor(openvino.Tensor(inputs[2].copy()))

                def asynchronous(one):
                    request.start_async({name: one})
                    request.wait()
                    return request.get_output_tensor().data

                runs = [lambda i: wrapped({name: inputs[i]})[0], lambda i: wrapped.infer_new_request([inputs[i]])[0],
                        lambda i: request.infer({0: inputs[i].astype(np.float64)})[0], lambda i: asynchronous(inputs[i])]
                for run in runs:
                    for i in range(3):
                        self.assertEqual(run(i).tobytes(), expected[i])
                self.assertEqual(other.infer()[0].tobytes(), expected[2])
            with edgeprobe.load(self.path) as by_app:
                frames = by_app.frames
                self.assertEqual(len(frames), 13)
                np.testing.assert_array_equal(frames[12][name], inputs[2])
                for start in (0, 3, 6, 9):
                    by_app.frames = frames[start:start + 3]
                    self.assert_same_model_tensors(by_tool, by_app)

    def test_functions(self):
        def model(image, meta, *, mask=None):
            """Its doc."""
            return {"scores": image.sum(axis=(1, 2)), "boxes": [1, 2], "copy": image}

        image = np.arange(12, dtype=np.float32).reshape(1, 2, 2, 3)
        with edgeprobe.Probe(self.path) as probe:
            wrapped = edgeprobe.wrap(model, probe)
            self.assertEqual((wrapped.__name__, wrapped.__doc__), ("model", "Its doc."))
            answer = wrapped(image, {"size": np.array([2, 2]), "id": 4}, mask=np.ones((2, 2), bool))
            np.testing.assert_array_equal(answer["scores"], model(image, {})["scores"])

            @probe.wrap
            def two(x, y):
                return x + y, x - y

            @probe.stage("doubled")
            def double(x):
                return x * 2

            double(image)  # no frame is open: the function only computes
            with probe.frame(sample="s"):
                two(double(image), image)
            with self.assertRaises(ZeroDivisionError):
                probe.wrap(lambda x: 1 / 0)(image)
            with self.assertRaises(edgeprobe.UnsupportedError):
                edgeprobe.wrap(3, probe)
        with edgeprobe.load(self.path) as trace:
            first, second, failed = trace.frames
            self.assertEqual(sorted(first), ["model_input/image", "model_input/mask", "model_input/size", "model_output/copy", "model_output/scores"])
            self.assertEqual(sorted(second), ["intermediate/doubled", "model_input/x", "model_input/y", "model_output/output/0", "model_output/output/1", "span/doubled"])
            np.testing.assert_array_equal(second["doubled"], image * 2)
            np.testing.assert_array_equal(second["output/1"], image)
            self.assertEqual(list(failed), ["model_input/x"])

    def test_outputs_beyond_the_own_ones_are_layers(self):
        with edgeprobe.Probe(self.path, level="layers", own_outputs=1) as probe:
            probe.wrap(lambda x: (x + 1, x + 2, x + 3))(np.zeros(3))
        with edgeprobe.load(self.path) as trace:
            self.assertEqual(list(trace.frames[0]), ["model_input/x", "layer/output/1", "layer/output/2", "model_output/output/0"])
            self.assertEqual(trace.frames[0].channel("output/2").metadata["position"], "1")

    def test_layers_of_a_patched_model(self):
        """`edgeprobe instrument` turns layers into outputs; the probe records them as layers, like `run --level layers`."""
        try:
            import onnxruntime
            from ai_edge_litert.interpreter import Interpreter
        except ImportError as error:
            self.skipTest(str(error))
        for model, recipe, engine in (("signs_int8.tflite", RECIPE + " | quantize(model)", "litert"), ("signs_float.onnx", NCHW, "onnxruntime")):
            with self.subTest(model):
                if not any((ROOT / ".deps").glob(ENGINES[engine])):
                    self.skipTest(f"set-up has not brought {engine}")
                patched, by_tool_path, path = (self.folder / f"{name}_{model}" for name in ("layers", "by_tool.mcap", "by_app.mcap"))
                subprocess.run([edgeprobe.executable(), "instrument", MODELS / model, "-o", patched, "--inputs", "2"], check=True, capture_output=True)
                edgeprobe.run(MODELS / model, MODELS / "data" / "test", recipe=recipe, engine=engine, trace=by_tool_path, frames=2, level="layers")
                with edgeprobe.load(by_tool_path) as by_tool, edgeprobe.Probe(path, level="layers", own_outputs=1) as probe:
                    if engine == "litert":
                        interpreter = edgeprobe.wrap(Interpreter(str(patched)), probe)
                        interpreter.allocate_tensors()
                        index = interpreter.get_input_details()[0]["index"]
                    else:
                        session = edgeprobe.wrap(onnxruntime.InferenceSession(str(patched), providers=["CPUExecutionProvider"]), probe)
                    for frame in by_tool.frames:
                        given = frame[next(name for name in frame if name.startswith("model_input/"))]
                        if engine == "litert":
                            interpreter.set_tensor(index, given)
                            interpreter.invoke()
                        else:
                            session.run(None, {session.get_inputs()[0].name: given})
                with edgeprobe.load(by_tool_path) as by_tool, edgeprobe.load(path) as by_app:
                    for tool, app in zip(by_tool.frames, by_app.frames, strict=True):
                        layers = [name for name in tool if name.startswith("layer/")]
                        self.assertGreater(len(layers), 10)
                        self.assertEqual({name for name in app if name.startswith("layer/")}, set(layers))
                        for name in (*layers, *(n for n in tool if n.startswith("model_output/"))):
                            np.testing.assert_allclose(app.real(name), tool.real(name), atol=1e-5, err_msg=name)

    def test_engines_are_not_imported(self):
        script = ("import edgeprobe, sys, numpy\nwith edgeprobe.Probe(sys.argv[1]) as p: edgeprobe.wrap(lambda x: x, p)(numpy.zeros(3))\n"
                  "print([m for m in ('ai_edge_litert', 'onnxruntime', 'openvino', 'pandas', 'mcap', 'PIL') if m in sys.modules])")
        done = subprocess.run([sys.executable, "-c", script, str(self.path)], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), "[]")

    def test_a_probe_that_is_off_changes_nothing(self):
        with self.assertLogs("edgeprobe"):
            probe = edgeprobe.Probe(self.folder / "no" / "t.mcap", strict=False)
        self.assertEqual(edgeprobe.wrap(lambda x: x * 2, probe)(np.float32(4)), 8)
        recorder = Recorder(probe, "")
        self.assertEqual(recorder.inference(lambda: 1 / 0, lambda: "answer", lambda _: 1 / 0), "answer")


if __name__ == "__main__":
    support.main()
