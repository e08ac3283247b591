# SPDX-License-Identifier: Apache-2.0
"""stretch plan, search and explain, and the engine stretch:PLAN: execution in pieces equals ONNX Runtime's own Python, for the whole model and piece
by piece."""
import json

import numpy as np
import onnx

import tool
from stretch_models import TWO, StretchTest, alone, nets, tensors_of
from tool import MODELS, run

INCEPTION = MODELS / "inception_like.onnx"


def sessions(plan, model, folder):
    """The pieces of a plan, cut out by ONNX's own tool, by name."""
    made = {}
    for piece in plan["pieces"]:
        path = folder / f"{len(made)}.onnx"
        onnx.utils.extract_model(str(model), str(path), piece["inputs"], piece["outputs"], check_model=False)
        made[piece["name"]] = alone(path)
    return made


def in_sequence(plan, pieces, inputs):
    """All tensors, with the pieces run in sequence in an order that the plan allows."""
    values, left = dict(inputs), list(plan["pieces"])

    def put_together():
        for merge in plan.get("merges", []):
            names = [one["tensor"] for one in merge["slices"]]
            if merge["tensor"] not in values and all(name in values for name in names):
                values[merge["tensor"]] = np.concatenate([values[name] for name in names], axis=1)

    while left:
        put_together()
        ready = next(piece for piece in left if all(name in values for name in piece["inputs"]))
        left.remove(ready)
        values.update(zip(ready["outputs"], pieces[ready["name"]].run(ready["outputs"], {name: values[name] for name in ready["inputs"]})))
    put_together()
    return values


@TWO
class Plans(StretchTest):
    def test_pieces_at_once_are_pieces_in_sequence_and_the_whole_model(self):
        for model in (INCEPTION, *(self.model(nets.NETS[name](), name) for name in ("towers_64", "ensemble_4", "sensors"))):
            with self.subTest(model=model.name):
                path, plan = self.plan_of(model)
                self.assertGreater(len(plan["programs"]), 1)
                pieces, whole = sessions(plan, model, self.folder), alone(model)
                data, drawn = self.data_of(model, 20)
                trace = self.folder / f"{model.stem}.mcap"
                run("run", model, "--engine", f"stretch:{path}", "--data", data, "--trace", trace, expect=0)
                recorded = tensors_of(trace)
                self.assertEqual(len(recorded), 20)
                for frame, inputs in enumerate(drawn):
                    expected = dict(zip((one.name for one in whole.get_outputs()), whole.run(None, inputs)))
                    sequence = in_sequence(plan, pieces, inputs)
                    for name, value in expected.items():
                        got = recorded[frame][name].reshape(value.shape)
                        self.assertTrue(np.array_equal(got, sequence[name]), name)
                        self.assertLessEqual(np.abs(got - value).max(), 1e-6 * np.abs(value).max(), name)
                        self.assertEqual(got.argmax(), value.argmax())

    def test_a_table_has_each_way_with_figures_or_a_reason(self):
        model = self.model(nets.NETS["towers_64"](), "towers_64")
        plan, _ = self.plan_of(model)
        done = run("stretch", "table", plan, model, "--seconds", "0.03", "--rounds", "1", "--json", "-", expect={0, 4})
        table = json.loads(done.out)
        self.assertEqual([row["way"] for row in table["rows"]], ["one thread", "all cores", "the engine's parallel mode", "layers split by channels", "pieces in sequence", "pieces at once"])
        for row in table["rows"]:
            self.assertEqual(row["timing"] is None, row["missing"] is not None)
            if row["timing"]:
                self.assertGreaterEqual(row["timing"]["quiet"], 20)
                self.assertGreaterEqual(row["timing"]["quiet_processes"], 3)
                self.assertLessEqual(row["timing"]["low"], row["timing"]["median"])
                self.assertLessEqual(row["timing"]["median"], row["timing"]["high"])
                self.assertLessEqual(row["timing"]["p10"], row["timing"]["median"])
                self.assertLessEqual(row["timing"]["median"], row["timing"]["p90"])
            elif "quiet" in row["missing"]:
                self.assertRegex(row["missing"], r"^only [0-9]+ of [0-9]+ processes (was|were) quiet \([0-9]+ of [0-9]+ runs\), and figures need 3: other programs are using the CPUs$")
            if row["way"] != "one thread":
                self.assertLessEqual(row["difference"]["relative"], 1e-5 if "split" in row["way"] else 1e-6)
                self.assertEqual(row["difference"]["inputs"], 20)
        self.assertEqual(done.returncode, 0 if table["ratio"] else 4)
        if table["ratio"]:
            plain = min((row["timing"] for row in table["rows"][:2] if row["timing"]), key=lambda timing: timing["median"])
            self.assertAlmostEqual(table["ratio"]["value"], plain["median"] / table["rows"][-1]["timing"]["median"])
        for row in table["rows"]:
            self.assertEqual(row["macs"], table["rows"][0]["macs"])
            if row["timing"]:  # Null has a reason; 0 must not replace it.
                self.assertEqual(row["energy"] is None, row["energy_reason"] != "")
                self.assertTrue(row["energy"] is None or row["energy"] > 0)
        # LiteRT has no such mode, and edgeprobe says so.
        tflite = MODELS / "signs_float.tflite"
        plan, _ = self.plan_of(tflite)
        rows = json.loads(run("stretch", "table", plan, tflite, "--seconds", "0.02", "--rounds", "1", "--json", "-", expect={0, 4}).out)["rows"]
        self.assertEqual(rows[2]["missing"], "engine litert has none")


if __name__ == "__main__":
    tool.main()
