# SPDX-License-Identifier: Apache-2.0
"""stretch evaluate: top-1 and top-5 of what is executed against onnxruntime and NumPy, Wilson's interval against the roots of its equation, McNemar's test
against sums of binomial coefficients; configurations with their weights; a stop; refusals."""
import csv
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from PIL import Image
from onnx import numpy_helper

import tool
from processes import interrupt
from stretch_models import CPUS, PAIR, TWO, StretchTest, alone
from tool import MODELS, PATIENCE, run

sys.path.insert(0, str(MODELS))
import preprocess  # noqa: E402

Z = 1.959963984540054  # scipy.stats.norm.ppf(0.975)
#: preprocess.reference(): Pillow's own arithmetic.
RECIPE = "crop(center, 0.875) | resize(64x64, bilinear, like=pillow) | color(rgb) | scale(-1..1) | layout(nchw)"
BASIC = MODELS / "families" / "basic.yml"
TWO_BRANCHES = MODELS / "families" / "basic-two.yml"


def wilson(successes, n):
    """Both p with (p - k/n)^2 = z^2 p (1 - p) / n."""
    share = successes / n
    return sorted(np.roots([1 + Z * Z / n, -2 * share - Z * Z / n, share * share]).real)


def mcnemar(first, second):
    n, few = first + second, min(first, second)
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(few + 1)) / 2**n)


def damaged(path, to, noise):
    """A copy with noise on the weights of its last layer."""
    model = onnx.load(path)
    rng = np.random.default_rng(3)
    largest = [one for one in model.graph.initializer if len(one.dims) == 2][-1]
    values = numpy_helper.to_array(largest)
    largest.CopyFrom(numpy_helper.from_array((values + noise * values.std() * rng.standard_normal(values.shape)).astype(np.float32), largest.name))
    onnx.save(model, to)
    return to


def setUpModule():
    """The test pictures as .png files, since decoders of JPEG differ."""
    folder = pathlib.Path(unittest.enterModuleContext(tempfile.TemporaryDirectory(prefix="edgeprobe_test_")))
    (folder / "pictures").mkdir()
    with open(MODELS / "data" / "labels.csv", encoding="utf-8") as file:
        labelled = [(row["file"], int(row["label"])) for row in csv.DictReader(file)]
    pictures = [preprocess.decode(MODELS / "data" / "test" / name) for name, _ in labelled]
    for i, picture in enumerate(pictures):
        Image.fromarray(picture).save(folder / "pictures" / f"{i:03}.png", compress_level=1)
    (folder / "labels.csv").write_text("file,label\n" + "".join(f"{i:03}.png,{label}\n" for i, (_, label) in enumerate(labelled)))
    EvaluateTest.data = ("--data", folder / "pictures", "--labels", folder / "labels.csv")
    EvaluateTest.labels = np.array([label for _, label in labelled])
    EvaluateTest.inputs = np.stack([preprocess.reference(picture) for picture in pictures]).transpose(0, 3, 1, 2)


class EvaluateTest(StretchTest):
    def evaluate(self, *words, expect=0):
        return json.loads(run("stretch", "evaluate", *words, *self.data, "--json", expect=expect).out)["evaluations"]

    def scores(self, model):
        session = alone(model)
        name = session.get_inputs()[0].name
        return np.concatenate([session.run(None, {name: one[None]})[0].reshape(1, -1) for one in self.inputs])

    def right(self, model):
        """By frame: the label has the largest score, or one of the five largest."""
        ranked = np.argsort(-self.scores(model), axis=1, kind="stable")
        return ranked[:, 0] == self.labels, (ranked[:, :5] == self.labels[:, None]).any(1)


class Accuracy(EvaluateTest):
    def check(self, figure, right):
        self.assertEqual((figure["correct"], figure["n"]), (int(right.sum()), len(right)))
        self.assertAlmostEqual(figure["value"], right.mean(), places=12)
        for key, value in zip(("low", "high"), wilson(int(right.sum()), len(right))):
            self.assertAlmostEqual(figure[key], value, places=9)

    def test_is_that_of_onnxruntime_on_pillows_pictures(self):
        # Noise brings the top-5 below 100 %.
        model = damaged(MODELS / "signs_float.onnx", self.folder / "noisy.onnx", 2.5)
        best, among = self.right(model)
        self.assertTrue(0.2 < best.mean() < among.mean() < 1, (best.mean(), among.mean()))
        [row] = self.evaluate(model, "--recipe", RECIPE)
        self.check(row["top1"], best)
        self.check(row["top5"], among)
        self.assertEqual((row["model"], row["resolution"], row["input"]["dtype"], row["weight_types"], row["pieces"], row["classes"], row["against_base"]),
                         ("noisy.onnx", "64x64", "float32", ["float32"], 1, 12, None))
        self.assertEqual(row["processors"][0]["engine"], "onnxruntime")
        text = run("stretch", "evaluate", model, "--recipe", RECIPE, *self.data, expect=0).out
        self.assertIn(f"480  {100 * best.mean():.1f} %", text)

    def test_of_stored_integers_and_another_layout(self):
        [row] = self.evaluate(MODELS / "signs_int8.tflite", "--recipe", RECIPE.replace("nchw", "nhwc") + " | quantize(model)")
        self.assertEqual((row["weight_types"], row["input"]["dtype"], row["resolution"]), (["int32", "int8"], "int8", "64x64"))
        self.assertEqual(row["processors"][0]["engine"], "litert")

    @TWO
    def test_a_plan_is_what_runs(self):
        [_, plan] = run("stretch", "generate", TWO_BRANCHES, "-o", self.folder / "two.onnx", "--plan", self.folder / "two.json", "--cpus", PAIR, expect=0), self.folder / "two.json"
        net = self.folder / "two.onnx"
        rows = self.evaluate(plan, "--base", net, "--recipe", RECIPE)
        self.assertEqual([row["model"] for row in rows], ["two.onnx", "two.json"])
        whole, pieces = rows
        self.assertEqual((whole["pieces"], pieces["pieces"]), (1, len(json.loads(plan.read_text())["pieces"])))
        self.assertGreater(pieces["pieces"], 2)
        self.assertEqual([one["cpus"] for one in pieces["processors"]], [[CPUS[0]], [CPUS[1]]])
        against = pieces["against_base"]
        self.assertEqual((against["only_base"], against["only_model"], against["p"], against["verdict"], against["differs_in"]), (0, 0, 1, "no difference shown", ["plan"]))
        self.assertEqual((against["same_class"]["value"], against["n"]), (1, 480))
        self.assertEqual(pieces["top1"], whole["top1"])
        self.check(pieces["top1"], self.right(net)[0])
        # The same with the plan as a flag.
        self.assertEqual(self.evaluate(net, "--plan", plan, "--recipe", RECIPE)[0]["processors"], pieces["processors"])


    def test_scores_that_are_no_numbers_are_wrong(self):
        model = onnx.load(MODELS / "signs_float.onnx")
        weights = [one for one in model.graph.initializer if len(one.dims) == 2][-1]
        weights.CopyFrom(numpy_helper.from_array(np.full(weights.dims, np.nan, np.float32), weights.name))
        onnx.save(model, self.folder / "nan.onnx")
        done = run("stretch", "evaluate", self.folder / "nan.onnx", "--recipe", RECIPE, *self.data, "--frames", 10, expect=0)
        self.assertIn("nan.onnx: 10 frames without a score that is a number, counted as wrong", done.out)
        self.assertRegex(done.out, r"nan.onnx +10 +0.0 % ")


class Comparison(EvaluateTest):
    def test_is_mcnemars_exact_test_with_holms_adjustment(self):
        base = MODELS / "signs_float.onnx"
        models = [damaged(base, self.folder / f"{noise}.onnx", noise) for noise in (0.2, 2)]
        rows = self.evaluate(*models, "--base", base, "--recipe", RECIPE, expect=3)
        first = self.right(base)[0]
        p = []
        for row, model in zip(rows[1:], models):
            second, against = self.right(model)[0], row["against_base"]
            only_base, only_model = int((first & ~second).sum()), int((second & ~first).sum())
            self.assertEqual((against["only_base"], against["only_model"]), (only_base, only_model))
            p.append(mcnemar(only_base, only_model))
            self.assertAlmostEqual(against["p"] / p[-1], 1, places=9)
            self.assertAlmostEqual(against["difference"], second.mean() - first.mean(), places=12)
            same = self.scores(base).argmax(1) == self.scores(model).argmax(1)
            self.assertEqual(against["same_class"]["correct"], int(same.sum()))
        self.assertTrue(p[1] < 1e-6 < 0.05 < p[0], p)
        for row, expected in zip(rows[1:], (max(p[0], min(1, 2 * p[1])), 2 * p[1])):
            self.assertAlmostEqual(row["against_base"]["p_adjusted"] / expected, 1, places=9)
        self.assertEqual([row["against_base"]["verdict"] for row in rows[1:]], ["no difference shown", "differs: worse"])
        # The other way round, it is better; that is no failure.
        text = run("stretch", "evaluate", base, "--base", models[1], "--recipe", RECIPE, *self.data, expect=0).out
        self.assertIn("signs_float.onnx against 2.onnx: differs: better (McNemar p", text)
        self.assertIn("not the same: model", text)

    def test_of_networks_of_two_resolutions(self):
        for size in (64, 32):
            run("stretch", "generate", BASIC, "--size", size, "-o", self.folder / f"{size}.onnx", expect=0)
        recipe = RECIPE
        rows = self.evaluate(self.folder / "32.onnx", "--recipe", recipe.replace("64x64", "32x32"), "--base", self.folder / "64.onnx", "--base-recipe", recipe, expect=(0, 3))
        self.assertEqual([row["resolution"] for row in rows], ["64x64", "32x32"])
        self.assertEqual(rows[1]["against_base"]["differs_in"], ["model", "resolution", "recipe"])
        # Models before one that fails keep their rows.
        done = run("stretch", "evaluate", self.folder / "64.onnx", self.folder / "32.onnx", "--recipe", recipe, *self.data, "--json", expect=(1, 2))
        self.assertEqual(json.loads(done.out)["evaluations"], [{**rows[0], "against_base": None}])
        self.assertIn("'32.onnx'", done.err)
        # Without a recipe of its own, the base's pictures do not fit.
        error = run("stretch", "evaluate", self.folder / "32.onnx", "--base", self.folder / "64.onnx", "--recipe", recipe.replace("64x64", "32x32"), *self.data, expect=(1, 2)).err
        self.assertIn("'64.onnx'", error)


class Configurations(EvaluateTest):
    def test_have_the_weights_beside_them(self):
        config = shutil.copy(TWO_BRANCHES, self.folder / "net.yml")
        error = run("stretch", "evaluate", config, "--recipe", RECIPE, *self.data, expect=2).err
        self.assertIn("no weights of", error)
        self.assertIn("net.yml", error)
        run("stretch", "generate", config, "--seed", 5, "--weights-output", self.folder / "net.safetensors", "-o", self.folder / "other.onnx", expect=0)
        [row] = self.evaluate(config, "--recipe", RECIPE)
        [other] = self.evaluate(self.folder / "other.onnx", "--recipe", RECIPE)
        self.assertEqual((row["model"], row["weights"], row["model_sha256"], row["top1"]), ("net.yml", "net.safetensors", other["model_sha256"], other["top1"]))
        self.assertGreater(row["pieces"], 1)
        (self.folder / "net.labels.txt").write_text("left\nmiddle\nright\n")
        done = run("stretch", "evaluate", config, "--recipe", RECIPE, *self.data, "--frames", 12, expect=0)
        self.assertIn("its classes count as in 'net.labels.txt': 0 is 'left', 2 is 'right'", done.err)
        # A folder of weights, as eval_acc.py has it, and its other flags.
        weights = self.folder / "models" / "net"
        weights.mkdir(parents=True)
        (self.folder / "net.safetensors").rename(weights / "model.safetensors")
        done = run("stretch", "evaluate", "--cfg", config, "--models", self.folder / "models", "--num_gpus", 8, "--out_dir", self.folder / "out", "--recipe", RECIPE, *self.data, expect=0)
        self.assertIn("note: --num_gpus has no effect: a plan is evaluated on its own processors, and one process trains", done.err)
        [written] = json.loads((self.folder / "out" / "net" / "evaluation.json").read_text())["evaluations"]
        self.assertEqual(written["top1"], row["top1"])
        (weights / "model.safetensors").rename(weights / "model.pyth")
        self.assertIn("is a PyTorch checkpoint", run("stretch", "evaluate", config, "--models", self.folder / "models", *self.data, expect=2).err)

    def test_of_nn_stretchs_form_are_224_pixels_and_say_so(self):
        config = self.folder / "wide.yaml"
        config.write_text("MODEL: {TYPE: mbanynet, NUM_CLASSES: 12}\nANYNET: {STEM_W: 8, STEM_K: 3, BLOCK_TYPE: res_basic_block, DEPTHS: [[1]], WIDTHS: [[8]], "
                          "STRIDES: [[2]], DEVICES: [cpu], ORIGINAL_WIDTHS: [8]}\nTRAIN: {IM_SIZE: 96}\n")
        for size, note in ((224, True), (96, False)):
            words = () if note else ("--size", size)
            run("stretch", "generate", config, "--size", size, "--weights-output", self.folder / "wide.safetensors", "--force", expect=0)
            done = run("stretch", "evaluate", config, *words, "--recipe", RECIPE.replace("64x64", f"{size}x{size}"), *self.data, "--frames", 12, "--json", expect=0)
            self.assertEqual("224 pixels, as NN-Stretch timed" in done.err, note)
            self.assertEqual(json.loads(done.out)["evaluations"][0]["resolution"], f"{size}x{size}")


class Stops(EvaluateTest):
    def test_keep_the_frames_that_are_done(self):
        net = shutil.copy(MODELS / "signs_float.onnx", self.folder / "net.onnx")
        plan, contents = self.plan_of(net)
        for one in contents["processors"]:
            one["emulated_slowdown"] = 100
        plan.write_text(json.dumps(contents))
        # On a terminal, progress is shown at once.
        ours, theirs = os.openpty()
        self.addCleanup(os.close, ours)
        with subprocess.Popen([tool.EXECUTABLE, "stretch", "evaluate", str(plan), *map(str, self.data), "--recipe", RECIPE, "--json"],
                              stdout=subprocess.PIPE, stderr=theirs, stdin=subprocess.DEVNULL) as process:
            os.close(theirs)
            shown = b""
            try:
                while b" frames" not in shown:
                    shown += os.read(ours, 4096)
                interrupt(process)
                out = process.communicate(timeout=PATIENCE)[0]
            finally:
                process.kill()
        shown += os.read(ours, 65536)
        self.assertEqual(process.returncode, 130, shown)
        [row] = json.loads(out)["evaluations"]
        self.assertTrue(row["stopped"])
        done = row["top1"]["n"]
        self.assertTrue(0 < done < 480, done)
        best = self.right(net)[0][:done]
        self.assertEqual(row["top1"]["correct"], int(best.sum()))
        self.assertIn(b"1 of 1 models ran, the last one on the frames that its row states", shown)


class Refusals(EvaluateTest):
    def test_say_what_to_do(self):
        net, config = MODELS / "signs_float.onnx", BASIC
        for words, expected in (
                ((net, *self.data[:2]), "accuracy needs the classes of the pictures; give them with --labels"),
                ((*self.data,), "name a model, a plan or a configuration to evaluate"),
                ((net, net, "--plan", "p.json", *self.data), "--plan is for one model"),
                ((MODELS / "families", "--plan", "p.json", *self.data), "a plan divides one model file"),
                ((net, "--base-plan", "p.json", *self.data), "belong to --base"),
                ((net, "--base", MODELS / "families", *self.data), "models; name one"),
                ((self.folder / "none.onnx", *self.data), "does not exist"),
                ((MODELS / "signs.recipe", *self.data), "is not a folder"),
                ((net, "--plan", self.folder / "none.json", *self.data), "none.json"),
                (("--cfg", config, "--mode", "train", *self.data), "--mode train is 'edgeprobe stretch train CONFIG' here"),
                (("--cfg", config, *self.data, "--mode", "test", "OUT_DIR"), "'OUT_DIR' has no value"),
                (("--cfg", config, *self.data, "--mode", "test", "OPTIM.BASE_LR", "1"), "'OPTIM.BASE_LR' cannot be changed on the command line"),
                (("--cfg", config, *self.data, "--mode", "test", "TRAIN.IM_SIZE", "big"), "TRAIN.IM_SIZE 'big': expected a whole number"),
                (("--cfg", config, *self.data, "--weights", self.folder / "none.safetensors"), "--weights: ")):
            with self.subTest(expected):
                self.assertIn(expected, run("stretch", "evaluate", *words, expect=2).err)

    def test_a_model_without_classes(self):
        net = self.folder / "map.onnx"
        model = onnx.load(MODELS / "inception_like.onnx")
        del model.graph.output[:]
        model.graph.output.append(onnx.helper.make_tensor_value_info(model.graph.node[0].output[0], onnx.TensorProto.FLOAT, None))
        onnx.save(model, net)
        self.assertIn("no output holds one score for each class", run("stretch", "evaluate", net, *self.data, "--recipe", RECIPE, expect=(1, 2)).err)


if __name__ == "__main__":
    tool.main()
