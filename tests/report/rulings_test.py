# SPDX-License-Identifier: Apache-2.0
"""Verdicts and contracts in the formats of build servers, read by other readers: rulings_test.py RULINGS_PROGRAM."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import xml.etree.ElementTree as ElementTree

from markdown_it import MarkdownIt

from sarif_form import results_of

# A name that closes its surroundings, mentions, refers, links, and begins a command.
HOSTILE = "a|b `c` <img src=x> @maintainer #12 !3 GH-4 **d** [e](javascript:f) https://g.h www.i.j --> ::error::k, %0A\n/close\x1b[2J"
SHOWN = HOSTILE.replace("\n", "\\x0a").replace("\x1b", "\\x1b")
LEVELS = {"agrees": {"note"}, "undecided": {"warning"}, "differs": {"error", "note"}}


class RulingsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="edgeprobe_test_")))
        subprocess.run([PROGRAM, cls.folder, HOSTILE], check=True)
        cls.verdicts = {path.stem: json.loads(path.read_text()) for path in sorted(cls.folder.glob("*.json"))}
        assert len(cls.verdicts) >= 8, list(cls.verdicts)

    def sarif(self, name):
        return results_of(json.loads((self.folder / f"{name}.sarif").read_bytes().decode("ascii")))

    def junit(self, name):
        """The cases of the only suite, whose counts must agree with them."""
        root = ElementTree.fromstring((self.folder / f"{name}.xml").read_text())
        (suite,) = root
        cases = list(suite)
        for counts in (root.attrib, suite.attrib):
            self.assertEqual(int(counts["tests"]), len(cases))
            for word, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                self.assertEqual(int(counts[word]), sum(case.find(tag) is not None for case in cases), word)
        return cases

    def test_a_result_for_each_cause_with_the_figures_of_the_verdict(self):
        for name, verdict in self.verdicts.items():
            with self.subTest(name):
                results = self.sarif(name)
                wanted = [cause["kind"] for cause in verdict["causes"]] or ([] if verdict["verdict"] == "agrees" else ["verdict"])
                self.assertEqual([one["ruleId"] for one in results], wanted)
                self.assertLessEqual({one["level"] for one in results}, LEVELS[verdict["verdict"]])
                for one, cause in zip(results, verdict["causes"]):
                    said = one["properties"]
                    self.assertEqual(said["confidence"], cause["status"])
                    self.assertEqual(one["level"], {"agrees": "note", "undecided": "warning"}.get(
                        verdict["verdict"], "note" if cause["status"] == "note" else "error"))
                    for key, number in (("accuracy_target", verdict["task"]["target"]), ("accuracy_reference", verdict["task"]["reference"]),
                                        ("accuracy_fixed", verdict["task"]["fixed"]), ("restored", cause["restored"])):
                        if number is not None:
                            self.assertEqual(said[key], number, key)
                        else:
                            self.assertNotIsInstance(said.get(key), float, key)

    def test_what_is_mended_is_where_the_result_points(self):
        (result,) = self.sarif("channel_order")
        self.assertEqual(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "models/net.recipe")
        self.assertIn("color(rgb)", result["message"]["text"])
        self.assertIn("cv2.COLOR_BGR2RGB", result["properties"]["fix_code"]["OpenCV"])
        kernel = next(one for one in self.sarif("layer_culprit") if one["properties"]["stage"] == "model")
        self.assertEqual(kernel["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "models/net.tflite")

    def test_a_verdict_is_a_test_case_and_so_is_each_cause(self):
        for name, verdict in self.verdicts.items():
            with self.subTest(name):
                first, *causes = self.junit(name)
                self.assertEqual(first.get("name"), "verdict")
                self.assertEqual([child.tag for child in first], {"agrees": [], "differs": ["failure"], "undecided": ["error"]}[verdict["verdict"]])
                self.assertEqual([case.get("name").split(" ")[0] for case in causes], [cause["kind"] for cause in verdict["causes"]])
        failure = self.junit("channel_order")[1].find("failure")
        self.assertIn("restored: 93.1 % accuracy\n", failure.text)
        self.assertIn("img = cv2.cvtColor(img, cv2.COLOR_BGR2RGB)", failure.text)

    def test_states_of_a_contract(self):
        passes, fails, unknown, later, slow = self.junit("contract")
        self.assertEqual([[child.tag for child in case] for case in (passes, fails, unknown, later, slow)], [[], ["failure"], ["error"], ["skipped"], ["skipped"]])
        self.assertEqual(fails.get("name"), f"inputs.{SHOWN}1.range")
        self.assertEqual(fails.find("failure").get("message"), SHOWN)
        self.assertEqual(fails.find("failure").text, f"value: {SHOWN}\nbound: {SHOWN}\nframe: 7 {SHOWN}\nframes: 3 of 9\nwhat to do: {SHOWN}\n")
        first, second = self.sarif("contract")
        self.assertEqual((first["ruleId"], first["level"], second["level"]), ("inputs.range", "error", "warning"))
        place = first["locations"][0]["physicalLocation"]
        self.assertEqual(urllib.parse.unquote(place["artifactLocation"]["uri"]), "ci/my contract,%.json")
        self.assertEqual(place["region"]["startLine"], len(f"inputs.{HOSTILE}1.range"))

    def test_a_comment_holds_nothing_but_its_own_markup(self):
        parser = MarkdownIt("gfm-like", {"linkify": False})
        for path in sorted(self.folder.glob("*.md")):
            with self.subTest(path.stem):
                text = path.read_text()
                head, _, rest = text.partition("\n")
                self.assertRegex(head, r"^<!-- edgeprobe [a-z ]+ -->$")
                self.assertTrue(text.endswith("\nMade by edgeprobe.\n"))
                self.assertLess(len(text.encode()), 65_536)
                self.assertNotRegex(re.sub(r"(?ms)^```$.*?^```$", "", rest), r"(?m)^\s*/")  # a quick action of GitLab, which GitLab ignores in code
                for token in parser.parse(rest):
                    self.assertNotEqual(token.type, "html_block", token.content)
                    kinds = {child.type for child in token.children or ()}
                    self.assertLessEqual(kinds, {"text", "text_special", "strong_open", "strong_close", "softbreak"}, token.content)
                    shown = "".join(child.content for child in token.children or ())
                    self.assertNotRegex(shown, r"[@#!$~%&^][A-Za-z0-9]|GH-\d|(?<!\\)\bhttps?://(?!g\.h)")
        cells = [token.content for token in parser.parse((self.folder / "contract.md").read_text()) if token.type == "inline"]
        self.assertEqual(sum("maintainer" in cell for cell in cells), 2 * (1 + 1 + 1 + 3) + 2)  # both sections: title, sentence, cure, facts; two lists of ids

    def test_a_comment_says_the_verdict_once_and_each_cause_with_its_fix(self):
        text = (self.folder / "channel_order.md").read_text()
        for words in ("### edgeprobe check: differs", "| accuracy on the target | 41.4 % (95 %: 36.4 to 46.5 %) |", "#### fails: channel order\n",
                      "**What to do:** the recipe's step: color(rgb)", "img = cv2.cvtColor(img, cv2.COLOR_BGR2RGB)", "- confidence: confirmed"):
            self.assertEqual(text.count(words), 1, words)
        self.assertNotIn("top1", text)  # a word for programs only
        text = (self.folder / "undecided.md").read_text()
        self.assertEqual(text.count("give the pictures with --data DIR"), 2)  # once in the headline, and once in the list of what would decide it
        self.assertNotIn("cannot tell", text)

    def test_a_comment_shows_each_name_whole(self):
        parser = MarkdownIt("gfm-like", {"linkify": False})
        shown = ["".join(child.content for child in token.children) for token in parser.parse((self.folder / "contract.md").read_text()) if token.type == "inline"]
        self.assertIn(SHOWN, [text.replace("\u200b", "") for text in shown])
        self.assertIn(f"value: {SHOWN}", [text.replace("\u200b", "") for text in shown])

    def test_links_are_no_links(self):
        """GitHub links bare addresses: a backslash before every colon with two slashes, and before every dot after www, prevents this."""
        text = (self.folder / "contract.md").read_text()
        self.assertNotRegex(text, r"(?<!\\)://|(?i:www)(?<!\\)\.")

    def test_workflow_commands_say_the_same_and_nothing_else(self):
        def decoded(text, *more):
            for code, sign in (*more, ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
                text = text.replace(code, sign)
            return text

        for path in sorted(self.folder.glob("*.annotations")):
            lines = path.read_text().splitlines()
            results = self.sarif(path.stem)
            self.assertEqual(len(lines), len(results), path.stem)
            for line, one in zip(lines, results):
                word, file, number, title, message = re.fullmatch(r"::(error|warning|notice) file=([^,:]*),line=(\d+),title=([^,:]*)::(.*)", line).groups()
                place = one["locations"][0]["physicalLocation"]
                self.assertEqual(word.replace("notice", "note"), one["level"])
                self.assertEqual(decoded(file, ("%3A", ":"), ("%2C", ",")), urllib.parse.unquote(place["artifactLocation"]["uri"]))
                self.assertEqual(int(number), place["region"]["startLine"])
                self.assertEqual(decoded(message), one["message"]["text"])
                self.assertTrue(decoded(title, ("%3A", ":"), ("%2C", ",")).startswith("edgeprobe: "), title)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
