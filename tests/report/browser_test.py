# SPDX-License-Identifier: Apache-2.0
"""Opens the sample pages in Chromium at 390, 700 and 1280 pixels and checks that nothing extends past the edge, that a headline has
at most two lines, and that no name became markup or ran as a script. Without a cause, all pictures must be in the first 800
pixels. browser_test.py SAMPLES_PROGRAM. Exits 77 (skipped) without Chromium."""

import html
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WIDTHS = (390, 700, 1280)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]
# The measuring script runs in the outer page; the page itself is parsed into frames that may not run scripts.
MEASURE = """<pre id="answer"></pre><script>onload = () => {
  let text = '';
  for (const frame of document.querySelectorAll('iframe')) {
    const page = frame.contentDocument, root = page.documentElement;
    const head = page.querySelector('h1'), strip = page.querySelector('#difference .strip svg');
    const lines = Math.round(head.getBoundingClientRect().height / (parseFloat(frame.contentWindow.getComputedStyle(head).lineHeight) || 40));
    const lowest = strip ? Math.round(strip.getBoundingClientRect().bottom) : 0;
    page.querySelectorAll('details').forEach(details => { details.open = true; });
    text += frame.width + ' ' + Math.max(0, root.scrollWidth - frame.width) + ' ' +
        page.querySelectorAll('script + script, :not(body) > script, iframe, object, link, a:not([href^="#"]), [onerror], [onload], ' +
            '[onmouseover]').length + ' ' + lines + ' ' + lowest + ';';
  }
  document.getElementById('answer').textContent = 'ANSWER ' + text;
}</script>"""


def measured(browser, path, folder):
    page = html.escape(path.read_text())
    frames = "".join(f'<iframe width="{width}" height="800" style="border:0" sandbox="allow-same-origin" srcdoc="{page}">'
                     "</iframe>" for width in WIDTHS)
    outer = folder / "outer.html"
    outer.write_text(f"<!doctype html><body>{frames}{MEASURE}")
    with tempfile.TemporaryDirectory() as profile:
        out = subprocess.run([browser, *FLAGS, f"--user-data-dir={profile}", "--dump-dom", outer.as_uri()], check=True,
                             capture_output=True, text=True, timeout=600).stdout
    answer = re.search(r'id="answer">ANSWER ([^<]*)', out)
    assert answer, f"{path.name}: the browser gave no answer"
    return [tuple(map(int, part.split())) for part in answer[1].strip(";").split(";")]


def with_scripts(browser, path):
    """The page after its own script has run."""
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run([browser, *FLAGS, f"--user-data-dir={profile}", "--dump-dom", path.as_uri()], check=True,
                              capture_output=True, text=True, timeout=600).stdout


def main():
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        print("skipped: chromium is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        subprocess.run([sys.argv[1], folder / "pages"], check=True)
        paths = [path for path in sorted((folder / "pages").glob("*.html")) if "without" not in path.stem]
        assert len(paths) >= 8, paths
        for path in paths:
            rows = measured(browser, path, folder)
            assert [row[:3] for row in rows] == [(width, 0, 0) for width in WIDTHS], (path.name, rows)
            assert rows[-1][3] <= 2, (path.name, rows)
            print(f"{path.name}: nothing past the edge")
            if path.stem == "unknown_input":
                assert 0 < rows[-1][4] <= 800, rows
        for name in ("channel_order", "hostile_names"):
            shown = with_scripts(browser, folder / "pages" / f"{name}.html")
            assert shown.count(">Copy</button>") == shown.count("data-copy=") > 0, name
            assert re.search(r"<title>Differs", shown), name
        # Checks that the measurement detects an overflow.
        wide = folder / "pages" / "wide.html"
        wide.write_text('<!doctype html><h1>x</h1><div style="width:900px">x</div><a href="a.html">x</a>')
        assert [row[1:3] for row in measured(browser, wide, folder)][0][0] > 400
        assert measured(browser, wide, folder)[0][2] == 1
        # Checks that it detects a policy that allows scripts.
        ran = folder / "pages" / "ran.html"
        ran.write_text("<!doctype html><title>Differs</title><script>document.title='run'</script>")
        assert "<title>run" in with_scripts(browser, ran)
    return 0


if __name__ == "__main__":
    sys.exit(main())
