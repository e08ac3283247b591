# SPDX-License-Identifier: Apache-2.0
"""Answers that an app records in addition to the model's outputs, with typical faults of post-processing."""
import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import tool
import traces
from tool import MODELS, RECIPE, run, verdict_of

DATA = MODELS / "data" / "test"
LABELS = MODELS / "data" / "labels.txt"
NAMES = LABELS.read_text().split("\n")[:12]
POST = f" || dequantize | topk(3) | labels({LABELS})"
FRAMES = 10


def app(scores, names=NAMES, k=3):
    """The correct app."""
    best = np.argsort(-scores, kind="stable")[:k]
    return [names[i] for i in best], scores[best]


class PostprocessingTest(tool.ToolTest):
    def recorded(self, model, recipe):
        trace = self.folder / "good.mcap"
        run("run", MODELS / model, "--recipe", recipe, "--data", DATA, "--frames", FRAMES, "--level", "io", "--trace", trace, "--force", expect=0)
        return trace

    def with_answers(self, trace, answer):
        """A copy of the trace in which the app answers `answer(stored output, frame)`: labels, scores and boxes, as far as it has them."""
        return traces.answered(trace, self.folder / "app.mcap", lambda _, outputs, frame: traces.answer(**dict(zip(("labels", "scores", "boxes"), answer(outputs[0].ravel(), frame)))))

    def diagnosed(self, trace, model, recipe, *more, expect=3):
        return verdict_of("diagnose", trace, "--reference", MODELS / model, "--reference-recipe", recipe, "--data", DATA, *more, expect=expect)

    def test_faults_of_a_float_app_are_named(self):
        trace = self.recorded("signs_float.tflite", RECIPE)

        def softmax(x):
            e = np.exp(x - x.max())
            return e / e.sum()

        def scaled(x, _):
            names, scores = app(x)
            return names, 100 * scores

        def by_rank(x, _):
            return NAMES[:3], app(x)[1]

        for words, answer in (("applies softmax; the reference applies no activation", lambda x, _: app(softmax(x))),
                              ("applies sigmoid", lambda x, _: app(1 / (1 + np.exp(-x)))),
                              ("label file is sorted alphabetically", lambda x, _: app(x, sorted(NAMES))),
                              ("labels are one too high", lambda x, _: app(x, NAMES[1:] + [""])),
                              ("scores are per cent", scaled),
                              ("smallest score first", lambda x, _: ([NAMES[i] for i in np.argsort(x)[:3]], np.sort(x)[:3])),
                              ("rank of a score for the number of its class", by_rank)):
            with self.subTest(words=words):
                verdict = self.diagnosed(self.with_answers(trace, answer), "signs_float.tflite", RECIPE + POST)
                cause = verdict["causes"][0]
                self.assertEqual((cause["kind"], cause["status"], cause["stage"]), ("postprocessing", "confirmed", "outputs"), cause)
                told = [cause["detail"]] + cause["alternatives"]
                self.assertTrue(any(words in text for text in told), told)
                self.assertEqual((verdict["answers"]["status"], verdict["answers"]["frames"]), ("explained", FRAMES))
                self.assertEqual(verdict["answers"]["judged"], ["labels", "scores"])
                self.assertLess(verdict["outputs"]["distance"], verdict["outputs"]["floor"])

    def test_faults_of_a_quantised_app_are_named(self):
        recipe = RECIPE + " | quantize(model)"
        trace = self.recorded("signs_int8.tflite", recipe)
        for words, answer in (("takes the codes of the output for its values", lambda q, _: app(q.astype(np.float32))),
                              ("leaves the zero point of the output out", lambda q, _: app(q.astype(np.float32) / 256)),
                              ("divides the codes of the output by 255", lambda q, _: app((q.astype(np.float32) + 128) / 255))):
            with self.subTest(words=words):
                verdict = self.diagnosed(self.with_answers(trace, answer), "signs_int8.tflite", recipe + POST)
                cause = verdict["causes"][0]
                self.assertEqual((cause["kind"], cause["status"]), ("postprocessing", "confirmed"), cause)
                self.assertIn(words, cause["detail"])
                self.assertIn("zero_point", cause["fix"]["code"]["numpy"])

    def test_a_fault_beside_one_in_front_of_the_model(self):
        bgr = RECIPE.replace("color(rgb)", "color(bgr)")
        trace = self.with_answers(self.recorded("signs_float.tflite", bgr), lambda x, _: app(x, NAMES[1:] + [""]))
        verdict = self.diagnosed(trace, "signs_float.tflite", RECIPE + POST)
        told = [(cause["kind"], cause["status"]) for cause in verdict["causes"]]
        self.assertEqual(told, [("channel_order", "confirmed"), ("postprocessing", "confirmed")])

    def test_right_apps_agree(self):
        trace = self.recorded("signs_float.tflite", RECIPE)
        for answer in (lambda x, _: app(x), lambda x, _: (app(x)[0], np.round(app(x)[1], 2)),
                       lambda x, _: ([name.upper() for name in app(x)[0]], np.float32(np.float16(app(x)[1]))), lambda x, _: (app(x)[0], None)):
            verdict = self.diagnosed(self.with_answers(trace, answer), "signs_float.tflite", RECIPE + POST, expect=0)
            self.assertEqual((verdict["verdict"], verdict["answers"]["status"], verdict["causes"]), ("agrees", "agrees", []))
        shown = verdict["samples"][0]["answers"]
        self.assertEqual(shown["app"]["labels"], shown["expected"]["labels"])
        page = self.folder / "page.html"
        text = run("diagnose", self.folder / "app.mcap", "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE + POST, "--data", DATA,
                   "--html", page, expect=0).out
        self.assertIn("as the reference's recipe makes them of the outputs, in all 10 frames", text)
        self.assertIn("The app answered: ", page.read_text())
        self.assertIn("Expected of these outputs: ", page.read_text())

    def test_what_no_list_holds_is_never_confirmed(self):
        trace = self.recorded("signs_float.tflite", RECIPE)
        random = np.random.default_rng(4)
        for answer in (lambda x, _: app(np.tanh(x)), lambda x, _: ([NAMES[i] for i in random.integers(0, 12, 3)], app(x)[1]),
                       lambda x, _: (app(x)[0], np.full(len(app(x)[1]), np.inf))):
            verdict = self.diagnosed(self.with_answers(trace, answer), "signs_float.tflite", RECIPE + POST)
            self.assertEqual({cause["status"] for cause in verdict["causes"]}, {"partial"})
            self.assertIn(verdict["answers"]["status"], ("unknown", "partial"))
            self.assertEqual(verdict["answers"]["unlike"], FRAMES)

    def test_the_table_of_few_classes_is_read_from_many_frames(self):
        """Sentiment, wake words: if two labels are exchanged in every frame, this is not a coincidence."""
        for names in (["negative", "positive"], ["down", "level", "up"]):
            count = len(names)
            model, data, table, trace = (self.folder / f"{count}.{ending}" for ending in ("onnx", "npz", "txt", "mcap"))
            table.write_text("\n".join(names) + "\n")
            weights = np.random.default_rng(count).normal(0, 1, (8, count)).astype(np.float32)
            nodes = [helper.make_node("MatMul", ["x", "w"], ["m"]), helper.make_node("Softmax", ["m"], ["scores"])]
            graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 8])],
                                      [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, count])], [numpy_helper.from_array(weights, "w")])
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), model)
            np.savez(data, x=np.random.default_rng(3).normal(0, .7, (40, 1, 8)).astype(np.float32))
            run("run", model, "--data", data, "--trace", trace, expect=0)
            for table_of_app, status in ((names[::-1], "confirmed"), (names, None)):
                def said(outputs, given=table_of_app):
                    scores = outputs[0].ravel()
                    order = np.argsort(-scores)[:2]
                    return traces.answer(labels=[given[i] for i in order], scores=scores[order])

                app = traces.answered(trace, self.folder / "app.mcap", lambda _, outputs, frame: said(outputs))
                verdict = verdict_of("diagnose", app, "--reference", model, "--data", data, "--reference-recipe", f"|| topk(2) | labels({table})",
                                     expect=3 if status else 0)
                self.assertEqual([(one["kind"], one["status"]) for one in verdict["causes"]], [("postprocessing", status)] if status else [])
                if status:
                    self.assertIn("the app's label file is in reverse order", verdict["causes"][0]["detail"])

    def test_late_answers_are_named(self):
        good = self.recorded("signs_float.tflite", RECIPE)
        outputs = [one[next(iter(one))] for _, one in sorted(traces.tensors(good).items())]
        for late, words in ((1, "the frame before"), (2, "2 frames before")):
            shown = self.with_answers(good, lambda _, frame: app(outputs[max(0, frame - late)]))
            verdict = self.diagnosed(shown, "signs_float.tflite", RECIPE + POST)
            [cause] = verdict["causes"]
            self.assertEqual((cause["kind"], cause["status"]), ("postprocessing", "confirmed"), cause)
            self.assertEqual(cause["detail"], f"the app answers each frame with the outputs of {words}")

    def test_what_is_not_judged_is_said(self):
        trace = self.recorded("signs_float.tflite", RECIPE)
        boxes = self.with_answers(trace, lambda x, _: (["a"], [0.5], [[0, 0, 1, 1]]))
        # A recipe that says how to make answers, and judged none, agrees with nothing.
        for recipe, words, code in ((RECIPE + POST, "boxes are recorded; not judged after this model", 4), (RECIPE, "the reference's recipe has nothing after ||", 0)):
            verdict = self.diagnosed(boxes, "signs_float.tflite", recipe, expect=code)
            self.assertEqual(verdict["verdict"], {0: "agrees", 4: "undecided"}[code])
            self.assertEqual([words in hint for hint in verdict["would_decide"]], [True] if code else [])
            self.assertEqual((verdict["answers"]["status"], verdict["answers"]["not_judged"]), ("not_judged", ["boxes"]))
            self.assertTrue(any(words in warning for warning in verdict["warnings"]), verdict["warnings"])

    def test_scores_of_one_decimal_are_said_to_hide_the_others(self):
        trace = self.recorded("signs_float.tflite", RECIPE)
        for digits, hidden in ((1, ["decimals of scores after the first, which are not there"]), (2, [])):
            rounded = self.with_answers(trace, lambda x, _: (app(x)[0], np.round(app(x)[1], digits)))
            answers = self.diagnosed(rounded, "signs_float.tflite", RECIPE + POST, expect=0)["answers"]
            self.assertEqual((answers["status"], answers["not_judged"]), ("agrees", hidden))

    def test_a_right_app_agrees_with_label_files_of_every_kind(self):
        trace = self.with_answers(self.recorded("signs_float.tflite", RECIPE), lambda x, _: app(x))
        numbered = list(enumerate(NAMES))
        kinds = {"map.csv": "index,mid,display_name\n" + "".join(f"{i},/m/{i},{name}\n" for i, name in numbered), "edge.txt": "".join(f"{i}  {name}\n" for i, name in numbered),
                 "config.json": json.dumps({"id2label": {str(i): name for i, name in numbered}}), "data.yaml": "names:\n" + "".join(f"  {i}: {name}\n" for i, name in numbered),
                 "map.pbtxt": "".join(f'item {{\n  id: {i}\n  name: "{name}"\n}}\n' for i, name in numbered), "synsets.txt": "".join(f"n{i:08} {name}, a sign\n" for i, name in numbered)}
        for file, text in kinds.items():
            with self.subTest(file=file):
                (self.folder / file).write_text(text)
                verdict = self.diagnosed(trace, "signs_float.tflite", RECIPE + f" || dequantize | topk(3) | labels({self.folder / file})", expect=0)
                self.assertEqual((verdict["verdict"], verdict["answers"]["status"], verdict["causes"]), ("agrees", "agrees", []))
                self.assertEqual(any("share words with the app's labels" in warning for warning in verdict["warnings"]), file == "synsets.txt")

    def test_a_label_file_of_another_length_is_a_wrong_reference(self):
        trace = self.with_answers(self.recorded("signs_float.tflite", RECIPE), lambda x, _: app(x))
        for names, count in ((["background", *NAMES], 13), (NAMES[:3] + NAMES[4:], 11)):
            (self.folder / "l.txt").write_text("\n".join(names))
            verdict = self.diagnosed(trace, "signs_float.tflite", RECIPE + f" || dequantize | topk(3) | labels({self.folder / 'l.txt'})", expect=0)
            self.assertEqual(verdict["causes"], [])
            self.assertTrue(any(f"has {count} names, and the recipe reads 12 classes" in warning for warning in verdict["warnings"]), verdict["warnings"])

    def test_a_wrong_recipe_is_refused_with_its_place(self):
        trace = self.with_answers(self.recorded("signs_float.tflite", RECIPE), lambda x, _: app(x))
        for post, words in ((" || dequantize | topkk(3)", 'did you mean "topk"?'), (" || labels(/nowhere/labels.txt)", "label file")):
            done = run("diagnose", trace, "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE + post, "--data", DATA, expect={1, 2})
            self.assertIn(words, done.err)


if __name__ == "__main__":
    tool.main()
