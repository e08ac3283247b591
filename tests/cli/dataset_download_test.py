# SPDX-License-Identifier: Apache-2.0
"""--download-dataset against a server on the loopback: resumed, checked, unpacked. dataset_download_test.py EDGEPROBE"""
import contextlib
import hashlib
import http.server
import io
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import time
import zipfile

import tool
from tool import MODELS, RECIPE, ToolTest, run

MODEL = MODELS / "signs_float.tflite"
PICTURES = sorted((MODELS / "data" / "test").iterdir())[:6]


class Server(http.server.ThreadingHTTPServer):
    """Serves bytes by name. `cut`: how many bytes an answer has at most; `pause`: seconds after each 64 KB; `ranges`: whether it continues."""

    def __init__(self, files):
        self.files, self.cut, self.pause, self.ranges, self.asked = files, None, 0, True, []
        super().__init__(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.serve_forever, daemon=True)
        self.thread.start()

    def stop(self):
        self.shutdown()
        self.server_close()
        self.thread.join()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        server, data = self.server, self.server.files.get(self.path)
        asked = self.headers.get("Range")
        server.asked.append((self.path, asked))
        if data is None:
            self.send_error(404)
            return
        begin = int(re.fullmatch(r"bytes=(\d+)-", asked)[1]) if asked and server.ranges else 0
        self.send_response(206 if begin else 200)
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(data) - begin))
        self.end_headers()
        end = len(data) if server.cut is None else min(len(data), begin + server.cut)
        with contextlib.suppress(ConnectionError):
            for at in range(begin, end, 1 << 16):
                self.wfile.write(data[at:min(end, at + (1 << 16))])
                self.wfile.flush()
                time.sleep(server.pause)
        self.close_connection = True


def tar_of(files, kind="w:gz", change=None):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=kind) as tar:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            if change:
                change(entry)
            tar.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def zip_of(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


class DatasetDownload(ToolTest):
    def setUp(self):
        super().setUp()
        names = [f"{'Bombay' if i < 3 else 'beagle'}_{i}" for i in range(6)]
        pictures = {f"images/{name}.png": path.read_bytes() for name, path in zip(names, PICTURES)}
        pictures["images/._Bombay_0.png"] = b"of macOS"
        pictures["images/" + "long/" * 30 + "Bombay_0.txt"] = b"a long name"
        listed = "".join(f"{name} {1 + i // 3} {1 + i // 3} 1\n" for i, name in enumerate(names))
        self.archives = {"/images.tar.gz": tar_of(pictures), "/annotations.zip": zip_of({"annotations/": b"", "annotations/list.txt": listed})}
        self.server = Server(dict(self.archives))
        self.addCleanup(self.server.stop)
        self.data = self.folder / "pets"

    def environment(self, archives=None):
        port = self.server.server_address[1]
        lines = [f"pets\thttp://127.0.0.1:{port}{name}\t{len(data)}\t{hashlib.sha256(data).hexdigest()}"
                 for name, data in (archives or self.archives).items()]
        (self.folder / "mirror.tsv").write_text("# a mirror\n" + "\n".join(lines) + "\n")
        return {**os.environ, "EDGEPROBE_DATASETS": str(self.folder / "mirror.tsv"), "no_proxy": "127.0.0.1"}

    def fetch(self, expect=0, archives=None, data=None, **more):
        return run("run", MODEL, "--recipe", RECIPE, "--data", data or f"pets:{self.data}", "--download-dataset", "--level", "io",
                   "--trace", self.folder / "t.mcap", "--force", expect=expect, env=more.get("env") or self.environment(archives))

    def test_it_is_fetched_once(self):
        said = self.fetch().err
        total = sum(map(len, self.archives.values()))
        self.assertRegex(said, r"fetching \d+(\.\d+)? KB in 2 archives from 127\.0\.0\.1:\d+ to ")
        self.assertAlmostEqual(float(re.search(r"fetching ([\d.]+) KB", said)[1]), total / 1000, delta=1)
        self.assertIn("ready: ", said)
        self.assertEqual(sorted(path.name for path in self.data.iterdir()), [".edgeprobe-download", "annotations", "images"])
        self.assertEqual((self.data / "images/Bombay_1.png").read_bytes(), PICTURES[1].read_bytes())
        self.assertTrue((self.data / ("images/" + "long/" * 30 + "Bombay_0.txt")).is_file())
        self.assertFalse((self.data / "images/._Bombay_0.png").exists())
        self.assertEqual(sorted(path.name for path in (self.data / ".edgeprobe-download").iterdir()),
                         ["annotations.zip.done", "images.tar.gz.done", "lock"])
        asked = len(self.server.asked)
        self.assertNotIn("fetching", self.fetch().err)
        self.assertEqual(len(self.server.asked), asked)

    def test_a_cut_connection_is_continued(self):
        size = len(self.archives["/images.tar.gz"])
        self.server.cut = size // 10
        said = self.fetch(expect=1).err
        self.assertIn("are kept, and the same command continues", said)
        part = self.data / ".edgeprobe-download/images.tar.gz.part"
        kept = part.read_bytes()
        self.assertTrue(0 < len(kept) < size)
        self.assertEqual(kept, self.archives["/images.tar.gz"][:len(kept)])
        self.server.cut, self.server.asked = None, []
        said = self.fetch().err
        self.assertIn("of it are there", said)
        self.assertEqual(self.server.asked[0], ("/images.tar.gz", f"bytes={len(kept)}-"))

    def begun(self, program):
        """A folder with the first bytes of an archive, and an environment with only this program."""
        path, data = self.folder / f"bin-{program}", self.folder / f"of-{program}"
        path.mkdir()
        (path / program).symlink_to(os.path.realpath(sys.executable) if program == "python3" else shutil.which(program))
        (data / ".edgeprobe-download").mkdir(parents=True)
        (data / ".edgeprobe-download/images.tar.gz.part").write_bytes(self.archives["/images.tar.gz"][:1000])
        return data, {**self.environment(), "PATH": str(path)}

    def test_a_server_without_ranges_starts_anew(self):
        """Each program by itself: wget leaves the bytes out that are there; the others say that they cannot continue."""
        for program in filter(shutil.which, ("curl", "wget", "python3")):
            with self.subTest(program):
                data, environment = self.begun(program)
                self.server.ranges = False
                said = self.fetch(data=f"pets:{data}", env=environment).err
                self.assertEqual("the server cannot continue; the archive is fetched anew" in said, program != "wget", said)
                self.assertEqual((data / "images/Bombay_1.png").read_bytes(), PICTURES[1].read_bytes())

    def test_each_program_continues(self):
        for program in filter(shutil.which, ("curl", "wget", "python3")):
            with self.subTest(program):
                data, environment = self.begun(program)
                self.server.asked = []
                self.fetch(data=f"pets:{data}", env=environment)
                self.assertEqual(self.server.asked[0], ("/images.tar.gz", "bytes=1000-"))
                self.assertEqual((data / "images/Bombay_1.png").read_bytes(), PICTURES[1].read_bytes())

    def test_a_damaged_part_is_fetched_anew(self):
        (self.data / ".edgeprobe-download").mkdir(parents=True)
        part = self.data / ".edgeprobe-download/images.tar.gz.part"
        part.write_bytes(b"x" * 1000)
        said = self.fetch().err
        self.assertIn("it is fetched anew", said)
        self.assertEqual((self.data / "images/Bombay_1.png").read_bytes(), PICTURES[1].read_bytes())

    def test_other_bytes_are_refused(self):
        self.server.files["/images.tar.gz"] = self.archives["/images.tar.gz"][:-1] + b"?"
        said = self.fetch(expect=1).err
        self.assertIn("are not the published archive", said)
        self.assertIn("nothing of it is kept", said)
        self.assertEqual([path.name for path in (self.data / ".edgeprobe-download").iterdir()], ["lock"])
        self.assertFalse((self.data / "images").exists())

    def test_ctrl_c_keeps_the_part(self):
        self.server.pause = 0.5
        command = [tool.EXECUTABLE, "run", MODEL, "--recipe", RECIPE, "--data", f"pets:{self.data}", "--download-dataset", "--trace", self.folder / "t.mcap"]
        process = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=self.environment())
        part = self.data / ".edgeprobe-download/images.tar.gz.part"
        end = time.monotonic() + tool.PATIENCE
        while not (part.exists() and part.stat().st_size > 0):
            self.assertTrue(time.monotonic() < end and process.poll() is None)
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=tool.PATIENCE)[1].decode()
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("are kept, and the same command continues", said)
        self.assertGreater(part.stat().st_size, 0)
        self.server.pause = 0
        self.fetch()

    def test_archives_that_leave_their_folder_are_refused(self):
        def link(entry):
            entry.type, entry.linkname, entry.size = tarfile.SYMTYPE, "/etc", 0

        def hard(entry):
            entry.type, entry.linkname, entry.size = tarfile.LNKTYPE, "images/a", 0

        def pipe(entry):
            entry.type, entry.size = tarfile.FIFOTYPE, 0

        bad = {"/a.tar.gz": tar_of({"../outside.txt": b"x"}), "/b.tar.gz": tar_of({"/tmp/outside.txt": b"x"}), "/c.tar": tar_of({"l": b""}, "w", link),
               "/d.tar": tar_of({"l": b""}, "w", hard), "/e.tar": tar_of({"l": b""}, "w", pipe), "/f.zip": zip_of({"a/../../outside.txt": b"x"}),
               "/g.zip": zip_of({"good.txt": b"x", "..\\outside.txt": b"x"}), "/h.tar.gz": tar_of({"a.txt": b"x" * 3000})[:-40],
               "/i.tar": tar_of({"a.txt": b"x" * 3000}, "w")[:2000], "/j.tar.gz": b"\x1f\x8b nonsense", "/k.rar": b"Rar!", "/l.zip": b"PK nonsense"}
        for name, data in bad.items():
            with self.subTest(name):
                self.server.files[name] = data
                folder = self.folder / name[1:]
                said = self.fetch(expect={1, 2}, archives={name: data}, data=f"pets:{folder}").err
                self.assertIn("archive '" + name[1:] + "'", said)
                self.assertEqual([path.name for path in folder.iterdir()], [".edgeprobe-download"])
        self.assertFalse((self.folder / "outside.txt").exists() or pathlib.Path("/tmp/outside.txt").exists())

    def test_refusals(self):
        for data, words in ((self.folder, "name one as --data LAYOUT:FOLDER"), (f"imagenet:{self.folder}/i", "licence needs an agreement"),
                            (f"magic_wand:{self.folder}/m", "no SHA-256 of its archive is published"), ("random:?shape=64x64x3", "there is no archive")):
            self.assertIn(words, self.fetch(expect=2, data=data).err)
        self.assertEqual(self.server.asked, [])
        huge = self.environment()
        (self.folder / "mirror.tsv").write_text(f"pets\thttp://127.0.0.1:1/x.zip\t{10**17}\t{'0' * 64}\n")
        self.assertIn("the data set needs about", self.fetch(expect={1, 2}, env=huge).err)
        for line in ("pets http://x", f"pets\thttp://127.0.0.1:1/x.zip\t0\t{'0' * 64}", "pets\thttp://127.0.0.1:1/x.zip\t5\tabc", f"pets\thttp://h/.\t5\t{'0' * 64}"):
            (self.folder / "mirror.tsv").write_text(line + "\n")
            self.assertIn("mirror.tsv' line 1: expected", self.fetch(expect=2, env=huge).err)
        mine = self.folder / "mine"
        mine.mkdir()
        (mine / "mine.txt").write_text("mine")
        self.assertIn("has files already: nothing is fetched", self.fetch(expect=2, data=f"pets:{mine}").err)


if __name__ == "__main__":
    tool.main()
