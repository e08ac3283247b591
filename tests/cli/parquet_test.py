# SPDX-License-Identifier: Apache-2.0
"""`trace export --parquet`: pyarrow and DuckDB read every cell; the cells are compared with `--csv` and with the written values.

PyArrow also writes the files, so the test checks that the program passes it the right cells."""
import csv
import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import time

import duckdb
import numpy as np
import pandas
import pyarrow as pa
import pyarrow.parquet as pq
from mcap.writer import CompressionType, Writer

import tool
from processes import children, interrupt, is_busy, wait_for
from tool import ROOT, run

PINS = ROOT / "python" / "edgeprobe" / "parquet" / "requirements-pyarrow.txt"
START = 1_700_000_000_123_456_789
BIG = 2**53 + 1
FLOAT32 = {"float32", "float16", "bfloat16"}
#: name, dtype, quantisation, values of frame 0
TENSORS = [
    ("model_input/image", "int8", {"scale": "0.0078125", "zero_point": "-1"}, np.array([-128, 0, 127], np.int8)),
    ("layer/a", "float32", {}, np.array([0.1, -1.5, np.nan, np.inf, -np.inf, 1e-40], np.float32)),
    ("layer/b", "float64", {}, np.array([0.1, 1e300])),
    ("layer/half", "float16", {}, np.array([0.1, 65504], np.float16)),
    ("layer/brain", "bfloat16", {}, np.array([0x3FC0, 0xC000], np.uint16)),
    ("layer/long", "int64", {}, np.array([BIG, -2**63])),
    ("layer/unsigned", "uint64", {}, np.array([7, 2**63 - 1], np.uint64)),
    ("layer/yes", "bool", {}, np.array([True, False])),
    ("intermediate/größe, \"x\"", "uint8", {}, np.arange(250, 256, dtype=np.uint8)),
    ("model_output/scores", "float32", {}, np.array([0.25, 0.75], np.float32)),
]


def trace(path, frames=4):
    """Frame k has the values of TENSORS, shifted by one position; frame 2 has no record; "sometimes" is only in frames 1 and 3."""
    with open(path, "wb") as out:
        w = Writer(out, compression=CompressionType.NONE)
        w.start(profile="edgeprobe", library="test")
        w.add_metadata("edgeprobe.run", {"level": "layers"})

        def channel(topic, dtype, shape, **more):
            return w.register_channel(topic, "x-tensor", 0, {"dtype": dtype, "shape": shape, **more})

        def add(to, frame, time, data):
            w.add_message(to, log_time=time, publish_time=time, sequence=frame, data=data)

        tensors = [(channel("/" + name.replace("%", "%25"), dtype, str(len(values)), **more), values) for name, dtype, more, values in TENSORS]
        sometimes = channel("/layer/sometimes", "int32", "1")
        lux = channel("/variable/lux", "float64", "")
        count = channel("/variable/count", "int64", "")
        huge = channel("/variable/huge", "uint64", "")
        clash = channel("/variable/label", "float32", "")
        vector = channel("/variable/vector", "float32", "3")
        note = channel("/variable/note", "uint8", "-1", encoding="utf8")
        odd = channel("/variable/odd", "uint8", "-1", encoding="json")
        span = channel("/span/resize", "int64", "2")
        record = w.register_channel("/frame", "json", 0, {})
        sensor, thermal = w.register_channel("/sensor/accelerometer", "json", 0, {}), w.register_channel("/sensor/soc", "json", 0, {})
        mark, level = w.register_channel("/mark/camera", "json", 0, {}), w.register_channel("/level", "json", 0, {})
        for frame in range(frames):
            time = START + frame * 40_000_001
            for to, values in tensors:
                add(to, frame, time, np.roll(values, frame).tobytes())
            if frame % 2:
                add(sometimes, frame, time, struct.pack("<i", -frame))
            add(lux, frame, time, struct.pack("<d", 100.5 + frame))
            add(count, frame, time, struct.pack("<q", BIG + frame))
            add(huge, frame, time, struct.pack("<Q", 2**64 - 1))
            add(clash, frame, time, struct.pack("<f", 0.5))
            add(vector, frame, time, np.array([frame, -1, 0.5], np.float32).tobytes())
            add(note, frame, time, ("=1+1 dämmrig\n\0" if frame else "").encode())
            add(odd, frame, time, b'{"a": "\xff"}')
            add(span, frame, time, struct.pack("<qq", time - 5_000_000, 2_500_000 + frame))
            if frame == 2:
                continue
            said = {"sample": "hund/ä=1.png", "latency_ns": 1_500_000 + frame, **({"label": frame} if frame != 1 else {})}
            add(record, frame, time, json.dumps(said).encode())
        add(sensor, 0, START, b'{"values":[1.5,-2,9.81],"unit":"m/s^2","frame":1}')
        add(thermal, 0, START, b'{"values":[41.25],"unit":"C"}')
        add(thermal, 1, START + 1, b'{"values":null,"unit":"C","reason":"absent"}')
        add(mark, 0, START, b'{"text":"restarted","frame":0}')
        add(level, 0, START, b'{"from":"layers","to":"io","reason":"time share","frame":1}')
        w.finish()


def time_ns(cell):
    return None if cell is None else cell.value  # a pandas.Timestamp


class ParquetTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.trace = self.folder / "t.mcap"
        os.environ["EDGEPROBE_PYTHON"] = sys.executable

    def table(self, path):
        """The table as pyarrow reads it, with every page's checksum; DuckDB must read the same."""
        file = pq.ParquetFile(path, page_checksum_verification=True)
        table = file.read()
        self.assertEqual(file.metadata.num_rows, table.num_rows)
        stamps = [f"epoch_ns(\"{f.name}\")" if pa.types.is_timestamp(f.type) else '"' + f.name.replace('"', '""') + '"' for f in table.schema]
        mine = [[v.value if isinstance(v, pandas.Timestamp) else v for v in column.to_pylist()] for column in table.columns]
        theirs = duckdb.sql(f"SELECT {', '.join(stamps)} FROM read_parquet('{path}', file_row_number=true) ORDER BY file_row_number").fetchall()
        self.assertEqual(repr(list(zip(*mine))), repr(theirs))
        return table

    def test_values_are_the_rows_of_the_csv(self):
        trace(self.trace)
        table_path, csv_path = self.folder / "t.parquet", self.folder / "t.csv"
        done = run("trace", "export", self.trace, "--parquet", table_path, "--csv", csv_path, expect=0)
        table = self.table(table_path)
        self.assertEqual([str(f.type) for f in table.schema], ["int64", "timestamp[ns, tz=UTC]", "string", "int64", "string", "string", "int64", "int64", "double"])
        rows = list(csv.reader(csv_path.read_text(encoding="utf-8").splitlines()))
        self.assertEqual(table.column_names, ["time" if name == "time_ns" else name for name in rows[0]])
        self.assertIn(f"t.parquet: {len(rows) - 1} values of", done.out)
        dtypes = {name.partition("/")[2]: dtype for name, dtype, _, _ in TENSORS}
        dtypes.update(lux="float64", label="float32", vector="float32")

        def same_number(text, value, dtype):
            wanted = np.float32(text) if dtype in FLOAT32 else np.float64(text)
            return repr(float(wanted)) == repr(value)

        self.assertEqual(table.num_rows, len(rows) - 1)
        for row, cells in zip(rows[1:], table.to_pylist()):
            frame, time, sample, label, stage, tensor, index, stored, value = row
            dtype = dtypes.get(tensor, "int64")
            self.assertEqual((int(frame), time, sample, label, stage, tensor, int(index)),
                             (cells["frame"], str(time_ns(cells["time"]) or ""), cells["sample"] or "", "" if cells["label"] is None else str(cells["label"]),
                              cells["stage"], cells["tensor"], cells["index"]))
            if dtype in FLOAT32 | {"float64"}:
                self.assertIsNone(cells["stored"])
                self.assertTrue(same_number(stored, cells["value"], dtype), (row, cells))
            elif int(stored) > 2**63 - 1:
                self.assertEqual((cells["stored"], cells["value"]), (None, float(stored)))
            else:
                self.assertEqual(int(stored), cells["stored"])
            self.assertTrue(same_number(value, cells["value"], "float32" if tensor == "image" else dtype), (row, cells))
        self.assertIn("4 texts were left out", done.err.replace("4 JSON texts and ", ""))

    def test_one_tensor_of_one_frame(self):
        trace(self.trace)
        run("trace", "export", self.trace, "--parquet", self.folder / "t.parquet", "--frame", 1, "--tensor", "layer/long", expect=0)
        self.assertEqual(self.table(self.folder / "t.parquet").column("stored").to_pylist(), [-2**63, BIG])

    def test_frames(self):
        trace(self.trace)
        done = run("trace", "export", self.trace, "--parquet", self.folder / "tables", expect=0)
        self.assertEqual(sorted(f.name for f in (self.folder / "tables").iterdir()), ["events.parquet", "frames.parquet", "values.parquet"])
        table = self.table(self.folder / "tables" / "frames.parquet")
        self.assertEqual({f.name: str(f.type) for f in table.schema},
                         {"frame": "int64", "time": "timestamp[ns, tz=UTC]", "sample": "string", "sha256": "string", "label": "int64", "latency_ns": "int64",
                          "level": "string", "model_output/scores": "list<element: double>", "lux": "double", "count": "int64", "huge": "uint64",
                          "variable/label": "double", "vector": "list<element: double>", "note": "string", "odd": "string", "span/resize": "int64"})
        rows = table.to_pylist()
        for frame, row in enumerate(rows):
            lost = frame == 2
            self.assertEqual({**row, "time": time_ns(row["time"])},
                             {"frame": frame, "time": None if lost else START + frame * 40_000_001, "sample": None if lost else "hund/ä=1.png", "sha256": None,
                              "label": None if lost or frame == 1 else frame, "latency_ns": None if lost else 1_500_000 + frame,
                              "level": "layers" if frame < 2 else "io", "model_output/scores": [0.25, 0.75] if frame % 2 == 0 else [0.75, 0.25],
                              "lux": 100.5 + frame, "count": BIG + frame, "huge": 2**64 - 1, "variable/label": 0.5, "vector": [frame, -1, 0.5],
                              "note": "=1+1 dämmrig\n\0" if frame else "", "odd": '{"a": "\ufffd"}', "span/resize": 2_500_000 + frame})
        values = self.table(self.folder / "tables" / "values.parquet")
        events = self.table(self.folder / "tables" / "events.parquet")
        self.assertIn(f"{values.num_rows + events.num_rows + 4} rows of", done.out)

    def test_events(self):
        trace(self.trace)
        run("trace", "export", self.trace, "--parquet", self.folder / "tables", expect=0)
        table = self.table(self.folder / "tables" / "events.parquet")
        names = ["kind", "name", "time", "frame", "index", "value", "unit", "text"]
        self.assertEqual(table.column_names, names)
        rows = [tuple(time_ns(row[name]) if name == "time" else row[name] for name in names) for row in table.to_pylist()]
        for frame in range(4):
            time = START + frame * 40_000_001
            for wanted in (("variable", "lux", time, frame, None, 100.5 + frame, None, None), ("variable", "vector", time, frame, 2, 0.5, None, None),
                           ("variable", "odd", time, frame, None, None, None, '{"a": "\ufffd"}'),
                           ("span", "resize", time - 5_000_000, frame, None, 2_500_000.0 + frame, "ns", None)):
                self.assertEqual(rows.count(wanted), 1, wanted)
        self.assertEqual(rows[-7:], [("sensor", "accelerometer", START, 1, 0, 1.5, "m/s^2", None), ("sensor", "accelerometer", START, 1, 1, -2.0, "m/s^2", None),
                                     ("sensor", "accelerometer", START, 1, 2, 9.81, "m/s^2", None), ("sensor", "soc", START, None, None, 41.25, "C", None),
                                     ("sensor", "soc", START + 1, None, None, None, "C", "absent"), ("mark", "camera", START, 0, None, None, None, "restarted"),
                                     ("level", "", START, 1, None, None, None, "layers to io: time share")])
        self.assertEqual(len(rows), 4 * (1 + 1 + 1 + 1 + 3 + 1 + 1 + 1) + 7)

    def test_large_tables_have_row_groups_that_a_query_can_pass_over(self):
        values = np.random.default_rng(1).normal(size=(5, 150_000)).astype(np.float32)
        with open(self.trace, "wb") as out:
            w = Writer(out, compression=CompressionType.ZSTD)
            w.start(profile="edgeprobe", library="test")
            channel = w.register_channel("/layer/conv", "x-tensor", 0, {"dtype": "float32", "shape": "150000"})
            for frame, row in enumerate(values):
                w.add_message(channel, log_time=START, publish_time=START, sequence=frame, data=row.tobytes())
            w.finish()
        path = self.folder / "t.parquet"
        run("trace", "export", self.trace, "--parquet", path, expect=0)
        about = pq.ParquetFile(path).metadata
        self.assertGreater(about.num_row_groups, 2)
        self.assertEqual([(c.statistics.min, c.statistics.max, c.statistics.null_count) for c in [about.row_group(0).column(0)]], [(0, 1, 0)])
        values_found = about.row_group(0).column(8).statistics
        self.assertEqual((values_found.min, values_found.max), (values.ravel()[:about.row_group(0).num_rows].min(), values.ravel()[:about.row_group(0).num_rows].max()))
        self.assertEqual({about.row_group(0).column(c).compression for c in range(9)}, {"ZSTD"})
        self.assertEqual(about.format_version, "2.6")
        self.assertLess(path.stat().st_size, values.nbytes * 2.5, "names and numbers of frames cost nothing")
        table = pq.ParquetFile(path, page_checksum_verification=True).read()
        np.testing.assert_array_equal(table.column("value").to_numpy(), values.ravel().astype(np.float64))
        np.testing.assert_array_equal(table.column("index").to_numpy(), np.tile(np.arange(150_000), 5))
        found = duckdb.sql(f"SELECT sum(value), count(*), min(tensor) FROM '{path}' WHERE frame = 3").fetchall()[0]
        self.assertAlmostEqual(found[0], values[3].astype(np.float64).sum(), places=6)
        self.assertEqual(found[1:], (150_000, "conv"))

    def test_the_query_of_the_page_runs(self):
        trace(self.trace)
        run("trace", "export", self.trace, "--parquet", self.folder / "tables", expect=0)
        query = re.search(r"```sql\n(.*?)```", (ROOT / "docs" / "reference" / "verbs.md").read_text(), re.S).group(1)
        found = duckdb.sql(query.replace("'tables/", f"'{self.folder}/tables/")).fetchall()
        self.assertEqual(sorted(found, key=repr), sorted([(False, (100.5 + 103.5) / 2), (None, (101.5 + 102.5) / 2)], key=repr))
        self.assertEqual(len(pandas.read_parquet(self.folder / "tables" / "frames.parquet")), 4)

    def test_a_trace_without_frames_gives_empty_tables(self):
        with open(self.trace, "wb") as out:
            w = Writer(out)
            w.start(profile="edgeprobe", library="test")
            w.finish()
        run("trace", "export", self.trace, "--parquet", self.folder / "tables", expect=0)
        self.assertEqual([self.table(self.folder / "tables" / f"{name}.parquet").num_rows for name in ("frames", "events", "values")], [0, 0, 0])

    def test_nothing_is_overwritten_and_nothing_is_left_behind(self):
        trace(self.trace)
        tables = self.folder / "tables"
        tables.mkdir()
        (tables / "values.parquet").write_bytes(b"mine")
        self.assertIn("not overwritten", run("trace", "export", self.trace, "--parquet", tables, expect=2).err)
        self.assertEqual([f.name for f in tables.iterdir()], ["values.parquet"])
        self.assertEqual((tables / "values.parquet").read_bytes(), b"mine")
        run("trace", "export", self.trace, "--parquet", tables, "--force", expect=0)
        self.assertEqual(len(list(tables.iterdir())), 3)
        new = self.folder / "new"
        run("trace", "export", self.trace, "--parquet", new, "--tensor", "nothing", expect={1, 2})
        self.assertFalse(new.exists())
        self.assertIn("cannot make this folder", run("trace", "export", self.trace, "--parquet", self.trace / "x", expect=2).err)
        run("trace", "export", self.trace, "--parquet", self.trace, "--force", expect=2)

    def without_pyarrow(self, name="bare"):
        """A Python without packages."""
        bare = self.folder / name
        bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
        bare.chmod(0o755)
        return bare

    def test_without_pyarrow_a_sentence_says_what_installs_it(self):
        trace(self.trace)
        bare = self.without_pyarrow()
        done = run("trace", "export", self.trace, "--parquet", self.folder / "tables", "--python", bare, expect=1)
        self.assertIn("--parquet needs PyArrow", done.err)
        self.assertIn(f"'{bare} -m pip install pyarrow' installs it", done.err)
        self.assertFalse((self.folder / "tables").exists())
        done = run("trace", "export", self.trace, "--parquet", self.folder / "t.parquet", "--python", self.folder / "nowhere", expect=1)
        self.assertIn("cannot be started", done.err)
        self.assertFalse((self.folder / "t.parquet").exists())

    def test_a_python_without_pyarrow_gives_way_to_the_kept_one(self):
        trace(self.trace)
        os.environ["EDGEPROBE_PYTHON"] = str(self.without_pyarrow())
        kept = self.folder / "cache" / "edgeprobe" / f"parquet-pyarrow-{hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]}"
        (kept / "bin").mkdir(parents=True)
        os.chmod(kept.parent, 0o700)
        os.chmod(kept, 0o700)
        (kept / "ready").touch()
        (kept / "bin" / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        (kept / "bin" / "python").chmod(0o755)
        run("trace", "export", self.trace, "--parquet", self.folder / "t.parquet", expect=0, env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")})
        self.assertGreater(self.table(self.folder / "t.parquet").num_rows, 0)
        # If nothing can be stored, nothing is downloaded; the sentence still contains the command.
        bare = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME")}
        done = run("trace", "export", self.trace, "--parquet", self.folder / "u.parquet", expect=2, env=bare)
        self.assertIn("-m pip install pyarrow", done.err)
        self.assertIn("HOME", done.err)

    def test_an_output_that_cannot_be_made_is_told_before_pyarrow_is_looked_for(self):
        trace(self.trace)
        (self.folder / "t.parquet").write_bytes(b"mine")
        done = run("trace", "export", self.trace, "--parquet", self.folder / "t.parquet", "--python", self.folder / "nowhere", expect=2)
        self.assertIn("not overwritten", done.err)
        self.assertEqual((self.folder / "t.parquet").read_bytes(), b"mine")

    def test_pyarrow_that_dies_or_fails_leaves_nothing(self):
        trace(self.trace)
        site = self.folder / "site"
        (site / "pyarrow").mkdir(parents=True)
        (site / "pyarrow" / "parquet.py").touch()
        dies = "import os, signal\n__version__ = '0'\ndef __getattr__(name): os.kill(os.getpid(), signal.SIGKILL)\n"
        for said, text in (("SIGKILL", dies), ("PyArrow cannot write it: AttributeError", "__version__ = '0'\n")):
            (site / "pyarrow" / "__init__.py").write_text(text)
            done = run("trace", "export", self.trace, "--parquet", self.folder / "tables", expect=1, env={**os.environ, "PYTHONPATH": str(site)})
            self.assertIn(said, done.err)
            self.assertFalse((self.folder / "tables").exists())

    def large(self):
        with open(self.trace, "wb") as out:
            w = Writer(out, compression=CompressionType.ZSTD)
            w.start(profile="edgeprobe", library="test")
            channel = w.register_channel("/layer/conv", "x-tensor", 0, {"dtype": "float32", "shape": "1000000"})
            values = np.random.default_rng(1).normal(size=1_000_000).astype(np.float32).tobytes()
            for frame in range(60):
                w.add_message(channel, log_time=START, publish_time=START, sequence=frame, data=values)
            w.finish()

    def test_ctrl_c_ends_both_programs_and_leaves_nothing(self):
        self.large()
        before = set(os.listdir(self.folder))
        process = subprocess.Popen([tool.EXECUTABLE, "trace", "export", self.trace, "--parquet", self.folder / "tables"], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        started = wait_for(lambda: [child for child in children(process.pid) if is_busy(child)])
        interrupt(process)
        _, err = process.communicate(timeout=tool.PATIENCE)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn(b"nothing was written", err)
        self.assertEqual(set(os.listdir(self.folder)), before)
        self.assertTrue(started)
        self.assertFalse(any(os.path.exists(f"/proc/{child}") for child in started))

    def test_a_full_disk_is_told_and_leaves_nothing(self):
        self.large()
        done = subprocess.run(["sh", "-c", 'ulimit -f 20000; exec "$@"', "sh", tool.EXECUTABLE, "trace", "export", self.trace, "--parquet", self.folder / "t.parquet"],
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=tool.PATIENCE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"t.parquet': cannot write", done.stderr)
        self.assertFalse((self.folder / "t.parquet").exists())


if __name__ == "__main__":
    tool.main()
