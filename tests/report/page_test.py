# SPDX-License-Identifier: Apache-2.0
"""Reads the sample pages with html.parser and checks what a browser would do with them:
page_test.py SAMPLES_PROGRAM."""

import base64
import hashlib
import io
import json
import re
import struct
import subprocess
import sys
import tempfile
import zlib
from html.parser import HTMLParser
from pathlib import Path

from PIL import Image

VOID = {"meta", "img", "br", "wbr", "line", "circle", "path", "polyline"}
ALLOWED = VOID | set(
    "html head title style body main header footer nav section a script h1 h2 h3 h4 h5 p span b i small ul li dl dt dd div article figure "
    "figcaption pre code table caption thead tbody tr th td details summary svg text rect".split())
ATTRIBUTES = set(
    "lang charset http-equiv content name class style aria-hidden aria-label aria-labelledby role id viewbox href tabindex "
    "data-copy open preserveaspectratio points fill stroke stroke-width stroke-dasharray vector-effect font-size paint-order  width height src alt "
    "scope x y x1 x2 y1 y2 cx cy r d".split())
POLICY = ("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; img-src data:; base-uri 'none'; "
          "form-action 'none'")


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.counts, self.images, self.headings, self.text, self.styles = [], {}, [], [], "", ""
        self.script, self.links, self.sections, self.copied = "", [], [], 0
        self.policy, self.ids, self.labelled = None, [], []

    def handle_starttag(self, tag, attributes):
        assert tag in ALLOWED, f"element {tag}"
        for name, value in attributes:
            assert name in ATTRIBUTES, f"attribute {name} of {tag}"
            assert name != "style" or re.fullmatch(r"(--across|left|width|position):[-0-9.e+%;:a-z]*", value), value
            assert name not in {"data-copy", "open"} or value is None
        attributes = dict(attributes)
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if tag == "meta" and attributes.get("http-equiv"):
            self.policy = attributes["content"]
        assert tag == "img" or "src" not in attributes
        if tag == "img":
            self.images.append(attributes)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if "aria-labelledby" in attributes:
            self.labelled.append(attributes["aria-labelledby"])
        if tag == "a":
            assert re.fullmatch("#[a-z-]+", attributes["href"]), attributes
            self.links.append(attributes["href"][1:])
        if tag == "section":
            self.sections.append(attributes["id"])
        self.copied += "data-copy" in attributes
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "th":
            assert attributes.get("scope") in {"row", "col"}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data[:40]}")

    def handle_data(self, data):
        if self.open[-1:] == ["style"]:
            self.styles += data
        elif self.open[-1:] == ["script"]:
            self.script += data
        else:
            self.text += data


def png_size(url):
    """Width and height of a PNG data URL whose checksums and pixels are complete, or of a JPEG."""
    photograph = "data:image/jpeg;base64,"
    if url.startswith(photograph):
        with Image.open(io.BytesIO(base64.b64decode(url[len(photograph):], validate=True))) as picture:
            picture.load()
            assert picture.format == "JPEG"
            return picture.size
    prefix = "data:image/png;base64,"
    assert url.startswith(prefix)
    data = base64.b64decode(url[len(prefix):], validate=True)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, pixels, size = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        if kind == b"IDAT":
            pixels += body
        at += 12 + length
    assert len(zlib.decompress(pixels)) == size[1] * (1 + 3 * size[0])
    return size


def check(path):
    data = path.read_bytes()
    html = data.decode("utf-8")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", html), "control characters"
    page = Page()
    page.feed(html)
    page.close()
    assert page.open == [], page.open
    assert html.startswith("<!doctype html>\n") and html.lower().count("<!doctype") == 1
    assert [page.counts.get(tag) for tag in ("html", "head", "body", "h1", "title", "style")] == [1, 1, 1, 1, 1, 1] or \
        page.counts["title"] > 1  # SVG titles share the name.
    digest = base64.b64encode(hashlib.sha256(page.script.encode()).digest()).decode()
    assert page.counts["script"] == 1 and page.policy == POLICY.format(digest), page.policy
    assert page.links[0] == "main" and set(page.links) <= set(page.ids), page.links
    assert page.links[1:1 + len(page.sections)] == page.sections, "the contents name each section, in order"
    assert "url(" not in page.styles and "@import" not in page.styles and "</" not in page.styles
    assert page.headings[0] == 1 and all(b <= a + 1 for a, b in zip(page.headings, page.headings[1:])), page.headings
    assert len(set(page.ids)) == len(page.ids) and set(page.labelled) <= set(page.ids)
    for image in page.images:
        assert image["alt"]
        size = png_size(image["src"])
        assert size == (int(image["width"]), int(image["height"])) and max(size) <= 256
    assert len(data) < 2_000_000
    return page


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        folder = Path(folder)
        paths = sorted(folder.glob("*.html"))
        assert len(paths) >= 28, paths
        for path in paths:
            page = check(path)
            print(f"{path.name}: {path.stat().st_size} bytes, {len(page.images)} pictures")
            if path.stem.endswith("without_pictures"):
                assert not page.images
        attacked = check(folder / "extreme.html")
        assert "</script><script>alert(1)</script>" in attacked.text  # Displayed as text, not run.
        report = json.loads((folder / "channel_order.json").read_text())
        page = check(folder / "channel_order.html")
        assert report["headline"] in page.text
        for cause in report["causes"]:
            for code in cause["fix"]["code"].values():
                assert code in page.text, code
        assert len(page.images) == 8 + 3  # A heat map with its scale, and a curve.
        assert page.copied == 1 + sum(len(cause["fix"]["code"]) for cause in report["causes"]) + 1  # Step, code, recipe.
        hostile = check(folder / "hostile_names.html")
        assert "<script>document.title='run'</script>" in hostile.text and "\u202e" not in hostile.text


if __name__ == "__main__":
    main()
