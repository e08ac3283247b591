# SPDX-License-Identifier: Apache-2.0
"""IPython's display of results, traces and frames, through its own display formatter."""
import html.parser
import json
import pathlib
import subprocess
import sys

import support

import edgeprobe
from edgeprobe.notebook import pages, parts
from support import MODELS

HOSTILE = "</td></iframe>'\"><script>alert(1)</script><img src=x onerror=alert(1)>&amp;"
#: A notebook: each expression of `cells` is displayed.
KERNEL = """
import json, pathlib, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.history_manager.enabled = False
M = pathlib.Path(sys.argv[1])
shown = []
for source in json.load(open("cells.json")):
    exec(source.rpartition("\\n")[0], globals())
    data, _ = shell.display_formatter.format(eval(source.rpartition("\\n")[2], globals()))
    shown.append(data)
json.dump(shown, open("shown.json", "w"))
"""
CHECK = """
GOOD = (M / "signs.recipe").read_text().strip()
ARGS = dict(data=M / "data" / "test", frames=24, labels=M / "data" / "labels.csv", level="io", reference=M / "signs_float.tflite", reference_recipe=M / "signs.recipe")
"""


class Reader(html.parser.HTMLParser):
    """Elements and attributes of a fragment; elements must be closed in order."""

    VOID = {"img", "br"}

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.said = [], [], [], ""
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *one) for one in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, (tag, self.open)

    def handle_data(self, data):
        self.said += data + " "


def with_texts(value, text):
    """The same with this text in place of every text except keys."""
    if isinstance(value, dict):
        return edgeprobe.Result({key: with_texts(one, text) for key, one in value.items()})
    if isinstance(value, list):
        return [with_texts(one, text) for one in value]
    return text if isinstance(value, str) else value


class NotebookTest(support.PackageTest):
    def display(self, *cells):
        """IPython's display of each object: a dict by MIME type."""
        try:
            import IPython  # noqa: F401
        except ImportError as error:
            self.skipTest(str(error))
        (self.folder / "cells.json").write_text(json.dumps(cells))
        done = subprocess.run([sys.executable, "-c", KERNEL, MODELS], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.folder / "shown.json").read_text())

    def read(self, text):
        """The fragment's elements. The fragment runs and downloads nothing."""
        found = Reader(text)
        self.assertLessEqual(set(found.tags), {"div", "b", "table", "tr", "td", "th", "ul", "li", "pre", "code", "img", "details", "summary", "iframe"})
        for tag, name, value in found.attributes:
            self.assertIn(name, {"style", "src", "alt", "title", "sandbox", "srcdoc"})
            self.assertTrue(name != "src" or value.startswith("data:image/png;base64,"), value)
            self.assertNotIn("url(", value if name == "style" else "")
        return found

    def page_of(self, found):
        attributes = {name: value for tag, name, value in found.attributes if tag == "iframe"}
        self.assertEqual(attributes["sandbox"], "")  # no script, no origin
        return attributes["srcdoc"]

    def trace(self, name, **more):
        edgeprobe.run(MODELS / "signs_float.tflite", MODELS / "data" / "test", recipe=MODELS / "signs.recipe", frames=8, trace=self.folder / name, **more)
        return name

    def test_results_are_shown(self):
        self.trace("a.mcap")
        self.trace("b.mcap", raw="none")
        edgeprobe.contract.learn(self.folder / "a.mcap", self.folder / "c.json")
        found = self.display(
            f"import edgeprobe\n{CHECK}wrong = edgeprobe.check(M / 'signs_float.tflite', recipe=GOOD.replace('rgb', 'bgr'), html='page.html', **ARGS)\nwrong",
            # The file now belongs to another verdict.
            "right = edgeprobe.check(M / 'signs_float.tflite', recipe=GOOD, html='page.html', **ARGS)\nright", "\nwrong",
            "auto = edgeprobe.diagnose('a.mcap', reference=M / 'signs_float.tflite')\nauto",
            "\nwrong.causes[0]", "\nwrong.outputs", "\nedgeprobe.compare('a.mcap', 'b.mcap')", "\nedgeprobe.contract.check('b.mcap', 'c.json')",
            "\nedgeprobe.bench(M / 'signs_float.tflite', duration=0.05, warm_up=0.05)", "\nedgeprobe.inspect(M / 'signs_float.tflite')",
            "import numpy as np\nnp.save('a.npy', np.random.default_rng(0).random((32, 32, 3), 'f'))\nnp.save('b.npy', np.load('a.npy')[:, :, ::-1])\nedgeprobe.why('b.npy', 'a.npy')",
            "\nauto._page_path")
        texts = [self.read(one["text/html"]) for one in found[:-1]]
        wrong, right, again, auto, cause, outputs, compared, contract, bench, inspected, dumps = texts

        for text in ("the app feeds BGR; the reference feeds RGB", "channel_order", "color(rgb)", "cv2.cvtColor", "rMSE/range"):
            self.assertIn(text, wrong.said)
        self.assertRegex(wrong.said, r"target +\d+\.\d %")
        self.assertEqual(self.page_of(right), (self.folder / "page.html").read_text())
        self.assertIn("the app feeds BGR", self.page_of(wrong))
        self.assertNotIn("the app feeds BGR", self.page_of(right))
        self.assertEqual(self.page_of(again), self.page_of(wrong))  # not the file's new text
        self.assertTrue(found[0]["text/plain"].startswith("differs: the app feeds BGR"), found[0]["text/plain"])
        self.assertLess(len(found[0]["text/plain"]), 600)
        self.assertIn("would decide", auto.said)
        self.assertTrue(self.page_of(auto).startswith("<!doctype html>"))
        self.assertFalse(pathlib.Path(found[-1]["text/plain"].strip("'")).exists())  # removed with the kernel

        self.assertIn("channel_order", cause.said)
        self.assertIn("total_variation", outputs.said)
        self.assertIn("exact: all 2 tensors are equal", compared.said)
        self.assertIn("cannot tell", contract.said)
        self.assertIn("cannot_tell", contract.said)
        self.assertRegex(bench.said, r"threads=1 +[\d.]+ µs +([\d.]+ µs|–) to ([\d.]+ µs|–)")
        self.assertIn("tensors", inspected.said)
        for text in ("channel_order", "Reference", "32x32x3 float32", "would decide"):
            self.assertIn(text, dumps.said)

    def test_traces_and_frames_are_shown(self):
        self.trace("a.mcap", level="layers")
        found = self.display("import edgeprobe\nt = edgeprobe.load('a.mcap')\nt", "\nt.frames", "\nt.frames[2]", "\nt.frames[2]['model_input/image'].shape")
        trace, frames, frame = [self.read(one["text/html"]) for one in found[:3]]
        self.assertRegex(trace.said, r"frames +8")
        self.assertIn("signs_float.tflite", trace.said)
        self.assertEqual((trace.tags.count("img"), frames.tags.count("img"), frame.tags.count("img")), (6, 6, 1))
        self.assertIn("float32 [1, 64, 64, 3]", frame.said)
        with edgeprobe.load(self.folder / "a.mcap") as read:
            self.assertIn(read.frames[2].sample, frame.said)
            self.assert_picture(frame, read.frames[2].picture())
        self.assertEqual(list(found[3]), ["text/plain"])

    def assert_picture(self, found, pixels):
        """Pillow reads the fragment's picture as these pixels, subsampled."""
        import base64
        import io

        import numpy as np
        from PIL import Image

        (source,) = [value for tag, name, value in found.attributes if name == "src"]
        step = max(1, -(-max(pixels.shape[:2]) // 160))
        with Image.open(io.BytesIO(base64.b64decode(source.partition(",")[2]))) as image:
            np.testing.assert_array_equal(np.asarray(image), pixels[::step, ::step])

    def test_hostile_names_stay_text(self):
        import numpy as np

        path = self.folder / "h.mcap"
        with edgeprobe.Probe(path, raw="all") as probe:
            probe.describe(model=HOSTILE)
            with probe.frame(sample=HOSTILE) as frame:
                frame.tensor(HOSTILE, np.zeros(3, np.float32))
                frame.variable(HOSTILE, HOSTILE)
                frame.encoded(HOSTILE, b"\xff\xd8\xff no picture")
        with edgeprobe.load(path) as trace:
            for shown in (trace, trace.frames, trace.frames[0]):
                self.assertIn("<script>alert(1)</script>", self.read(shown._repr_html_()).said)
            self.assertIn("no picture is shown", self.read(trace.frames[0]._repr_html_()).said)
        golden = json.loads((support.ROOT / "tests/golden/report/two_faults.json").read_text(), object_hook=edgeprobe.Result)
        hostile = with_texts(golden, HOSTILE)
        for status in ("confirmed", "partial"):
            for cause in hostile["causes"]:
                cause["status"] = status
            self.assertIn("<script>alert(1)</script>", self.read(hostile._repr_html_()).said)
        object.__setattr__(hostile, "_page", f"<p>{HOSTILE}</p>")
        self.assertEqual(self.page_of(self.read(hostile._repr_html_())), f"<p>{HOSTILE}</p>")
        for value in ({HOSTILE: HOSTILE}, {HOSTILE: [HOSTILE]}, {"outcome": HOSTILE, "assertions": [dict.fromkeys(("id", "state", "value", "bound", "why", "cure"), HOSTILE)],
                                                                   **dict.fromkeys(("passes", "fails", "cannot_tell", "not_yet"), HOSTILE)}):
            self.assertIn("<script>", self.read(edgeprobe.Result(value)._repr_html_()).said)

    def test_a_large_result_is_a_table_with_a_pointer(self):
        golden = json.loads((support.ROOT / "tests/golden/report/two_faults.json").read_text(), object_hook=edgeprobe.Result)
        object.__setattr__(golden, "_page_path", "/tmp/<page>.html")
        object.__setattr__(golden, "_page", "<" * (parts.MOST_BYTES // 4 + 1))  # within the limit before escaping
        found = self.read(golden._repr_html_())
        self.assertNotIn("iframe", found.tags)
        self.assertIn("/tmp/<page>.html", found.said)
        golden["layers"] = golden["layers"] * 10_000
        golden["warnings"] = ["x" * 100_000] * 1000
        golden["headline"] = "y" * 1_000_000
        self.assertLess(len(golden._repr_html_()), 20_000)
        few = {"edgeprobe_bench": 1, "model": {"name": "m"}, "engine": {"kind": "e", "version": "1"}, "machine": {"processor": "p", "cpus": 1},
               "configurations": [{"name": "c", "inferencetime_p50": 0.0123456, "inferencetime_p50_interval": [None, None], "quiet_inferencetime_p50": 1.0,
                                   "quiet_inferencetime_count": 19, "inferencetime_count": 20, "warnings": []}]}
        self.assertIn("12346 µs – to – – – 20 19", " ".join(self.read(edgeprobe.Result(few)._repr_html_()).said.split()))
        big = edgeprobe.Result({f"k{i}": "z" * 10_000 for i in range(1000)})
        self.assertLess(len(big._repr_html_()), 40_000)
        self.assertIn("and 960 more keys", big._repr_html_())

    def test_without_a_notebook_nothing_changes(self):
        self.trace("a.mcap")
        script = ("import sys, edgeprobe\nr = edgeprobe.diagnose('a.mcap', reference=sys.argv[1], html='p.html')\n"
                  "print(r._page is None, edgeprobe.diagnose('a.mcap', reference=sys.argv[1])._page_path, 'IPython' in sys.modules, 'edgeprobe.notebook.results' in sys.modules)\n"
                  "print(repr(r).startswith('Result({'), r._repr_html_().endswith('p.html</code></div></div>'))\n")
        done = subprocess.run([sys.executable, "-c", script, MODELS / "signs_float.tflite"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "True None False False\nTrue True\n"), done.stderr)
        self.assertIsNone(pages.new_page())


if __name__ == "__main__":
    support.main()
