# SPDX-License-Identifier: Apache-2.0
"""`recipe steps` lists the possible content of recipes: compared with the page, with the parser's own errors, and with the input that `recipe show` accepts."""
import json
import re

import tool
from tool import ROOT, run

PAGE = (ROOT / "docs" / "reference" / "recipes.md").read_text()
# A recipe of each kind up to the position of the unknown step.
BEFORE = {"sound": "mono | ", "readings": "rate(20) | ", "text": "", "picture": ""}
AFTER = {"text": " | tokenize"}
ALONE = {"classes": "|| ", "boxes": "|| decode(none) | ", "mask": "|| argmax | ", "points": "|| keypoints(xy) | ", "vector": "|| normalize(l2) | ",
         "score": "|| score(mse) | ", "transcript": "|| ctc(keys.txt) | "}


class RecipeStepsTest(tool.ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.kinds = {one["kind"]: one for one in json.loads(run("recipe", "steps", "--json", expect=0).out)["kinds"]}

    def arguments(self):
        for kind in self.kinds.values():
            for step in kind["steps"]:
                for argument in step["arguments"]:
                    yield kind["kind"], step, argument

    def test_every_kind_of_recipe_is_there(self):
        self.assertEqual({name for name, one in self.kinds.items() if not one["after_model"]}, {"picture", "sound", "readings", "text"})
        self.assertEqual({name for name, one in self.kinds.items() if one["after_model"]}, set(ALONE))

    def test_the_steps_are_those_that_the_parser_knows(self):
        """The error of an unknown step lists them."""
        for kind, one in self.kinds.items():
            recipe = ALONE[kind] + "zzzzzzzzz" if one["after_model"] else BEFORE[kind] + "zzzzzzzzz" + AFTER.get(kind, "")
            error = run("recipe", "show", recipe, expect=2).err
            known = re.search(r"known are ([\w, ]+)", error)
            self.assertTrue(known, (kind, error))
            self.assertLessEqual({step["name"] for step in one["steps"]}, set(known[1].split(", ")), kind)

    def test_the_page_names_each_step_argument_and_word(self):
        for kind, step, argument in self.arguments():
            self.assertTrue(step["name"] in PAGE, (kind, step["name"]))
            if argument["named"]:
                self.assertTrue(argument["name"] + "=" in PAGE, (kind, step["name"], argument["name"]))
            # The page sometimes omits the words for a default.
            unnamed = [word for word in argument.get("words", []) if word not in PAGE]
            self.assertLessEqual(len(unnamed), 1, (kind, step["name"], argument["name"], unnamed))

    def test_an_argument_that_is_as_by_default_is_left_out(self):
        """Every step whose arguments all have a default, with one of them written out."""
        written = 0
        for kind, step, argument in self.arguments():
            if "default" not in argument or kind in ("picture", "text") or any(one["required"] for one in step["arguments"]):
                continue
            value = argument["name"] + "=" + argument["default"] if argument["named"] else argument["default"]
            recipe = f"{step['name']}({value})"
            one = self.kinds[kind]
            full = ALONE[kind] + recipe if one["after_model"] else BEFORE[kind] + recipe
            shown = run("recipe", "show", full)
            if shown.returncode == 0:  # Other steps belong to another place in the recipe.
                written += 1
                self.assertNotIn(value, shown.out.split("\n\n")[0], full)
        self.assertGreater(written, 5)

    def test_text_says_the_same_and_an_unknown_kind_is_refused(self):
        text = run("recipe", "steps", "boxes", expect=0).out
        self.assertIn("  nms\n    limit  required: the overlap above which the lower score goes: 0.45; number from 0 to 1\n", text)
        self.assertIn("    of=  union, smaller_area, union_of_pixels, turned, gaussians; default union\n", text)
        self.assertNotIn("mirror", text)  # A mistake that no recipe expresses.
        self.assertIn("kinds: picture, sound, ", run("recipe", "steps", "box", expect=2).err)


if __name__ == "__main__":
    tool.main()
