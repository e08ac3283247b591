# SPDX-License-Identifier: Apache-2.0
"""State in resource variables is a state as that of variable tensors is. resource_state_test.py EDGEPROBE"""
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

    def test_verbs_that_take_a_model_apart_refuse_it(self):
        for args in (("bisect", self.model, "--data", self.data), ("stretch", "plan", self.model, "--output", self.folder / "p.yml")):
            with self.subTest(verb=args[0]):
                done = run(*args, expect={1, 2})
                self.assertIn("keeps a state", done.err)


if __name__ == "__main__":
    tool.main()
