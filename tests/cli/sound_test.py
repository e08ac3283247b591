# SPDX-License-Identifier: Apache-2.0
"""Sound end to end: run on recordings, and diagnose of an app whose front end uses NumPy, SciPy and librosa, with injected faults."""
import json
import sys
import wave

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import tool
from tool import ROOT, SHARED, run, verdict_of

sys.path.insert(0, str(ROOT / "tests" / "python"))
sys.path.insert(0, str(ROOT / "bench" / "sound"))
import support  # noqa: E402,F401  finds the Python package of this build, or skips
import edgeprobe  # noqa: E402
import evaluate  # noqa: E402
import planted  # noqa: E402

YAMNET = SHARED / "models/tflite_support/yamnet_audio_classifier_with_metadata.tflite"
KWS = SHARED / "models/mlperf_tiny/kws_ref_model.tflite"


def write_wav(path, samples, rate=16000):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.astype("<i2").tobytes())


def classifier(path, shape, classes=5):
    """An ONNX model whose answer depends on every value of its input."""
    count = int(np.prod(shape))
    weights = (np.random.default_rng(7).normal(size=(count, classes)) / np.sqrt(count) * .15).astype(np.float32)
    nodes = [helper.make_node("Flatten", ["x"], ["flat"]), helper.make_node("MatMul", ["flat", "w"], ["logits"]),
             helper.make_node("Softmax", ["logits"], ["scores"], axis=1)]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, classes])], [numpy_helper.from_array(weights, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return weights


class SoundTest(tool.ToolTest):
    SHAPES = {"kws": (1, 49, 10), "yamnet_mel": (1, 96, 64), "whisper": (1, 80, 300)}

    def recorded(self, front, clips, **faults):
        """(model, trace of the app): its own NumPy front end, its own model in NumPy."""
        number = len(list(self.folder.glob("app*.mcap")))
        model, trace = self.folder / f"model{number}.onnx", self.folder / f"app{number}.mcap"
        weights = classifier(model, self.SHAPES[front])
        with edgeprobe.Probe(str(trace), wait_when_full=True) as probe:
            for name, clip in clips.items():
                heard = faults.get("foreign", lambda x: x)(clip)
                features = planted.app(front, heard, **{k: v for k, v in faults.items() if k != "foreign"})
                logits = features.reshape(1, -1).astype(np.float64) @ weights
                scores = np.exp(logits - logits.max())
                with probe.frame(sample=name) as frame:
                    frame.audio("audio", clip, 16000)
                    frame.tensor("x", features.reshape(self.SHAPES[front]), "model_input", position=0)
                    frame.tensor("scores", (scores / scores.sum()).astype(np.float32), "model_output", position=0)
        return model, trace

    def verdict(self, front, clips=None, expect=3, **faults):
        clips = clips or {"a": evaluate.generated(seed=1), "b": evaluate.generated(seed=2)}
        model, trace = self.recorded(front, clips, **faults)
        self.model, self.trace = model, trace
        return verdict_of("diagnose", trace, "--reference", model, "--reference-recipe", planted.RECIPES[front], expect=expect)

    def causes(self, verdict):
        return sorted(c["kind"] for c in verdict["causes"] if c["status"] in ("confirmed", "note"))

    def test_a_healthy_app_agrees(self):
        for front in self.SHAPES:
            with self.subTest(front):
                verdict = self.verdict(front, expect=0)
                self.assertEqual((verdict["verdict"], verdict["causes"]), ("agrees", []))

    def test_planted_faults_are_named_and_confirmed(self):
        confirmed = 0
        for front, kind, word, faults in (
                ("kws", "log_scale", "log10", dict(log="log10")), ("kws", "framing", "400", dict(win=400)), ("kws", "framing", "256", dict(hop=256)),
                ("kws", "filter_bank", "slaney", dict(htk=False)), ("kws", "sample_rate", "44100", dict(believed=44100)),
                ("kws", "spectrum", "power", dict(magnitude=False)), ("yamnet_mel", "audio_level", "1/32768", dict(scale=1.0)),
                ("yamnet_mel", "sample_format", "big-endian", dict(swapped=True)), ("yamnet_mel", "filter_bank", "7600", dict(fmax=7600)),
                ("yamnet_mel", "feature_normalization", "mean_variance", dict(utterance="variance")),
                ("yamnet_mel", "feature_normalization", "running_mean", dict(utterance="running")), ("kws", "feature_normalization", "running_mean", dict(utterance="running")),
                ("yamnet_mel", "feature_normalization", "mean_sample_variance", dict(utterance="sample")),
                ("yamnet_mel", "sample_format", "float_as_int32", dict(bits="float as int32")), ("yamnet_mel", "sample_format", "int24_as_int16", dict(bits="24 as 16")),
                ("yamnet_mel", "sample_format", "int16_as_uint16", dict(bits="unsigned"))):
            with self.subTest(front=front, **{k: str(v) for k, v in faults.items()}):
                # If a fault moves this model's answers by less than rounding, it is a note; its name is the same.
                verdict = self.verdict(front, expect={0, 3, 4}, **faults)
                self.assertEqual(self.causes(verdict), [kind], verdict["causes"])
                cause = next(c for c in verdict["causes"] if c["status"] in ("confirmed", "note"))
                self.assertIn(word, cause["detail"])
                if cause["status"] == "confirmed":
                    self.assertIn("replayed with this change", " ".join(cause["evidence"]))
                confirmed += cause["status"] == "confirmed"
        self.assertGreaterEqual(confirmed, 7)

    def test_places_in_the_recording_are_named_from_features(self):
        for front, kinds, words, faults in (
                ("kws", ["audio_position"], ("first sample of the ring buffer is 6000",), dict(ring=6000)),
                ("yamnet_mel", ["audio_position"], ("place of lost samples is 7000", "number of lost samples is 160"), dict(gap=(7000, 160))),
                ("kws", ["audio_position", "log_scale"], ("samples left out in front is 1000", "log10"), dict(late=1000, log="log10")),
                ("yamnet_mel", ["audio_position", "spectrum"], ("place of lost samples is 4321", "power"), dict(gap=(4321, 901), magnitude=False))):
            with self.subTest(front=front, **{k: str(v) for k, v in faults.items()}):
                verdict = self.verdict(front, expect={0, 3, 4}, **faults)
                self.assertEqual(self.causes(verdict), kinds, verdict["causes"])
                told = " ".join(c["detail"] for c in verdict["causes"] if c["status"] in ("confirmed", "note"))
                for word in words:
                    self.assertIn(word, told)

    def test_four_faults_of_one_pull_request_are_named_together_from_one_recording(self):
        clip = {"a": evaluate.generated(seconds=1.6, seed=3)}
        verdict = self.verdict("whisper", clip, magnitude=True, log="ln", limit=None, mean=0, std=1, pad_features=1e-10)
        self.assertEqual(self.causes(verdict), ["audio_padding", "feature_normalization", "log_scale", "spectrum"], verdict["causes"])
        text = run("diagnose", self.trace, "--reference", self.model, "--reference-recipe", planted.RECIPES["whisper"], expect=3).out
        for words in ("spectrum is magnitudes; the reference's is power", "logarithm is ln; the reference's is log10", "features are padded"):
            self.assertIn(words, text)

    def test_both_edges_of_the_filter_bank_are_named_together(self):
        """Edges that no list contains, above and below; each is measured while the other is wrong."""
        for front, low, high in (("yamnet_mel", 35, 7900), ("kws", 90, 3650), ("whisper", 40, 7100)):
            with self.subTest(front):
                verdict = self.verdict(front, {"a": evaluate.generated(seconds=1.6, seed=5)}, expect={0, 3, 4}, fmin=low, fmax=high)
                self.assertEqual(self.causes(verdict), ["filter_bank"], verdict["causes"])
                said = verdict["causes"][0]["detail"]
                self.assertIn(f"the app's lowest frequency is {low};", said)
                self.assertIn(f"the app's highest frequency is {high};", said)

    def test_a_stretch_to_both_ends_is_named(self):
        for front in ("yamnet_mel", "kws"):
            with self.subTest(front):
                verdict = self.verdict(front, expect={0, 3, 4}, believed=44100, kernel="ends")
                self.assertIn("linear_ends", " ".join(c["detail"] for c in verdict["causes"] if c["status"] in ("confirmed", "note")))

    def test_what_no_recipe_describes_is_never_confirmed(self):
        for name, foreign in (("gain curve", lambda x: (x * np.interp(np.linspace(0, 1, x.size), [0, .5, 1], [1, 2, 1.3])).clip(-32768, 32767).astype(np.int16)),
                              ("block of zeros", lambda x: np.concatenate([x[:6000], np.zeros(700, np.int16), x[6700:]])),
                              ("block repeated", lambda x: np.concatenate([x[:7000], x[6488:7000], x[7000:-512]])),
                              ("echo", lambda x: (x + .4 * np.concatenate([np.zeros(900), x[:-900]])).clip(-32768, 32767).astype(np.int16))):
            with self.subTest(name):
                verdict = self.verdict("kws", foreign=foreign, expect={3, 4})
                self.assertEqual(self.causes(verdict), [])
                self.assertNotEqual(verdict["verdict"], "agrees")

    def test_real_models_run_on_recordings(self):
        for model, recipe, wanted in ((YAMNET, "yamnet", None), (KWS, "mlperf_tiny_kws | quantize(model)", {"yes_1000ms.wav"})):
            if not model.exists():
                self.skipTest(f"{model} is not here: set EDGEPROBE_SHARED_DATA")
            trace = self.folder / (model.stem + ".mcap")
            summary = json.loads(run("run", model, "--recipe", recipe, "--data", SHARED / "audio", "--trace", trace, "--json", expect=0).out)
            self.assertEqual(summary["frames"], 4)
            verdict = verdict_of("diagnose", trace, "--reference", model, "--reference-recipe", recipe, expect=0)
            self.assertEqual(verdict["verdict"], "agrees")

    def test_recipes_are_worded_and_refused(self):
        shown = run("recipe", "show", "whisper", expect=0).out
        self.assertIn("log(log10, max=1e-10, range=8)", shown)
        self.assertIn("decimal logarithm", shown)
        wav = self.folder / "a.wav"
        write_wav(wav, evaluate.generated())
        told = run("recipe", "explain", "librosa_mfcc", wav, "--out", self.folder / "steps", expect=0).out
        self.assertIn("32 x 20", told)
        self.assertTrue((self.folder / "steps/features.png").exists())
        self.assertIn("steps of pictures do not mix", run("recipe", "show", "mono | resize(64x64, bilinear)", expect=2).err)
        broken = bytearray(wav.read_bytes())
        broken[24:28] = bytes(4)
        wav.write_bytes(broken)
        model = self.folder / "m.onnx"
        classifier(model, (1, 49, 10))
        refused = run("run", model, "--recipe", "mlperf_tiny_kws", "--data", wav, "--trace", self.folder / "t.mcap", expect=1)
        self.assertIn("the header says a rate of 0 Hz", refused.out + refused.err)


if __name__ == "__main__":
    tool.main()
