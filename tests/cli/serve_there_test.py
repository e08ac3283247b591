# SPDX-License-Identifier: Apache-2.0
"""run --there: the target decodes, prepares and records; the trace that comes back equals the local one."""
import hashlib
import io
import json
import struct
import subprocess

import numpy as np
from mcap.reader import make_reader

import kenning
import tool
from processes import interrupt, wait_for
from serve_test import CutOnce, Server
from tool import MODELS, RECIPE, run

PICTURES = MODELS / "data" / "test"
DATA = ["--data", PICTURES, "--labels", MODELS / "data" / "labels.csv"]
MODEL = MODELS / "signs_float.tflite"
EXTENSION, OFFER, UPLOAD, RUN, TRACE = 0x42525045, 2, 3, 11, 12


def contents(trace):
    """The contents of a trace except for times: {(topic, number of its message): bytes}, metadata."""
    values, counts, metadata = {}, {}, {}
    with open(trace, "rb") as file:
        reader = make_reader(file)
        for schema, channel, message in reader.iter_messages():
            place = (channel.topic, counts.setdefault(channel.topic, 0))
            counts[channel.topic] += 1
            data = message.data
            if channel.topic == "/frame":
                data = {key: value for key, value in json.loads(data).items() if key not in ("latency_ns", "time_ns")}
            values[place] = data, dict(channel.metadata), channel.message_encoding
    with open(trace, "rb") as file:
        for record in make_reader(file).iter_metadata():
            if record.name == "edgeprobe.run":
                metadata = {key: value for key, value in record.metadata.items() if key != "crc32"}
    return values, metadata


class Wire:
    """Hand-written requests of the extension, one at a time."""

    def __init__(self, server):
        self.socket, self.number = server.connect(), 0

    def ask(self, kind, body):
        self.number += 1
        self.socket.sendall(kenning.frame("g4", EXTENSION, struct.pack("<IHH", self.number, kind, 0) + body))
        stream = b""
        while not (messages := kenning.split(stream, "g4")[0]):
            got = self.socket.recv(1 << 20)
            assert got, "the server closed"
            stream += got
        request, answered, code = struct.unpack("<IHH", messages[0][3][:8])
        assert (request, answered) == (self.number, kind)
        return code, messages[0][3][8:]

    def upload(self, data):
        digest = hashlib.sha256(data).digest()
        assert self.ask(OFFER, digest + struct.pack("<Q", len(data)))[0] == 0
        assert self.ask(UPLOAD, digest + struct.pack("<Q", 0) + data)[0] == 0
        return digest

    def run(self, model, pictures, plan, name=b"m.tflite", options=b"{}"):
        text = plan if isinstance(plan, bytes) else json.dumps(plan).encode()
        return self.ask(RUN, self.upload(model) + self.upload(pictures) + sized(name) + sized(options) + sized(text))

    def trace(self):
        """The trace, and the code and the words of its end."""
        trace = b""
        while True:
            code, body = self.ask(TRACE, b"\0")
            assert code == 0, body
            ended, done, every, size = struct.unpack("<BQQQ", body[:25])
            body = body[25 + size:]
            size = struct.unpack("<Q", body[:8])[0]
            trace += body[8:8 + size]
            body = body[8 + size:]
            if ended:
                return trace, struct.unpack("<H", body[:2])[0], body[10:].decode()


def sized(value):
    return struct.pack("<Q", len(value)) + value


def plan_of(pictures, **changes):
    samples = [{"bytes": len(data), "record": json.dumps({"sample": name})} for name, data in pictures]
    plan = {"recipe": RECIPE, "level": "io", "raw": "none", "undeclared": False, "layer_times": False, "capture_budget": 1 << 28, "most_bytes": 1 << 30, "dataset": "d", "samples": samples}
    return {**plan, **changes}


class There(tool.ToolTest):
    def record(self, name, *flags, expect=0, frames=6, **more):
        return run("run", MODEL, "--recipe", RECIPE, *DATA, "--frames", frames, "--trace", self.folder / name, *flags, expect=expect, **more)

    def test_the_trace_is_that_of_this_machine(self):
        with Server() as server:
            for flags in (["--level", "layers"], ["--raw", "pixels"], ["--level", "embedding", "--undeclared", "--raw", "none"]):
                here = self.record("here.mcap", "--force", *flags)
                there = self.record("there.mcap", "--force", "--target", "tcp://" + server.address, "--there", *flags)
                self.assertEqual(here.out.split(" frames")[0].split(": ")[1], there.out.split(" frames")[0].split(": ")[1])
                ours, about = contents(self.folder / "here.mcap")
                theirs, about_theirs = contents(self.folder / "there.mcap")
                self.assertEqual(list(ours), list(theirs))
                self.assertEqual(ours, theirs)
                self.assertEqual(about, about_theirs)
            summary = json.loads(self.record("j.mcap", "--target", "tcp://" + server.address, "--there", "--level", "layers", "--layer-times", "--json", "-").out)
            self.assertEqual(summary["bytes"], (self.folder / "j.mcap").stat().st_size)
            self.assertGreater(summary["layer_times"]["kernels"], 5)
            self.assertEqual((summary["frames"], summary["interrupted"], summary["unreadable"]), (6, False, []))
        run("diagnose", self.folder / "j.mcap", "--reference", MODEL, "--reference-recipe", RECIPE, expect=0)

    def test_a_picture_that_cannot_be_read_is_left_out(self):
        folder = self.folder / "pictures"
        folder.mkdir()
        for path in sorted(PICTURES.rglob("*.jpg"))[:2] or sorted(PICTURES.rglob("*.png"))[:2]:
            (folder / path.name).write_bytes(path.read_bytes())
        (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n")
        with Server() as server:
            done = run("run", MODEL, "--recipe", RECIPE, "--data", folder, "--trace", self.folder / "t.mcap", "--target", "tcp://" + server.address, "--there", "--json", "-", expect=0)
        summary = json.loads(done.out)
        self.assertEqual((summary["frames"], [one["sample"] for one in summary["unreadable"]]), (2, ["broken.png"]))

    def test_what_is_not_done_there_is_said(self):
        np.savez(self.folder / "t.npz", input=np.zeros((2, 32, 32, 3), np.float32))
        (self.folder / "labels.csv").write_text("file,label\n" + "".join(f"{p.relative_to(PICTURES)},999\n" for p in sorted(PICTURES.rglob("*.*"))))
        with Server("--models", "100KB") as server:
            target = ["--target", "tcp://" + server.address, "--there"]
            wrong = [
                (["--there"], DATA, 2, "Give its --target"),
                (target, ["--data", self.folder / "t.npz"], 2, "recorded tensors is not done there"),
                ([*target, "--recipe", RECIPE + " || softmax"], DATA, 2, "after the model"),
                ([*target, "--sensors"], DATA, 2, "sensors is not done there"),
                (["--target", "kenning://" + server.address, "--there"], DATA, 2, "kenning"),
                (target, DATA, 2, "larger than this server takes"),
            ]
            for flags, data, code, words in wrong:
                recipe = [] if "--recipe" in flags or "t.npz" in str(data) else ["--recipe", RECIPE]
                done = run("run", MODEL, *recipe, *data, "--trace", self.folder / "t.mcap", *flags)
                with self.subTest(words=words):
                    self.assertIn(words, (done.out + done.err).lower() if words == "kenning" else done.out + done.err)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertFalse((self.folder / "t.mcap").exists())
        with Server() as server:
            done = run("run", MODEL, "--recipe", RECIPE, "--data", PICTURES, "--labels", self.folder / "labels.csv", "--trace", self.folder / "t.mcap", "--target", "tcp://" + server.address, "--there", expect=2)
            self.assertIn("is of class 999", done.err)
            self.assertFalse((self.folder / "t.mcap").exists())
            self.record("t.mcap", "--target", "tcp://" + server.address, "--there")

    def test_a_cut_leaves_the_frames_that_came(self):
        with Server() as server, CutOnce(server, after=300) as way:
            done = self.record("cut.mcap", "--level", "layers", "--target", way.address, "--there", frames=200, expect=None)
            self.assertEqual(way.cuts, 1)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("the trace ends where the target was lost", done.err)
            info = json.loads(run("trace", "info", self.folder / "cut.mcap", "--json", "-", expect=0).out)
            self.assertGreater(info["frames"], 0)
            self.record("again.mcap", "--target", "tcp://" + server.address, "--there")

    def test_ctrl_c_keeps_what_is_done(self):
        with Server() as server:
            running = subprocess.Popen([tool.EXECUTABLE, "run", MODEL, "--recipe", RECIPE, *map(str, DATA), "--level", "layers", "--layer-times", "--trace", self.folder / "t.mcap", "--target", "tcp://" + server.address, "--there"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            wait_for((self.folder / "t.mcap").exists)
            interrupt(running)
            out, err = running.communicate(timeout=tool.PATIENCE)
            if running.returncode != 0:  # In the other case, it finished before the signal came.
                self.assertEqual(running.returncode, 130, out + err)
            self.record("next.mcap", "--target", "tcp://" + server.address, "--there")

    def test_requests_by_hand(self):
        model = MODEL.read_bytes()
        files = sorted(p for p in PICTURES.rglob("*") if p.is_file())[:3]
        pictures = [(f"../../{path.name}", path.read_bytes()) for path in files]
        every = b"".join(data for _, data in pictures)
        good = plan_of(pictures)
        with Server() as server:
            wire = Wire(server)
            self.assertEqual(wire.ask(TRACE, b"\0")[0], 1)
            self.assertEqual(wire.ask(RUN, bytes(10))[0], 3)
            self.assertEqual(wire.ask(RUN, bytes(64) + sized(b"m") + sized(b"{}") + sized(json.dumps(good).encode()))[:1], (1,))
            for plan, code, words in (
                (b"{", 1, "cannot be read"), (b"[" * 100000, 1, "nested"), (b"[]", 1, "not an object"),
                ({**good, "level": "all"}, 1, "level 'all'"), ({**good, "most_bytes": -1}, 1, "most_bytes"), ({**good, "samples": 3}, 1, "samples"),
                ({**good, "samples": [{"bytes": 1.5, "record": "{}"}]}, 1, "bytes"), ({**good, "samples": [{"bytes": 1, "record": "nonsense"}]}, 3, ""),
                ({key: value for key, value in good.items() if key != "recipe"}, 1, "recipe"),
            ):
                got, answer = wire.run(model, every, plan)
                self.assertEqual(got, code, (plan, answer))
                self.assertIn(words, answer.decode())
            # An unreadable plan does not consume the pictures.
            self.assertEqual(wire.ask(OFFER, hashlib.sha256(every).digest() + struct.pack("<Q", len(every))), (0, struct.pack("<Q", len(every))))
            self.assertEqual(wire.run(b"no model", every, good)[0], 3)
            self.assertIn(b"operator's choice", wire.run(model, every, good, options=json.dumps({"folder": "/etc"}).encode())[1])
            # Errors that occur during the run come with the trace.
            for plan, data, words in (
                ({**good, "recipe": "resize(1x1"}, every, ""), ({**good, "recipe": RECIPE + " || argmax"}, every, "the client runs the part of a recipe after the model"),
                (good, every[:-1], "shorter"), (good, every + b"x", "longer"), ({**good, "most_bytes": 10}, every, "the limit is"),
                ({**good, "samples": []}, b"x", "longer"),
            ):
                self.assertEqual(wire.run(model, data, plan)[0], 0)
                trace, code, end = wire.trace()
                self.assertNotEqual(code, 0)
                self.assertIn(words, end)
            # A run that no client fetches is aborted for the next one, and at the end of the connection.
            self.assertEqual(wire.run(model, every, {**good, "level": "layers"})[0], 0)
            self.assertEqual(wire.run(model, every, good, name=b"../../../etc/passwd")[0], 0)
            trace, code, end = wire.trace()
            self.assertEqual((code, json.loads(end)["frames"]), (0, 3))
            self.assertEqual(wire.ask(TRACE, b"\0")[0], 1)
            self.assertEqual(wire.run(model, every, good)[0], 0)
            wire.socket.close()
            wire = Wire(server)
            self.assertEqual(wire.ask(TRACE, b"\0")[0], 1)
        frames = [json.loads(message.data) for schema, channel, message in make_reader(io.BytesIO(trace)).iter_messages() if channel.topic == "/frame"]
        self.assertEqual([frame["sample"] for frame in frames], [name for name, _ in pictures])
        self.assertEqual([frame["sha256"] for frame in frames], [hashlib.sha256(data).hexdigest() for _, data in pictures])


if __name__ == "__main__":
    tool.main()
