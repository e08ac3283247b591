# SPDX-License-Identifier: Apache-2.0
"""The forms of the grid: goldens, read back by docutils, markdown-it-py and Python's HTML parser. EDGEPROBE_UPDATE_GOLDENS=1 writes them anew.

Exit code 77: this machine lacks something that the test needs."""
import html.parser
import importlib.util
import io
import json
import os
import pathlib
import re
import sys
import unittest

try:
    import docutils.core
    import docutils.nodes
    from markdown_it import MarkdownIt
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "python/edgeprobe/grid"


def load(name):
    if "edgeprobe_grid" not in sys.modules:
        spec = importlib.util.spec_from_file_location("edgeprobe_grid", PACKAGE / "__init__.py", submodule_search_locations=[str(PACKAGE)])
        sys.modules["edgeprobe_grid"] = importlib.util.module_from_spec(spec)
    return importlib.import_module(f"edgeprobe_grid.{name}")


def grid():
    """A small grid with markup in its texts and every kind of cell."""
    statuses, rule = load("statuses"), load("numbers_rule")
    numbers = {"wall_seconds": 1.25, "peak_memory": 5_000_000, "versions": {"torch": "2.0"}}
    # Where lines break, nothing may begin a list, a heading or a quotation.
    reason = "no rule for <Node>|a_b_*c* `x` [link](y): \\n " + "- + * # > 1. 2) = " * 40
    return {
        "onnx_conversion": 1, "edgeprobe": "1.2.3", "date": "2026-11-30", "machine": "x86_64 Linux", "command": "edgeprobe onnx-conversion DIR OUT.md",
        "limits": {"seconds": 600, "memory": 8_000_000_000, "disk": 4_000_000_000}, "rule": rule.RULE,
        "statuses": {status: list(words) for status, words in statuses.MEANINGS.items()},
        "frameworks": [{"key": "pytorch", "name": "PyTorch", "python": "3.11.7", "versions": {"torch": "2.0", "onnx": "1.2"}, "missing": ""},
                       {"key": "sklearn", "name": "scikit-learn", "python": "", "versions": {}, "missing": "its Python has no sklearn"}],
        "importers": [{"key": "onnx2torch", "name": "onnx2torch", "versions": {"onnx2torch": "1.5"}}, {"key": "openvino", "name": "OpenVINO", "versions": {}}],
        "own_importers": {"pytorch": "onnx2torch", "mxnet": "mxnet"},
        "models": [{"key": "mlp", "name": "MLP"}, {"key": "svm", "name": "SVM"}],
        "cells": [
            {"framework": "pytorch", "model": "mlp", "kind": "export", "status": "supported", "seconds": 2.04, **numbers},
            {"framework": "pytorch", "model": "mlp", "kind": "import", "importer": "onnx2torch", "status": "unsupported", "reason": reason, "pair": "1.6 works"},
            {"framework": "pytorch", "model": "mlp", "kind": "import", "importer": "openvino", "status": "differs", "reason": "error 0.5 in output 'y'", "error": 0.5,
             "first_node": "Resize 'r:0' with mode=cubic", "cause": "In the framework it is Resizing 'r'", **numbers},
            {"framework": "sklearn", "model": "svm", "kind": "export", "status": "unverified", "reason": "its Python has no sklearn"},
            {"framework": "sklearn", "model": "svm", "kind": "import", "importer": "onnx2torch", "status": "unverified", "reason": "there is no file to import"},
            {"framework": "sklearn", "model": "svm", "kind": "import", "importer": "openvino", "status": "unverified", "reason": "there is no file to import"},
        ]}


class Text(html.parser.HTMLParser):
    """The words of a page, and the tags that are open."""

    def __init__(self):
        super().__init__()
        self.text, self.open = "", []

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


class WritersTest(unittest.TestCase):
    def text(self, extension):
        text = load("writers.files").text_of(grid(), extension)
        golden = HERE / f"grid{extension}.golden"
        if os.environ.get("EDGEPROBE_UPDATE_GOLDENS"):
            golden.write_text(text)
        self.assertEqual(text, golden.read_text())
        return text

    def has_all(self, text):
        """Markup in a text of a tool stays text."""
        flat = " ".join(text.split())
        for part in ("No rule for <Node>|a_b_*c*", "[link](y): \\n - + * # > 1. 2) = - + *", "1. 2) = . 1.6 works.", "First node that differs: Resize 'r:0' with mode=cubic.",
                     "In the framework it is Resizing 'r'.", "not provided / not provided", "supported / unsupported", "unverified / unsupported", "5.0e-01, 1.2 s",
                     "torch 2.0, onnx 1.2, Python 3.11.7.", "Made by edgeprobe."):
            self.assertIn(part, flat)

    def test_restructured_text(self):
        said = io.StringIO()
        tree = docutils.core.publish_doctree(self.text(".rst"), settings_overrides={"warning_stream": said, "report_level": 1})
        self.assertEqual(said.getvalue(), "")
        self.has_all(tree.astext())
        tables = list(tree.findall(docutils.nodes.table))
        rows = [[entry.astext() for entry in row.findall(docutils.nodes.entry)] for row in tables[0].findall(docutils.nodes.row)]
        self.assertEqual(rows, [["model", "PyTorch", "scikit-learn"], ["MLP", "supported / unsupported", "not provided / not provided"],
                                ["SVM", "not provided / not provided", "unverified / unsupported"]])

    def test_markdown(self):
        page = MarkdownIt("commonmark").enable("table").render(self.text(".md"))
        self.assertNotIn("<a ", page)
        self.assertNotIn("<em>", page)
        self.assertEqual((page.count("<ul>"), page.count("<ol"), page.count("<blockquote"), page.count("<h3>")), (4, 0, 0, 0))
        reader = Text()
        reader.feed(page)
        self.has_all(reader.text)
        self.assertEqual(len(re.findall("<table>", page)), 4)

    def test_html(self):
        reader = Text()
        reader.feed(self.text(".html"))
        self.assertEqual(reader.open, [])
        self.has_all(reader.text)

    def test_json(self):
        self.assertEqual(json.loads(load("writers.files").text_of(grid(), ".json")), grid())


class PairsTest(unittest.TestCase):
    def hint(self, of, reason, status="error", **versions):
        return load("pairs").with_hint({"status": status, "reason": reason, "versions": versions}, of).get("pair", "")

    def test_a_known_pair_of_versions_names_what_works(self):
        reason = "TypeError: Field onnx.AttributeProto.ints: Expected an int, got a boolean."
        self.assertIn("protobuf 6.33.6", self.hint("sklearn", reason, protobuf="7.36.2", skl2onnx="1.20.0"))
        self.assertEqual(self.hint("sklearn", reason, protobuf="6.33.6", skl2onnx="1.20.0"), "")
        self.assertEqual(self.hint("sklearn", "ValueError: another", protobuf="7.36.2", skl2onnx="1.20.0"), "")
        self.assertEqual(self.hint("keras", reason, protobuf="7.36.2", skl2onnx="1.20.0"), "")
        reason = "the engine refuses the model: Unsupported model IR version: 14, max supported IR version: 13"
        self.assertIn("1.32.0", self.hint("onnxruntime", reason, "unsupported", onnxruntime="1.31.1"))
        self.assertEqual(self.hint("onnxruntime", reason, "unsupported", onnxruntime="1.32.0"), "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
