# SPDX-License-Identifier: Apache-2.0
"""Texts as a model's input: run, checked and diagnosed with the reference's tokenizer. text_test.py EDGEPROBE

The recipe's tokens are compared with those of Hugging Face's `tokenizers`: bench/text/apps.py uses its truncation, padding and templates.
The injected faults share no code with the search."""
import json
import pathlib
import sys
import unittest

import numpy as np
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench" / "text"), str(ROOT / "python")]
import apps
import models
import tool
from tool import run, verdict_of

import edgeprobe

try:
    import edgeprobe._native  # noqa: F401
    import matrix
except ImportError as error:
    matrix = None
    print(f"the app's own recordings are left out: the Python module is not built: {error}")

PYTHON = ("--python", sys.executable)
# : For each tokenizer, faults of every stage; bench/text/matrix.py has all of them.
PLANTED = {"wordpiece": ("case and accents kept", "UTF-8 as Latin-1", "no last", "special tokens twice", "cut on the left", "special tokens cut", "vocabulary +3", "64 bits as 32",
                         "padded on the left", "mask of ones", "types of ones", "a prefix", "texts exchanged", "word pieces alone", "split at blanks", "padding not cleared", "one frame late", "now and then the frame before", "mask not cleared"),
           "bpe": ("lowered", "NFKC", "white space collapsed", "merges ignored", "padded with 3", "mask inverted", "positions from 0", "positions over padding", "two between", "ids of the text before"),
           "bytes": ("no prefix", "another prefix", "capitals", "padded on the right", "padding not cleared")}


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


class TextTest(tool.ToolTest):
    @classmethod
    def setUpClass(cls):
        folder = cls.class_folder()
        cls.files = {name: models.write(name, folder) for name in ("wordpiece", "bpe", "bytes")}

    def table(self, texts, topics, name="texts.csv"):
        """A CSV of texts on one line each, with their classes."""
        path = self.folder / name
        path.write_text("text,label\n" + "".join(f"{quoted(t)},{c}\n" for t, c in zip(texts, topics)), encoding="utf-8")
        return path

    def recorded(self, trace, name):
        with edgeprobe.load(trace) as opened:
            return [{key: frame[f"model_input/{key}"] for key in models.INPUTS[name]} for frame in opened.frames]

    # --- run ------------------------------------------------------------------------------------------

    def test_a_recipe_makes_what_the_package_of_the_tokenizer_makes(self):
        for name in ("wordpiece", "bpe", "bytes"):
            with self.subTest(name):
                texts, topics = models.telling(3, 9)
                texts = [" ".join(t.split("\n")) for t in texts]
                model, tokenizer = self.files[name]
                trace = self.folder / f"{name}.mcap"
                run("run", model, "--recipe", models.RECIPE[name], "--tokenizer", tokenizer, "--data", self.table(texts, topics), "--trace", trace, *PYTHON, expect=0)
                app = apps.App(name, tokenizer)
                rows = self.recorded(trace, name)
                self.assertEqual(len(rows), len(texts))
                for row, text in zip(rows, texts):
                    for key, meant in app.encode(text).items():
                        self.assertEqual(row[key].dtype, models.DTYPE[name])
                        np.testing.assert_array_equal(row[key], meant)

    def test_pairs_are_cut_as_the_package_cuts_them(self):
        pairs, topics = models.pairs(4, 6)
        pairs = [tuple(" ".join(t.split()) for t in pair) for pair in pairs] + [("word " * 60, "other " * 60), ("short", "other " * 70), ("word " * 70, "short")]
        for name in ("wordpiece", "bpe"):
            model, tokenizer = self.files[name]
            data = self.folder / "pairs.csv"
            data.write_text("text_a,text_b\n" + "".join(f"{quoted(a)},{quoted(b)}\n" for a, b in pairs), encoding="utf-8")
            trace = self.folder / f"{name}.mcap"
            run("run", model, "--recipe", models.RECIPE[name], "--tokenizer", tokenizer, "--data", data, "--trace", trace, *PYTHON, expect=0)
            app = apps.App(name, tokenizer)
            for row, pair in zip(self.recorded(trace, name), pairs):
                for key, meant in app.encode(*pair).items():
                    np.testing.assert_array_equal(row[key], meant, err_msg=f"{name} {key} of {pair}")

    def test_functions_and_commands_stand_for_a_file(self):
        texts, topics = models.corpus(5, 4)
        model, tokenizer = self.files["wordpiece"]
        data = self.table(texts, topics)
        code = self.folder / "prep.py"
        code.write_text(f"from tokenizers import Tokenizer\nmade = Tokenizer.from_file({str(tokenizer)!r})\n\n\ndef ids(text):\n    return made.encode(text, add_special_tokens=False).ids\n"
                        "\n\nif __name__ == '__main__':\n    import sys\n    for line in sys.stdin:\n        print(*ids(line.rstrip('\\n')))\n")
        seen = {}
        for way in (str(tokenizer), f"{code}:ids", f"{sys.executable} {code}"):
            trace = self.folder / "t.mcap"
            run("run", model, "--recipe", models.RECIPE["wordpiece"], "--tokenizer", way, "--data", data, "--trace", trace, "--force", *PYTHON, expect=0)
            seen[way] = [row["input_ids"].tolist() for row in self.recorded(trace, "wordpiece")]
        self.assertEqual(len({json.dumps(rows) for rows in seen.values()}), 1)

    # --- check and diagnose ---------------------------------------------------------------------------

    def checked(self, name, recipe, *more, expect):
        texts, topics = models.corpus(6, 24)
        model, tokenizer = self.files[name]
        return verdict_of("check", model, "--recipe", recipe, "--tokenizer", tokenizer, "--reference", model, "--reference-recipe", models.RECIPE[name], "--data",
                          self.table(texts, topics), *PYTHON, *more, expect=expect)

    def test_check_names_what_the_deployment_does_otherwise(self):
        right = models.RECIPE["wordpiece"]
        verdict = self.checked("wordpiece", right, expect=0)
        self.assertEqual((verdict["verdict"], verdict["causes"]), ("agrees", []))
        verdict = self.checked("wordpiece", right.replace(f"pad({models.LENGTH})", f"pad({models.LENGTH}, side=left)"), expect=3)
        (cause,) = verdict["causes"]
        self.assertEqual((cause["kind"], cause["status"], cause["stage"]), ("token_padding", "confirmed", "preprocessing"))
        self.assertIn("pads on the left", cause["detail"])
        self.assertEqual(cause["fix"]["step"], f"pad({models.LENGTH})")
        self.assertGreater(cause["restored"], 0.99)
        kinds = [one["kind"] for one in cause["evidence_values"]]
        self.assertIn("text_reproduced", kinds)
        self.assertIn("reference_with_fault_distance", kinds)

    def test_two_faults_at_once_are_two_causes(self):
        recipe = models.RECIPE["bpe"].replace("tokenize", "lower | tokenize").replace("positions(2, padding=1)", "positions(0, padding=1)")
        verdict = self.checked("bpe", recipe, expect=3)
        self.assertEqual({(cause["kind"], cause["status"]) for cause in verdict["causes"]}, {("text_normalization", "confirmed"), ("position_ids", "confirmed")})

    def test_accuracy_is_that_of_the_engine_itself(self):
        texts, topics = models.corpus(6, 24)
        model, tokenizer = self.files["wordpiece"]
        verdict = self.checked("wordpiece", models.RECIPE["wordpiece"], expect=0)
        session, app = onnxruntime.InferenceSession(str(model)), apps.App("wordpiece", tokenizer)
        right = np.mean([session.run(None, app.encode(text))[0].argmax() == topic for text, topic in zip(texts, topics)])
        self.assertAlmostEqual(verdict["task"]["reference"], right)

    @unittest.skipUnless(matrix, "the Python module is not built")
    def test_faults_of_an_application_are_named(self):
        for name, faults in PLANTED.items():
            for fault in faults:
                with self.subTest(f"{name}: {fault}"):
                    plant, words, _, takes = apps.FAULTS[fault]
                    trace = self.folder / "app.mcap"
                    changed = matrix.record(name, self.files[name], trace, matrix.texts_for(0, 6, takes, words), [plant])
                    verdict = matrix.diagnose(tool.EXECUTABLE, trace, name, self.files[name])
                    self.assertIn(matrix.grade(verdict, [matrix.of_frame(words, changed, 1)], changed), ("right", "shared"), matrix.causes(verdict))

    @unittest.skipUnless(matrix, "the Python module is not built")
    def test_what_is_in_no_list_is_never_confirmed_and_its_first_token_is_told(self):
        for fault in ("tokens reversed", "words reversed", "random ids"):
            trace = self.folder / "app.mcap"
            matrix.record("wordpiece", self.files["wordpiece"], trace, matrix.texts_for(0, 6, ""), [apps.FOREIGN[fault]])
            verdict = matrix.diagnose(tool.EXECUTABLE, trace, "wordpiece", self.files["wordpiece"])
            self.assertEqual(verdict["verdict"], "differs")
            (cause,) = verdict["causes"]
            self.assertEqual((cause["kind"], cause["status"]), ("unknown", "partial"), cause)
            (first,) = [one for one in cause["evidence_values"] if one["kind"] == "text_first_difference"]
            own = apps.App("wordpiece", self.files["wordpiece"][1])
            text = matrix.texts_for(0, 6, "")[first["values"]["frame"]]
            meant = int(own.encode(text)["input_ids"][0, first["values"]["place"]])
            self.assertEqual(first["values"]["reference"], f"{meant} '{own.made.id_to_token(meant)}'")

    @unittest.skipUnless(matrix, "the Python module is not built")
    def test_equal_explanations_are_told_with_the_text_that_would_decide(self):
        # In one text that is too long, SEP is missing, or special tokens were cut off.
        trace = self.folder / "app.mcap"
        matrix.record("wordpiece", self.files["wordpiece"], trace, matrix.texts_for(0, 1, ""), [apps.FAULTS["special tokens cut"][0]])
        (cause,) = matrix.diagnose(tool.EXECUTABLE, trace, "wordpiece", self.files["wordpiece"])["causes"]
        self.assertIn("no SEP", cause["detail"])
        self.assertEqual(len(cause["alternatives"]), 1)
        self.assertIn("after it has added special tokens", cause["alternatives"][0])
        self.assertIn("a short text would decide", cause["evidence"])

    @unittest.skipUnless(matrix, "the Python module is not built")
    def test_a_template_that_one_text_shows_is_told_beside_its_equal_explanation(self):
        trace = self.folder / "app.mcap"
        for name, fault in (("wordpiece", "a prefix"), ("bpe", "a prefix"), ("bytes", "another prefix")):
            with self.subTest(name):
                matrix.record(name, self.files[name], trace, models.corpus(9, 1)[0], [apps.FAULTS[fault][0]])
                causes = matrix.diagnose(tool.EXECUTABLE, trace, name, self.files[name])["causes"]
                self.assertEqual({cause["status"] for cause in causes}, {"partial"}, causes)
                self.assertTrue(any("before each text" in cause["detail"] for cause in causes), causes)
                self.assertIn("the app tokenizes another text than the one that it logged", causes[0]["alternatives"])
                self.assertIn("a second text would decide", causes[0]["evidence"])

    @unittest.skipUnless(matrix, "the Python module is not built")
    def test_two_stale_frames_of_thirty_are_found_with_the_first(self):
        stale = apps.Buffers(lambda own, held, before, real, count: held if count in (17, 26) else own, ())
        trace = self.folder / "app.mcap"
        texts = models.corpus(11, 30)[0]
        changed = matrix.record("wordpiece", self.files["wordpiece"], trace, texts, [lambda app: app.row.append(stale)])
        verdict = matrix.diagnose(tool.EXECUTABLE, trace, "wordpiece", self.files["wordpiece"])
        self.assertEqual([i for i, one in enumerate(changed) if one], [17, 26])
        (cause,) = verdict["causes"]
        self.assertEqual(cause["kind"], "other_frame")
        self.assertIn("in 2 of 30 frames, first at frame 17", cause["detail"])

    @unittest.skipUnless(matrix, "the Python module is not built")
    def test_ids_that_nothing_explains_are_counted_not_measured(self):
        def swapped(row):
            row["input_ids"][1], row["input_ids"][2] = row["input_ids"][2], row["input_ids"][1]
        trace = self.folder / "app.mcap"
        texts = models.corpus(13, 5)[0]
        changed = matrix.record("wordpiece", self.files["wordpiece"], trace, texts, [lambda app: app.row.append(swapped)])
        right, wrong = (matrix.rows("wordpiece", self.files["wordpiece"], texts, plants) for plants in ([], [lambda app: app.row.append(swapped)]))
        unlike = [np.flatnonzero(a["input_ids"][0] != b["input_ids"][0]) for a, b in zip(right, wrong)]
        verdict = matrix.diagnose(tool.EXECUTABLE, trace, "wordpiece", self.files["wordpiece"])
        self.assertNotIn("RMS", json.dumps(verdict["headline"]))
        if "whole numbers" in verdict["headline"]:
            first = changed.index(True)
            self.assertIn(f"{sum(map(len, unlike))} of {5 * 3 * models.LENGTH} whole numbers of the model inputs differ, first at frame {first}: value {unlike[first][0]} of 'input_ids'", verdict["headline"])

    # --- recipe explain -------------------------------------------------------------------------------

    def test_recipe_explain_shows_what_each_step_makes_of_a_text(self):
        tokenizer = self.files["wordpiece"][1]
        data = self.table(["The Cat, and THE dog"], [0])
        done = run("recipe", "explain", "lower | " + models.RECIPE["wordpiece"], data, "--tokenizer", tokenizer, *PYTHON, expect=0)
        encoded = apps.App("wordpiece", tokenizer).encode("The Cat, and THE dog")
        ids = encoded["input_ids"][0].tolist()
        real = int(encoded["attention_mask"].sum())
        made = apps.App("wordpiece", tokenizer).made
        steps = done.out.split("\n")
        at = next(i for i, line in enumerate(steps) if line.startswith("special("))
        self.assertEqual(steps[at + 2].strip(), f"{real} ids: " + ", ".join(f"{i} '{made.id_to_token(i)}'" for i in ids[:real]))
        at = next(i for i, line in enumerate(steps) if line.startswith("mask"))
        self.assertEqual(steps[at + 2].split(), [str(v) for v in encoded["attention_mask"][0].tolist()])
        self.assertIn("lower case", done.out)
        self.assertIn("--tokenizer", run("recipe", "explain", models.RECIPE["wordpiece"], data, expect=2).err)
        self.assertIn(".txt or .csv", run("recipe", "explain", models.RECIPE["wordpiece"], self.files["wordpiece"][0], "--tokenizer", tokenizer, expect=2).err)

    def test_recipe_show_and_explain_know_the_half_behind_alone(self):
        self.assertIn("pool(mean, mask=1) | normalize(l2)", run("recipe", "show", "|| pool(mean, mask=1) | normalize(l2)", expect=0).out)
        model, tokenizer = self.files["wordpiece"]
        trace = self.folder / "t.mcap"
        run("run", model, "--recipe", models.RECIPE["wordpiece"], "--tokenizer", tokenizer, "--data", self.table(["one text"], [0]), "--trace", trace, *PYTHON, expect=0)
        done = run("recipe", "explain", "|| topk(2)", trace, expect=0)
        with edgeprobe.load(trace) as opened:
            scores = opened.frames[0]["model_output/scores"][0]
        self.assertIn(f"{scores.argmax()} {scores.max():.2g}"[:4], done.out)
        self.assertIn("give a trace", run("recipe", "explain", "|| topk(2)", model, expect=2).err)

    @unittest.skipUnless(matrix, "the Python module is not built")
    def test_healthy_applications_are_silent(self):
        for name in ("wordpiece", "bpe", "bytes"):
            for takes in ("", "pair") if name != "bytes" else ("",):
                trace = self.folder / "app.mcap"
                matrix.record(name, self.files[name], trace, matrix.texts_for(7, 6, takes))
                verdict = matrix.diagnose(tool.EXECUTABLE, trace, name, self.files[name])
                self.assertEqual((verdict["verdict"], verdict["causes"]), ("agrees", []))

    # --- what goes wrong ------------------------------------------------------------------------------

    def refused(self, *more, data=None, tokenizer=None, recipe=None):
        model, file = self.files["wordpiece"]
        done = run("run", model, "--recipe", recipe or models.RECIPE["wordpiece"], *(("--tokenizer", tokenizer or file) if tokenizer != "" else ()), "--data",
                   data or self.table(["one text", "another"], [0, 1]), "--trace", self.folder / "x.mcap", "--force", *PYTHON, *more)
        self.assertIn(done.returncode, (1, 2), done.out + done.err)
        return done.err

    def test_a_tokenizer_that_hangs_ends_or_answers_otherwise_gets_a_sentence(self):
        # Cases without a hang may take as long as a busy machine needs.
        limit = lambda said: ("--time-limit", "1") if "limit" in said else ()
        for command, said in (("sleep 6000", "longer than the limit of 1 s"), ("exit 3", "exit code 3"), ("head -c 0", "answered 0 lines to 1 lines"), ("sed 's/.*/1 two/'", "expected ids"),
                              ("kill -9 $$", "signal 9"), ("sed 's/.*/-4/'", "below 0"), ("no_such_program", "exit code 127"), ("yes 1", "more than 32 MB")):
            with self.subTest(command):
                self.assertIn(said, self.refused(*limit(said), tokenizer=command))
        code = self.folder / "prep.py"
        for body, said in (("return 3", "expected a list of whole numbers"), ("raise ValueError('no such word')", "ValueError: no such word (prep.py line 2)"),
                           ("import time; time.sleep(6000)", "longer than the limit of 1 s"), ("import os; os._exit(5)", "exit code 5"), ("return [2.5]", "expected a list")):
            code.write_text(f"def ids(text):\n    {body}\n")
            with self.subTest(body):
                self.assertIn(said, self.refused(*limit(said), tokenizer=f"{code}:ids"))
        self.assertIn("has no function 'other'; it has ids", self.refused(tokenizer=f"{code}:other"))

    def test_other_tokenizers_files_are_named_with_the_way_to_use_them(self):
        words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "good", "bad"]
        for name, content, said in (
                ("vocab.txt", "\n".join(words).encode(), "a vocabulary, one piece a line: BertWordPieceTokenizer('vocab.txt', lowercase=True)"),
                ("vocab.json", json.dumps({word: n for n, word in enumerate(words)}).encode(), "a vocabulary of pieces and numbers: ByteLevelBPETokenizer('vocab.json', 'merges.txt')"),
                ("spiece.model", b"\n\x0e\n\x05<unk>\x15\x00\x00\x00\x00\x18\x02\n\xc9", "a SentencePiece model: give a function"),
                ("keras.json", json.dumps({"class_name": "Tokenizer", "config": {"word_index": "{}"}}).encode(), "a tokenizer of Keras: give a function"),
                ("tokenizer_config.json", b'{"tokenizer_class": "BertTokenizer"}', "a tokenizer_config.json, which contains only settings")):
            with self.subTest(name):
                file = self.folder / name
                file.write_bytes(content)
                self.assertIn(f"'{name}' is {said}", self.refused(tokenizer=file))
        # The suggested line for a vocabulary works.
        import tokenizers
        tokenizers.BertWordPieceTokenizer(str(self.folder / "vocab.txt"), lowercase=True).save(str(self.folder / "tokenizer.json"))
        self.assertEqual(tokenizers.Tokenizer.from_file(str(self.folder / "tokenizer.json")).encode("Bad good", add_special_tokens=False).ids, [5, 4])

    def test_texts_that_are_none_get_their_line(self):
        data = self.folder / "latin.txt"
        data.write_bytes("one\ncafé\n".encode("latin-1"))
        said = self.refused(data=data)
        self.assertIn("line 2: not UTF-8 from byte 4 on", said)
        self.assertIn("iconv", said)
        data = self.folder / "bad.csv"
        for content, what in (("text,label\none,two\n", "line 2: label 'two', expected a class number"), ("text,label\none, two,3\n", "line 2: 3 fields"), ("sentence\none\n", "expected a column 'text'"),
                              ("text\n", "holds no text"), ('text\n"open\n', "line 2")):
            data.write_text(content)
            self.assertIn(what, self.refused(data=data))

    def test_what_the_recipe_and_the_model_lack_is_said(self):
        self.assertIn("needs a tokenizer", self.refused(tokenizer=""))
        self.assertIn("not a tokenizer.json", self.refused(tokenizer=self.broken()))
        self.assertIn("add types to the recipe", self.refused(recipe=models.RECIPE["wordpiece"].replace(" | types", "")))
        self.assertIn("the model has no input for it", self.refused(recipe=models.RECIPE["wordpiece"] + " | positions"))
        self.assertIn("pad(48)", self.refused(recipe="tokenize | special(cls=2, sep=3) | truncate(40) | pad(40) | mask | types"))
        self.assertIn("put it before tokenize", self.refused(recipe="tokenize | lower | mask | types"))
        self.assertIn("lowercase", self.refused(recipe="lowercase | tokenize | mask | types"))

    def broken(self):
        path = self.folder / "tokenizer.json"
        path.write_text('{"model": 3}')
        return path


if __name__ == "__main__":
    tool.main()
