# SPDX-License-Identifier: Apache-2.0
"""The checks of script/lint by themselves: each finds an injected mistake and accepts correct text."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "script"))
import comment_names  # noqa: E402
import links  # noqa: E402
import pages  # noqa: E402
import tidy_units  # noqa: E402
import usings  # noqa: E402
import wording  # noqa: E402

NONE = 9999  # No decision has this number; its digits are separate from the word, because this file is checked, too.
FILES = [f"/{path.relative_to(ROOT)}" for path in (ROOT / "src").rglob("*.*")]


class LintTest(unittest.TestCase):
    def page(self, text, name="docs" "/planted.md"):
        return [what for _, what in links.problems(ROOT / name, text, FILES)]

    def test_a_page_names_only_files_headings_and_decisions_that_exist(self):
        self.assertEqual(self.page(f"See `hint_text.cc`, `src/core/none.h`, decisions 10 and {NONE}, [a heading](README.md#no-such) and "
                                   "[a page](none.md)."),
                         [f"no decision {NONE} in docs/decisions", "no heading #no-such in docs/README.md", "link to none.md",
                          "no file hint_text.cc", "no src/core/none.h"])
        self.assertEqual(self.page("See `text.h`, `src/core/text.h`, `kinds.{h,cc}`, `export_*.cc`, decisions 1 and 10, "
                                   "[a heading](README.md#learn)."), [])

    def test_a_diff_on_a_page_changes_only_files_that_exist(self):
        diff = "```diff\n src/core/text.h, src/core/none.cc    why\n+  text\n src/core/made.cc    new, with a header\n```\n"
        self.assertEqual(self.page(diff), ["no src/core/none.cc"])

    def test_a_decision_that_is_cited_in_code_exists(self):
        self.assertEqual(self.page(f"/// As decision {NONE} says.", "src/core/planted.h"), [f"no decision {NONE} in docs/decisions"])

    def test_the_index_of_decisions_lists_each_of_them_once(self):
        index = (ROOT / "docs/decisions/README.md").read_text(encoding="utf-8")
        self.assertEqual(self.page(index, "docs/decisions/README.md"), [])
        lines = index.splitlines(keepends=True)
        self.assertEqual(len(self.page("".join(lines[:-1]), "docs/decisions/README.md")), 1)

    def comments(self, text, **others):
        sources = {ROOT / "src" / name: comment_names.Source(content) for name, content in {"a.h": text, **others}.items()}
        return [name for _, _, name in comment_names.unknown(sources)]

    def test_a_name_taken_from_another_namespace_is_mentioned(self):
        code = 'using core::text;\nusing std::string_view_literals::operator""sv;\nstruct A : B {\n  using B::B;\n};\n'
        self.assertEqual(usings.unused(code + "auto made = text(1);\n"), [])
        self.assertEqual(usings.unused(code + '// text\nauto made = "text";\n'), ["text"])

    def test_clang_tidy_reads_each_source_once_with_the_options_of_its_language(self):
        sources = [ROOT / "src/core" / name for name in ("text.cc", "file.cc")] + [ROOT / "src/stats/quantile.cc"]
        command = "/usr/bin/c++ {}-I/src -O2 -DKEPT=1 -DLibrary_EXPORTS -Wall --param=x=1 -Winvalid-pch -include /b/cmake_pch.hxx -std=c++{} -o a.o -c {}"
        built = [{"file": str(source), "command": command.format(first, standard, source)}
                 for source, standard, first in zip([*sources, sources[0]], (17, 17, 20, 17), ("", "", "", "-DOTHER "))]
        built.append({"file": str(ROOT / "tests/core/text_test.cc"), "command": "c++ -c"})
        kept = ["-I/src", "-DKEPT=1", "-Wall"]
        self.assertEqual(list(tidy_units.alike(built)), [([*kept, "-std=c++17", "-DOTHER"], sorted(map(str, sources[:2]))),
                                                         ([*kept, "-std=c++20"], [str(sources[2])])])
        built.append({"file": str(sources[2]), "command": command.format("-DKEPT=2 ", 20, sources[2])})
        with self.assertRaisesRegex(SystemExit, "KEPT: a macro with two values"):
            list(tidy_units.alike(built))

    def test_a_comment_names_only_what_the_code_has(self):
        code = "struct Replays { int repaired_steps; };\nvoid run(int frames);\n"
        verb = {"b.h": 'const char* kVerb = "check";\n'}
        for right in ("`frames`: their indices.", "As `check` does, see Replays::repaired_steps.", "`run()`", "Nothing `a + b`."):
            self.assertEqual(self.comments(f"/// {right}\n{code}", **verb), [], right)
        self.assertEqual(self.comments(f"/// `waiting`: called each second. As Replays::mended_steps, `stop()` and `gone`.\n{code}"),
                         ["waiting", "Replays::mended_steps", "stop()", "gone"])
        self.assertEqual(self.comments(f"/// `check`: a parameter that is gone.\n{code}", **verb), ["check"])

    def test_a_parameter_of_another_file_is_unknown_unless_it_is_included(self):
        other = "void stop(int moment);\n"
        self.assertEqual(self.comments("/// `moment`: when. As stop() does, `stop()`.\n", **{"b.h": other}), ["moment"])
        self.assertEqual(self.comments('#include "b.h"\n/// `moment`: when.\n', **{"b.h": other}), [])

    def words(self, name, text):
        return [(line, word.split(":")[0]) for line, word, _ in wording.found(ROOT / name, text)]

    def test_words_that_stop_a_reader_are_counted_only_in_prose(self):
        page = ("# What is told\nEach cause is told\nbehind the model. What differs is named.\n```\nnobody alone\n```\n"
                "| What is it? | computes otherwise |\n\n`alone` or otherwise; otherwise it is none. There is no limit.\n")
        self.assertEqual(self.words("docs" "/planted.md", page),
                         [(2, "told"), (2, "behind"), (2, "What …, as the subject"), (7, "otherwise"), (9, "is no, is none")])
        source = '/// What it holds.\nint a;  // "nobody" sees it\n        // but this alone\nconst char* b = "is told";\n'
        self.assertEqual(self.words("src/planted.h", source), [(1, "What …, as the subject"), (2, "alone"), (2, "nobody")])


    def test_words_of_other_languages_are_counted(self):
        page = "Whoever mends a file, of which one lies beside it, writes one a line anew in front of so many. It stands for tells them apart.\n"
        self.assertEqual([word for _, word in self.words("docs" "/planted.md", page)],
                         ["whoever", "mend", "of which", "lies, stands", "tell apart, tell from", "one a line", "beside", "in front of", "so many", "anew"])

    def test_a_line_of_a_page_is_short_but_in_tables_and_code(self):
        long = "x" * 201
        self.assertEqual(list(pages.long_lines("docs" "/planted.md", f"---\n{long}\n---\n| {long} |\n```\n{long}\n```\n- {long}\n{long[1:]}\n")),
                         [(8, 203)])
        self.assertEqual(list(pages.long_lines("CHANGELOG.md", f"- {long[:159]}\n- {long[:158]}\n")), [(1, 161)])

    def test_a_flag_is_on_a_page_and_in_a_test(self):
        source = 'parser.option("-o,--out", out, "The file").required();\nparser\n  .flag("--by-frame-number", on, "…");\nadd(option("kernels"));\n' \
                 'parser.option("model", model, "A model");\nargs = {"--no-deps"};\n'
        flags = pages.flags_of(source)
        self.assertEqual(flags, {"out", "by-frame-number", "kernels"})
        self.assertEqual(pages.unnamed(flags, "`--out FILE`, `--kernels-of`"), ["by-frame-number", "kernels"])
        self.assertEqual(pages.unnamed(flags, "run('--out', by_frame_number=True)", as_keyword=True), ["kernels"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
