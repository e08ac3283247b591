# SPDX-License-Identifier: Apache-2.0
"""Vectors and anomaly scores that `run` computes with a recipe, and those that an app records, with typical faults of post-processing.

The models are ONNX files of bench/numbers/recorded.py; the app is bench/numbers/app.py: NumPy in float32, which shares no code with the
search. The results of `run` are compared with scikit-learn."""
import json
import struct
import sys
import unittest

import numpy as np
from mcap.reader import make_reader
from sklearn.metrics import mean_squared_error
from sklearn.preprocessing import normalize

import tool
import traces
from tool import ROOT, SHARED, run, verdict_of

sys.path.insert(0, str(ROOT / "bench" / "numbers"))
import app  # noqa: E402
import recorded  # noqa: E402

VECTOR = "|| dequantize | pool(mean, mask=1) | normalize(l2)"
VECTOR_HOW = {"output": 0, "read": "values", "pool": "mean", "padding": False, "special": False, "norm": "l2", "length": None, "cut behind": False, "bits": None}
SCORE_HOW = {"read": "values", "measure": "mse", "windows": "mean", "threshold": 6.0, "alarm below": False}
SCORE = "|| dequantize | score(mse, windows=mean) | threshold(6)"
FLOAT = [(0, 0)] * 2


def answers_of(trace):
    """{frame: {part: values}} of a trace, read with struct."""
    out = {}
    with open(trace, "rb") as file:
        for _, channel, message in make_reader(file).iter_messages(log_time_order=False):
            if not channel.topic.startswith("/answer/"):
                continue
            data, parts = message.data[1:], {}
            while data:
                kind, dtype, rank, _, length = struct.unpack("<BBBBI", data[:8])
                body = data[8 : 8 + length]
                parts[kind] = np.frombuffer(body[4 * rank :], "<f4" if dtype == 0 else np.uint8)
                data = data[8 + length :]
            out[message.sequence] = parts
    return out


class NumbersTest(tool.ToolTest):
    def encoder(self):
        path, data = self.folder / "encoder.onnx", self.folder / "texts.npz"
        recorded.encoder(path)
        self.texts = recorded.texts(8)
        np.savez(data, ids=np.stack([ids for ids, _ in self.texts]), mask=np.stack([mask for _, mask in self.texts]))
        self.hidden = [out[0] for out in recorded.onnx(path, self.texts)]
        return path, data

    def auto_encoder(self):
        path, data = self.folder / "machines.onnx", self.folder / "machines.npz"
        batches = [recorded.log_mels(s)[:24] for s in recorded.machines(12)]
        recorded.auto_encoder(path, np.concatenate(batches[:2]), 24, 10)
        np.savez(data, features=np.stack(batches))
        self.given, self.made = batches, [out[0] for out in recorded.onnx(path, [(b,) for b in batches])]
        return path, data

    def recorded(self, model, data, recipe, *more):
        trace = self.folder / "good.mcap"
        run("run", model, "--recipe", recipe, "--data", data, "--level", "io", "--trace", trace, "--force", *more, expect=0)
        return trace

    def with_answers(self, trace, answer):
        """A copy of the trace in which the app answers `answer(inputs, outputs)`, both as stored."""
        return traces.answered(trace, self.folder / "app.mcap", lambda inputs, outputs, _: traces.answer(**answer(inputs, outputs)))

    def diagnosed(self, trace, model, data, recipe, *more, expect=3):
        return verdict_of("diagnose", trace, "--reference", model, "--reference-recipe", recipe, "--data", data, *more, expect=expect)

    def vectors(self, **how):
        return lambda inputs, outputs: {"vector": app.vector(outputs, inputs[1], FLOAT, VECTOR_HOW | how)}

    def scores(self, **how):
        def answer(inputs, outputs):
            score, alarm = app.score(outputs, inputs, FLOAT, SCORE_HOW | how)
            return {"score": score, "alarm": alarm}

        return answer

    def test_run_writes_vectors_and_scores_as_scikit_learn_has_them(self):
        model, data = self.encoder()
        said = answers_of(self.recorded(model, data, VECTOR))
        self.assertEqual(len(said), 8)
        for (_, parts), hidden, (_, mask) in zip(sorted(said.items()), self.hidden, self.texts):
            rows = hidden[0][mask[0] == 1].astype(np.float64)
            np.testing.assert_allclose(parts[7], normalize(rows.mean(0, keepdims=True))[0], atol=1e-6)
        model, data = self.auto_encoder()
        for recipe, expected in ((SCORE, lambda x, y: mean_squared_error(x.T, y.T, multioutput="raw_values").mean()),
                                 ("|| dequantize | score(l2, windows=max) | threshold(40)", lambda x, y: np.linalg.norm(y.astype(float) - x, axis=1).max())):
            said = answers_of(self.recorded(model, data, recipe))
            limit = float(recipe.split("threshold(")[1][:-1])
            for (_, parts), x, y in zip(sorted(said.items()), self.given, self.made):
                self.assertAlmostEqual(parts[8][0] / expected(x, y), 1, delta=1e-5)
                self.assertEqual(bool(parts[9][0]), bool(expected(x, y) >= limit))

    def test_faults_behind_an_embedding_model_are_named(self):
        model, data = self.encoder()
        trace = self.recorded(model, data, VECTOR)
        for how, words in (({"padding": True}, "counts padding as rows"), ({"pool": "first"}, "takes the first row"), ({"norm": "none"}, "does not normalise"),
                           ({"length": 16, "cut behind": True}, "keeps the first 16 numbers, after the norm"), ({"bits": "values"}, "rounds the vector to 8 bits")):
            with self.subTest(how=how):
                verdict = self.diagnosed(self.with_answers(trace, self.vectors(**how)), model, data, VECTOR)
                cause = verdict["causes"][0]
                self.assertEqual((cause["kind"], cause["status"], cause["stage"]), ("postprocessing", "confirmed", "outputs"), cause)
                self.assertIn(words, cause["detail"])
                self.assertEqual((verdict["answers"]["status"], verdict["answers"]["judged"], verdict["answers"]["frames"]), ("explained", ["vector"], 8))
        verdict = self.diagnosed(self.with_answers(trace, self.vectors(pool="last", norm="none")), model, data, VECTOR)
        told = [cause["detail"] for cause in verdict["causes"]]
        self.assertTrue(any("takes the last row" in text for text in told) and any("does not normalise" in text for text in told), told)
        self.assertIn("rows[mask == 1].mean(0)", json.dumps(verdict))

    def test_faults_behind_an_auto_encoder_are_named(self):
        model, data = self.auto_encoder()
        trace = self.recorded(model, data, SCORE)
        for how, words in (({"measure": "mae"}, "takes the mean absolute error"), ({"measure": "sse"}, "takes the sum of squared errors"),
                           ({"windows": "median"}, "takes the median of the windows"), ({"threshold": 3.5}, "gives its alarm at another score")):
            with self.subTest(how=how):
                verdict = self.diagnosed(self.with_answers(trace, self.scores(**how)), model, data, SCORE)
                cause = verdict["causes"][0]
                self.assertEqual((cause["kind"], cause["status"]), ("postprocessing", "confirmed"), cause)
                self.assertIn(words, cause["detail"])
                self.assertEqual(verdict["answers"]["judged"], ["score", "alarm"])
                if "threshold" in how:
                    low, high = (float(cause["detail"].split(before)[1].split()[0].strip(",;")) for before in ("above ", "at most "))
                    self.assertTrue(low < 3.5 <= high < 6, cause["detail"])

    def test_right_apps_agree(self):
        model, data = self.encoder()
        trace = self.recorded(model, data, VECTOR)
        right = self.vectors()
        for rounded in (lambda v: v, lambda v: np.round(v, 4), lambda v: v.astype(np.float16)):
            verdict = self.diagnosed(self.with_answers(trace, lambda i, o: {"vector": rounded(right(i, o)["vector"])}), model, data, VECTOR, expect=0)
            self.assertEqual((verdict["verdict"], verdict["answers"]["status"], verdict["causes"]), ("agrees", "agrees", []))
        verdict = verdict_of("check", model, "--recipe", VECTOR, "--reference", model, "--reference-recipe", VECTOR, "--data", data, expect=0)
        self.assertEqual(verdict["answers"]["status"], "agrees")

    def test_what_no_list_holds_is_never_confirmed(self):
        model, data = self.encoder()
        trace = self.recorded(model, data, VECTOR)
        right = self.vectors()
        for broken in (lambda v: np.tanh(v), lambda v: 1.1 * v, lambda v: v[::-1]):
            verdict = self.diagnosed(self.with_answers(trace, lambda i, o: {"vector": broken(right(i, o)["vector"])}), model, data, VECTOR)
            self.assertEqual({cause["status"] for cause in verdict["causes"]}, {"partial"})
            self.assertEqual(verdict["answers"]["unlike"], 8)

    def test_what_cannot_be_judged_is_said(self):
        model, data = self.encoder()
        trace = self.with_answers(self.recorded(model, data, VECTOR), self.vectors())
        for recipe, words in (("|| pool(mean, mask=7)", "the model has 2 inputs"), ("|| score(mse)", "no answer has a score")):
            verdict = self.diagnosed(trace, model, data, recipe, expect=4)
            self.assertEqual((verdict["verdict"], verdict["answers"]["status"]), ("undecided", "not_judged"))
            self.assertIn(words, verdict["headline"])
            self.assertTrue(any(words in warning for warning in verdict["warnings"]), verdict["warnings"])
        done = run("diagnose", trace, "--reference", model, "--reference-recipe", "|| pool(meen)", "--data", data, expect={1, 2})
        self.assertIn('did you mean "mean"?', done.err)

    @unittest.skipUnless(SHARED.exists(), f"no {SHARED}: the real models are not at hand")
    def test_a_real_model_answers_in_vectors(self):
        """Uses YAMNet's class scores as an embedding of the recordings."""
        model = SHARED / "models" / "tflite_support" / "yamnet_audio_classifier_with_metadata.tflite"
        heard = [np.resize(s, 15600).astype(np.float32) for s in recorded.recordings(SHARED)][:4]
        data, trace = self.folder / "heard.npz", self.folder / "heard.mcap"
        np.savez(data, waveform_binary=np.stack(heard))
        run("run", model, "--recipe", "|| dequantize | normalize(l2)", "--data", data, "--level", "io", "--trace", trace, expect=0)
        for parts in answers_of(trace).values():
            self.assertEqual(parts[7].shape, (521,))
            self.assertAlmostEqual(float(np.linalg.norm(parts[7])), 1, delta=1e-5)


if __name__ == "__main__":
    tool.main()
