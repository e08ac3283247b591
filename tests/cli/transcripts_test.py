# SPDX-License-Identifier: Apache-2.0
"""Text recognisers: the recipe gives what greedy CTC decoding by its authors gives, and faults after them are named.

    transcripts_test.py EDGEPROBE
"""
import json
import zipfile

import numpy as np

import recognisers
import tool
import traces
from tool import run, verdict_of

BEFORE = "gray | scale(0..1) | layout(nchw) || "
AFTER = {"paddle": "ctc(KEYS, blank=first, space=last)", "keras": "ctc(KEYS, blank=last)", "crnn": "softmax | ctc(KEYS, blank=first, space=last)",
         "plates": "softmax | ctc(KEYS, blank=last, space=last, axis=first)"}


class TranscriptsTest(tool.ToolTest):
    def keys(self, lines=recognisers.CHARACTERS, name="keys.txt"):
        path = self.folder / name
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return path

    def recipe(self, form, after=None):
        return BEFORE + (after or AFTER[form]).replace("KEYS", str(self.keys()))

    def recorded(self, form):
        data, model, trace = self.folder / form, self.folder / f"{form}.onnx", self.folder / f"{form}.mcap"
        if not trace.exists():
            recognisers.model(model, form)
            recognisers.pictures(data, form)
            out = run("run", model, "--recipe", self.recipe(form), "--data", data, "--trace", trace, "--level", "io", expect=0)
            self.assertNotIn("warning", out.err)
        return trace

    def diagnosed(self, form, change, after=None, expect=3):
        """A verdict on an app that answers `change(output)`: text and confidence, or only a text."""
        def of(_, outputs, frame):
            said = change(outputs[0])
            return traces.answer(text=said) if isinstance(said, str) else traces.answer(text=said[0], scores=[said[1]])

        app = traces.answered(self.recorded(form), self.folder / "app.mcap", of)
        return verdict_of("diagnose", app, "--reference", self.folder / f"{form}.onnx", "--data", self.folder / form,
                          "--reference-recipe", self.recipe(form, after), expect=expect)

    def test_texts_and_confidences_are_those_of_the_definition(self):
        for form in AFTER:
            with self.subTest(form=form):
                trace, npz = self.recorded(form), self.folder / "out.npz"
                run("trace", "export", trace, "--npz", npz, "--force", expect=0)
                outputs = np.load(npz)["model_output/output0"]
                with zipfile.ZipFile(npz) as archive:
                    for frame, word in enumerate(recognisers.words(form)):
                        made = json.loads(archive.read(f"answer/answer/{frame:06}.json"))
                        text, confidence = recognisers.decoded(outputs[frame], form)
                        self.assertEqual((made["text"], text), (word, word))
                        np.testing.assert_allclose(made["scores"], [confidence], rtol=1e-6)

    def test_faults_are_named(self):
        faults = {"other blank": "for the blank", "no merging": "does not merge equal neighbours", "blanks first": "merges equal neighbours after it has dropped the blanks",
                  "blanks kept": 'writes "-" for each blank', "next line": "writes the character the line after", "line before": "writes the character the line before",
                  "no space": "writes nothing for the class of the space", "no softmax": "without an activation", "softmax again": "applies softmax", "all steps": "averages the scores of all steps"}
        own = {"paddle": set(faults) - {"no softmax"}, "keras": set(faults) - {"no softmax", "no space"}, "crnn": set(faults) - {"softmax again"}, "plates": {"other blank", "no merging"}}
        for form, planted in own.items():
            with self.subTest(form=form, fault="none"):
                verdict = self.diagnosed(form, lambda output: recognisers.decoded(output, form), expect=0)
                self.assertEqual((verdict["verdict"], verdict["answers"]["status"], verdict["answers"]["judged"], verdict["causes"]), ("agrees", "agrees", ["text", "scores"], []))
            for fault in sorted(planted):
                with self.subTest(form=form, fault=fault):
                    verdict = self.diagnosed(form, lambda output: recognisers.decoded(output, form, (fault,)))
                    told = [(cause["status"], cause["detail"]) for cause in verdict["causes"]]
                    self.assertEqual((len(told), told[0][0]), (1, "confirmed"), told)
                    self.assertIn(faults[fault], told[0][1])

    def test_two_faults_and_rounding_are_told_apart(self):
        verdict = self.diagnosed("crnn", lambda output: recognisers.decoded(output, "crnn", ("no merging", "no softmax")))
        told = " / ".join(cause["detail"] for cause in verdict["causes"] if cause["status"] == "confirmed")
        self.assertIn("does not merge", told)
        self.assertIn("without an activation", told)
        rounded = lambda output: (lambda text, confidence: (text, round(confidence, 3)))(*recognisers.decoded(output, "crnn"))
        self.assertEqual(self.diagnosed("crnn", rounded, expect=0)["answers"]["status"], "agrees")

    def test_texts_without_a_confidence_are_judged_by_the_text(self):
        verdict = self.diagnosed("paddle", lambda output: recognisers.decoded(output, "paddle", ("no merging",))[0])
        self.assertEqual((verdict["answers"]["judged"], verdict["causes"][0]["status"]), (["text"], "confirmed"))
        self.assertIn("keep = numpy.append", json.dumps(verdict))

    def test_an_unknown_rule_is_never_confirmed(self):
        for change in (lambda text: text[::-1], lambda text: text.replace("e", "3"), lambda text: text + "!"):
            verdict = self.diagnosed("paddle", lambda output: change(recognisers.decoded(output, "paddle")[0]))
            self.assertEqual({cause["status"] for cause in verdict["causes"]}, {"partial"}, verdict["causes"])

    def test_misfits_are_refused_with_what_fits(self):
        short = self.keys(recognisers.CHARACTERS[:-5], "short.txt")
        for form, after, words in (("paddle", "ctc(KEYS)", "the output has 41 classes, the 39 characters of"), ("paddle", "ctc(KEYS)", "add space=last"), ("keras", "ctc(KEYS, blank=last, space=last)", "leave space=last out"),
                                   ("plates", f"ctc({short}, blank=last)", "give the dictionary that the model was trained with"), ("paddle", "ctc(KEYS, space=last, axis=first)", "the output has 24 classes"),
                                   ("paddle", "ctc(KEYS, space=last, axis=first)", "axis=last reads the output's other dimension as classes"), ("paddle", "output(1) | ctc(KEYS)", "the model has 1 outputs")):
            with self.subTest(form=form, after=after):
                verdict = self.diagnosed(form, lambda output: recognisers.decoded(output, form), after=after, expect={0, 3, 4})
                self.assertEqual(verdict["answers"]["status"], "not_judged")
                self.assertIn(words, verdict["answers"]["skipped"])
        for text, words in (("|| softmax", ""), ("|| ctc()", "the dictionary: a file with one character per line"), (f"|| ctc({short}, blank=frist)", 'did you mean "first"?')):
            if words:
                self.assertIn(words, run("recipe", "show", text, expect=2).err)

    def test_dictionaries_keep_blanks_and_read_paddleocrs_yaml(self):
        trace, data, model = self.folder / "again.mcap", self.folder / "paddle", self.folder / "paddle.onnx"
        self.recorded("paddle")
        yml = self.folder / "inference.yml"
        yml.write_text("Global:\n  model_name: test\nPostProcess:\n  name: CTCLabelDecode\n  character_dict:\n" + "".join(f"  - {json.dumps(c, ensure_ascii=False)}\n" for c in recognisers.CHARACTERS), encoding="utf-8")
        with_space = self.keys(recognisers.CHARACTERS + [" "], "with space.txt")
        for step in (f"ctc({yml}, space=last)", f"ctc({with_space})"):
            run("run", model, "--recipe", BEFORE + step, "--data", data, "--trace", trace, "--level", "io", "--force", expect=0)
            out = run("trace", "cat", trace, "--tensor", "answer/answer", expect=0).out
            self.assertIn("book keeper", out)
        broken = self.folder / "broken.txt"
        broken.write_bytes(b"a\nb\n\xff\n")
        out = run("run", model, "--recipe", f"{BEFORE}ctc({broken})", "--data", data, "--trace", trace, "--level", "io", "--force", expect=None)
        self.assertIn("line 3 is not UTF-8", out.err)

    def test_inspect_proposes_a_recipe_that_runs(self):
        self.recorded("paddle")  # Makes the pictures.
        model, trace = recognisers.line_model(self.folder / "line.onnx", True), self.folder / "line.mcap"
        proposed = json.loads(run("inspect", model, "--json", expect=0).out)["proposed_recipe"]
        self.assertEqual(proposed["looks_like"], "a text recogniser (41 classes, 39 characters in its metadata)")
        self.assertTrue(proposed["recipe"].endswith(f"|| ctc({model}, blank=first, space=last)"), proposed)
        out = run("run", model, "--recipe", proposed["recipe"], "--data", self.folder / "paddle", "--trace", trace, expect=0)
        self.assertNotIn("warning", out.err)
        proposed = json.loads(run("inspect", recognisers.line_model(self.folder / "bare.onnx", False), "--json", expect=0).out)["proposed_recipe"]
        self.assertTrue(proposed["recipe"].endswith("|| ctc(dictionary.txt, blank=first)"), proposed)

    def test_check_gives_the_error_rates(self):
        self.recorded("paddle")
        data = self.folder / "paddle"
        said = [word.replace("o", "0") for word in recognisers.words("paddle")]
        (data / "texts.csv").write_text("file,text\n" + "".join(f"w{k:02}.png,{word}\n" for k, word in enumerate(said)), encoding="utf-8")
        (self.folder / "labels.csv").write_text((data / "texts.csv").read_text(encoding="utf-8"), encoding="utf-8")
        (data / "texts.csv").unlink()
        verdict = verdict_of("check", self.folder / "paddle.onnx", "--reference", self.folder / "paddle.onnx", "--recipe", self.recipe("paddle"), "--reference-recipe", self.recipe("paddle"),
                             "--data", data, "--labels", self.folder / "labels.csv", expect=0)
        edits = sum(a != b for word, other in zip(recognisers.words("paddle"), said) for a, b in zip(word, other))
        characters = sum(map(len, said))
        self.assertAlmostEqual(verdict["answer_agreement"]["evaluation"]["target"]["further"]["character_error_rate"], edits / characters, places=6)


if __name__ == "__main__":
    tool.main()
