# SPDX-License-Identifier: Apache-2.0
"""A state in resource variables is treated like one in variable tensors. resource_state_test.py EDGEPROBE"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "engine"))
import resource_model
import tool
import traces
from tool import run, verdict_of

LENGTH = 6


class ResourceStateTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.model, self.data = self.folder / "m.tflite", self.folder / "x.npz"
        resource_model.write(self.model)
        self.x = np.random.default_rng(1).normal(0, 1, (4 * LENGTH, 1, 1, resource_model.WIDTH)).astype(np.float32)
        np.savez(self.data, x=self.x, sequences=np.repeat(np.arange(4), LENGTH))

    def expected(self, of=None):
        return np.concatenate([resource_model.expected(self.x[k:k + LENGTH], of) for k in range(0, len(self.x), LENGTH)])

    def test_it_begins_anew_where_a_sequence_begins_and_is_warned_of(self):
        for engine in "tflite", "litert":
            with self.subTest(engine=engine):
                trace = self.folder / f"{engine}.mcap"
                done = run("run", self.model, "--engine", engine, "--data", self.data, "--level", "layers", "--trace", trace, expect=0)
                self.assertIn("the model keeps a state from inference to inference (resource variable 'ring')", done.err)
                outputs = traces.only(traces.exported(trace), "model_output")
                np.testing.assert_allclose(outputs.reshape(len(self.x), -1), self.expected(), rtol=1e-4, atol=1e-5)

    def test_what_is_one_model_agrees_and_no_layer_with_the_state_is_replayed(self):
        verdict = verdict_of("check", self.model, "--engine", "tflite", "--reference", self.model, "--reference-engine", "litert", "--data", self.data, expect=0)
        self.assertEqual((verdict["verdict"], verdict["causes"]), ("agrees", []))

    def test_other_weights_are_named_and_not_the_state(self):
        for layer, name, other in ((0, "hidden", np.fliplr), (1, "y", lambda w: np.roll(w, 1, 0))):
            with self.subTest(layer=name):
                weights = resource_model.weights()
                weights[layer] = np.ascontiguousarray(other(weights[layer]))
                bad = self.folder / "bad.tflite"
                resource_model.write(bad, weights)
                verdict = verdict_of("check", bad, "--reference", self.model, "--data", self.data, expect=3)
                confirmed = [(one["kind"], one["layer"]) for one in verdict["causes"] if one["status"] == "confirmed"]
                self.assertEqual(confirmed, [("weights", name)], verdict["headline"])
                reasons = {one["type"]: one["reason"] for one in verdict["culprits"]["not_checked"]}
                self.assertEqual(list(reasons), ["READ_VARIABLE"])
                self.assertIn("it keeps a state from one run to the next", reasons["READ_VARIABLE"])

    def test_an_app_that_sets_it_back_at_other_times_is_told_by_when_it_does(self):
        """The program records with other sequences; the trace then claims the right ones."""
        for begins, words in ((np.zeros(len(self.x), int), "the state inside the model is never set back"),
                              (np.arange(len(self.x)), "the state inside the model is set back before every step")):
            with self.subTest(words=words):
                other, plain, app = self.folder / "other.npz", self.folder / "plain.mcap", self.folder / "app.mcap"
                np.savez(other, x=self.x, sequences=begins)
                run("run", self.model, "--data", other, "--level", "io", "--trace", plain, "--force", expect=0)
                app.unlink(missing_ok=True)
                copy = traces.Copy(plain, app)
                for group in copy.groups:
                    if group.name == "edgeprobe.run":
                        group.metadata["sequence_begins"] = ",".join(map(str, range(0, len(self.x), LENGTH)))
                with copy:
                    for channel, message in copy.messages:
                        copy.add(channel.topic, channel.message_encoding, dict(channel.metadata), message.data, message)
                verdict = verdict_of("diagnose", app, "--reference", self.model, "--model", self.model, expect=3)
                self.assertEqual([(one["kind"], one["status"]) for one in verdict["causes"]], [("state", "confirmed")], verdict["headline"])
                self.assertIn(words, verdict["causes"][0]["detail"])
                self.assertGreater(verdict["causes"][0]["restored"], 0.99)

    def test_verbs_that_take_a_model_apart_refuse_it(self):
        for args in (("bisect", self.model, "--data", self.data), ("stretch", "plan", self.model, "--output", self.folder / "p.yml")):
            with self.subTest(verb=args[0]):
                done = run(*args, expect={1, 2})
                self.assertIn("keeps a state", done.err)


if __name__ == "__main__":
    tool.main()
