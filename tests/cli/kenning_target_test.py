# SPDX-License-Identifier: Apache-2.0
"""--target kenning://: recorded Kenning servers are replayed to our client, which must request the same as their own clients; and our own server, in
every generation."""
import contextlib
import json
import re
import socket
import threading
import time

import numpy as np

import kenning
import tool
import traces
from serve_test import LOGS, SHARED, Server, recorded
from tool import MODELS, PATIENCE, RECIPE, run

MODEL_FILES = [SHARED / "models" / name for name in ("litert_testdata/add.bin", "litert_testdata/add_quantized_int8.bin", "onnx/mnist.onnx")]
LETTERS = {2: "D", 3: "M", 4: "P", 5: "O", 6: "S", 7: "I"}
NAMES = {"D": "DATA", "M": "MODEL", "P": "PROCESS", "O": "OUTPUT", "S": "STATS", "I": "IO_SPEC"}
# Requests of other clients that ours does not send, with the reason, by file name.
NOT_OURS = {
    "skip-model": "ours sends its model always",
    "data-before-iospec": "ours sends IO_SPEC first",
    "no-iospec-file": "the same",
    "junk-model": "ours does not send what it cannot read",
    "empty-model": "the same",
    "data-too-long": "ours sends what the model takes",
    "int8-inputs-as-float": "ours sends codes",
    "int8-inputs-prequantised-spec": "ours does not ask the server to quantise",
    "pipelined": "ours waits for each answer",
}
# The action byte of a successful reply in g3 and g4, by request.
ACTIONS = {7: b"\2", 3: b"\3", 2: b"\5", 4: b"\6"}
TIME_LIMIT = "2"


def manner(head):
    """The generation in the form of addresses."""
    return {"g1-quant": "g1", "g2-early": "g2"}.get(head["generation"], head["generation"])


def parsed(generation):
    return "g1" if generation.startswith("g1") else generation


class Recorded:
    """One connection of a recording: its client's bytes, and the server's answers to each request."""

    def __init__(self, path, conn=0):
        self.path, self.conn = path, conn
        self.head, events = recorded(path)
        self.generation = manner(self.head)
        self.greeting, self.requests, self.answers, stream = b"", [], [], b""
        self.sent = b""
        for event in events:
            if event.get("conn") != conn or "hex" not in event:
                continue
            data = bytes.fromhex(event["hex"])
            if event["dir"] == "c2s":
                self.sent += data
                self.requests = kenning.split(self.sent, parsed(self.generation))[0]
                self.answers += [[] for _ in range(len(self.requests) - len(self.answers))]
            elif not self.requests:
                self.greeting += data
            else:
                self.answers[-1].append(data)
        self.letters = "".join(LETTERS.get(request[0], "?") for request in self.requests)

    def is_ours(self):
        rest = kenning.split(self.sent, parsed(self.generation))[1]
        whole = re.fullmatch(r"I?M(DPO)*(D|DP|DPO)?S?|I", self.letters) and not rest
        # Their types were recorded before real clients had IO_SPEC.
        return bool(whole) and self.path.stem not in NOT_OURS and not any(b"prequantized" in r[3] for r in self.requests) and ("I" in self.letters) == (self.generation != "g1")

    def replies(self, index):
        """The replies to one request, without LOGS and message types that no client handles."""
        messages = kenning.split(b"".join(self.answers[index]), parsed(self.generation))[0]
        return [m for m in messages if self.generation[:2] in ("g1", "g2") or m[0] == self.requests[index][0]]

    def model(self):
        payload = self.requests[self.letters.index("M")][3] if "M" in self.letters else MODEL_FILES[0].read_bytes()
        return next((file for file in MODEL_FILES if file.read_bytes() == payload), None)


class Play:
    """Replays the server of a recording to one client. A stand-in: it answers only from the log."""

    def __init__(self, session):
        self.session, self.stream, self.reset = session, b"", None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"kenning://127.0.0.1:{self.listener.getsockname()[1]}?generation={session.generation}"
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        try:
            client = self.listener.accept()[0]
        except OSError:  # No client connected.
            return
        self.listener.close()  # A recording is of one client; further clients are not served.
        with client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client.sendall(self.session.greeting)
            answered = 0
            while True:
                try:
                    data = client.recv(1 << 16)
                except ConnectionResetError:
                    self.reset = True
                    return
                if not data:
                    self.reset = False
                    return
                self.stream += data
                whole = len(kenning.split(self.stream, parsed(self.session.generation))[0])
                while answered < min(whole, len(self.session.answers)):
                    for piece in self.session.answers[answered]:
                        client.sendall(piece)
                        time.sleep(0.002)
                    answered += 1
                if answered < whole or ("closes" in self.session.path.stem and answered == len(self.session.requests)):
                    return  # The server's behaviour beyond its log is unknown.

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
        self.thread.join(timeout=PATIENCE)


class RecordedServers(tool.ToolTest):
    """Each recorded server whose client made the same requests as ours."""

    def setUp(self):
        super().setUp()
        if not LOGS.exists():
            self.skipTest("no recordings: EDGEPROBE_SHARED_DATA")

    def inputs(self, session, model):
        """The model inputs that the recorded client sent, in the form that our client takes."""
        spec = {"add.bin": ("<f4", (1, 8, 8, 3)), "add_quantized_int8.bin": ("i1", (1, 8, 8, 3)), "mnist.onnx": ("<f4", (1, 1, 28, 28))}[model.name]
        arrays = []
        for request in session.requests:
            if request[0] != 2:
                continue
            values = np.frombuffer(request[3], "<f4" if session.generation == "g1" else spec[0])
            if session.generation == "g1" and spec[0] == "i1":
                values = self.codes(values)
            arrays.append(values.reshape(spec[1]))
        return np.concatenate(arrays) if arrays else np.zeros((1, *spec[1][1:]), spec[0])

    @staticmethod
    def codes(values):
        """A g1 server's conversion of floats for the int8 model: truncation."""
        return np.clip((values.astype(np.float32) / np.float32(0.003922) + 0), -128, 127).astype(np.int8)

    def play(self, session):
        model = session.model()
        data = self.folder / "in.npz"
        np.savez(data, x=self.inputs(session, model))
        trace = self.folder / "t.mcap"
        trace.unlink(missing_ok=True)
        target = self.folder / ("m.onnx" if model.suffix == ".onnx" else "m.tflite")
        target.write_bytes(model.read_bytes())
        with Play(session) as play:
            limit = PATIENCE if self.works(session) else TIME_LIMIT
            done = run("run", target, "--target", play.address, "--data", data, "--trace", trace, "--time-limit", limit)
        self.assertIsNot(play.reset, True, "an unread answer resets the connection")
        return done, play, trace

    def compare_requests(self, session, play):
        """Our requests must equal the recorded ones as far as they go: byte for byte, except for the text of IO_SPEC."""
        ours = kenning.split(play.stream, parsed(session.generation))[0]
        self.assertTrue(ours, "nothing was asked")
        # Our client gives up earlier than some clients did, and then ends with STATS.
        if ours[-1][0] == 6 and session.requests[len(ours) - 1 : len(ours)] and session.requests[len(ours) - 1][0] != 6:
            ours.pop()
        equal = True
        for mine, theirs in zip(ours, session.requests):
            self.assertEqual(mine[0], theirs[0])
            if mine[0] == 7:
                equal = False
                a, b = json.loads(mine[3]), json.loads(theirs[3])
                for side in ("input", "output"):
                    self.assertEqual([t["shape"] for t in a[side]], [t["shape"] for t in b[side]])
                    self.assertEqual([t["dtype"] for t in a[side]], [t["dtype"] for t in b[side]])
                    np.testing.assert_allclose([t.get("scale", 0) for t in a[side]], [t.get("scale", 0) for t in b[side]], rtol=1e-6)
            elif mine[0] == 6 and theirs[0] == 6:
                self.assertEqual(mine[3], b"")
            elif mine[0] == 2 and session.generation == "g1" and session.path.stem == "good-int8":
                np.testing.assert_array_equal(self.codes(np.frombuffer(mine[3], "<f4")), self.codes(np.frombuffer(theirs[3], "<f4")))
            else:
                self.assertEqual((mine[1], mine[3]), (theirs[1], theirs[3]))
                self.assertIn(mine[2], (0x38, 0x30))
        return ours

    def check_outputs(self, session, trace):
        recorded_outputs = [session.replies(i)[-1][3] for i, request in enumerate(session.requests) if request[0] == 5]
        array = next(values for name, values in traces.exported(trace).items() if name.startswith("model_output/"))
        self.assertEqual(len(array), len(recorded_outputs))
        for mine, theirs in zip(array, recorded_outputs):
            if session.generation == "g1" and mine.dtype == np.int8:
                np.testing.assert_allclose(mine.ravel() * np.float32(0.003922), np.frombuffer(theirs, "<f4"), atol=1e-6)
            else:
                self.assertEqual(mine.tobytes(), theirs)

    def test_recorded_servers_are_asked_as_their_clients_asked(self):
        good, bad, same = 0, 0, 0
        for path in sorted(LOGS.glob("*/*.jsonl")):
            head, events = recorded(path)
            if head["transport"] != "tcp":
                continue
            for conn in sorted({event["conn"] for event in events if "conn" in event}):
                session = Recorded(path, conn)
                if not session.is_ours() or session.model() is None:
                    continue
                with self.subTest(path=f"{path.parent.name}/{path.name}", conn=conn):
                    done, play, trace = self.play(session)
                    self.compare_requests(session, play)
                    if self.works(session):
                        self.assertEqual(done.returncode, 0, done.out + done.err)
                        self.check_outputs(session, trace)
                        good += 1
                        same += play.stream == session.sent[: len(play.stream)]
                    else:
                        self.assertEqual(done.returncode, 1, done.out + done.err)
                        # The request without an answer is named.
                        failed = self.failed(session)
                        self.assertIn(NAMES[failed], done.err)
                        self.assertNotIn("Traceback", done.err)
                        bad += 1
        print(f"{good} good sessions ({same} the same to the byte), {bad} failing ones")
        self.assertGreaterEqual(good, 70)
        self.assertGreaterEqual(bad, 40)

    @staticmethod
    def answered(session, index):
        replies = session.replies(index)
        wanted = 2 if session.generation.startswith("g1") and session.requests[index][0] == 4 else 1
        if session.generation[0:2] not in ("g1", "g2") and replies and replies[0][0] in ACTIONS and replies[0][3] not in (b"", ACTIONS[replies[0][0]]):
            return False
        return len(replies) >= wanted and all(kenning.succeeded(reply, parsed(session.generation)) for reply in replies[:wanted])

    def failed(self, session):
        """The first request without the answer that our client expects."""
        letters = session.letters.rstrip("S")
        if session.path.stem == "two-oks":  # An answer of g1 to a client of g2: the second OK is taken for the output.
            return "O"
        for i, letter in enumerate(letters):
            if not self.answered(session, i):
                return letter
        return {"I": "M", "M": "D", "D": "P", "P": "O"}[letters[-1]]

    def works(self, session):
        letters = session.letters.rstrip("S")
        return session.path.stem != "two-oks" and letters.endswith("O") and all(self.answered(session, i) for i in range(len(letters)))


GENERATIONS = ("g1", "g1-iospec", "g2", "g3", "g3-late", "g4")
DATA = ["--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv", "--frames", 4]


class OwnServer(tool.ToolTest):
    """Our client and our server, in every generation: the remote run equals the local run."""

    def address(self, server, generation):
        return f"kenning://{server.address}?generation={generation}"

    def record(self, name, model, *flags):
        (self.folder / name).unlink(missing_ok=True)
        recipe = RECIPE + (" | quantize(model)" if "int8" in model else "")
        return run("run", MODELS / model, "--recipe", recipe, *DATA, "--trace", self.folder / name, *flags, expect=0)

    def differences(self, a, b):
        outcome = run("compare", self.folder / a, self.folder / b, "--json", "-", expect=0)
        return {layer["rmse"] for layer in json.loads(outcome.out)["layers"]}

    def test_outputs_and_layers_are_those_of_this_machine(self):
        for model in ("signs_float.tflite", "signs_int8.tflite"):
            self.record("here.mcap", model, "--level", "layers")
            for generation in GENERATIONS:
                # Integer layers cannot be sent by a server of g1.
                level = "io" if model == "signs_int8.tflite" and generation == "g1" else "layers"
                with self.subTest(model=model, generation=generation), Server("--protocol", generation.split("-iospec")[0]) as server:
                    self.record("there.mcap", model, "--level", level, "--target", self.address(server, generation))
                    self.assertEqual(self.differences("here.mcap", "there.mcap"), {0.0})
                    way = traces.metadata(self.folder / "there.mcap")["edgeprobe.target"]
                    way.pop("crc32", None)
                    self.assertEqual(len(way.pop("beyond_us").split(",")), 4)
                    self.assertEqual(way.pop("reached_by"), "kenning")
                    self.assertEqual(way.pop("latencies"), "of the whole exchange, network included")
                    self.assertEqual(sorted(way), ["device_us_median", "device_us_p90", "transport_us_median", "transport_us_p90"])
                    self.assertTrue(all(0 < float(v) < 1e7 for v in way.values()), way)

    def test_a_server_that_detects_is_reached_too(self):
        self.record("here.mcap", "signs_float.tflite")
        for generation in GENERATIONS:
            with self.subTest(generation=generation), Server() as server:
                self.record("there.mcap", "signs_float.tflite", "--target", self.address(server, generation))
                self.assertEqual(self.differences("here.mcap", "there.mcap"), {0.0})

    def test_check_says_what_it_says_here(self):
        bgr = RECIPE.replace("color(rgb)", "color(bgr)")
        common = ["--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE, *DATA[:-1], 40]
        here = run("check", MODELS / "signs_float.tflite", "--recipe", bgr, *common, expect=3)
        with Server() as server:
            there = run("check", MODELS / "signs_float.tflite", "--recipe", bgr, "--target", self.address(server, "g4"), *common, expect=3)
        # Such a server does not report its engine.
        verdict, told = ([line for line in done.out.splitlines() if "target.engine" not in line and "target.kernels" not in line] for done in (here, there))
        self.assertEqual(verdict, told)
        self.assertGreater(len(verdict), 20)

    def test_replay_and_diagnose_run_the_model_there(self):
        bgr, float_model = RECIPE.replace("color(rgb)", "color(bgr)"), MODELS / "signs_float.tflite"
        self.record("here.mcap", "signs_float.tflite")
        run("run", float_model, "--recipe", bgr, *DATA[:-1], 12, "--trace", self.folder / "bgr.mcap", expect=0)
        with Server() as server:
            target = ["--target", self.address(server, "g3")]
            run("replay", self.folder / "here.mcap", float_model, "--recipe", RECIPE, "--trace", self.folder / "again.mcap", *target, expect=0)
            found = run("diagnose", self.folder / "bgr.mcap", "--reference", float_model, "--reference-recipe", RECIPE, "--model", float_model, *target, expect=3)
        self.assertEqual(self.differences("here.mcap", "again.mcap"), {0.0})
        self.assertIn("the app feeds BGR", found.out)

    def test_bench_takes_the_times_of_the_device(self):
        with Server() as server:
            done = run("bench", MODELS / "signs_float.tflite", "--target", self.address(server, "g4"), "--runs", 20, "--json", self.folder / "b.json", expect=0)
            self.assertNotIn("network", done.out)
        result = json.loads((self.folder / "b.json").read_text())
        self.assertIn("not reported by the server of Kenning, g4", json.dumps(result))


class Sampling:
    """A stand-in for servers up to 0.8.0, which sample their machine from MODEL to STATS: another MODEL in between stops them."""

    def __init__(self, generation, refuses=False, breaks_at=None):
        self.two, self.refuses, self.breaks_at = generation.startswith("g1"), refuses, breaks_at
        self.letters, self.sampling, self.died, self.size = "", False, False, 4 * 12
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"kenning://127.0.0.1:{self.listener.getsockname()[1]}?generation={generation}"
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        with contextlib.suppress(OSError):
            while not self.died:
                client = self.listener.accept()[0]
                self.letters += " "
                with client, contextlib.suppress(ConnectionError):
                    self.one(client)
        self.listener.close()

    def one(self, client):
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stream = b""
        while data := client.recv(1 << 16):
            requests, stream = kenning.split(stream + data, "g2")
            for number, _, _, payload in requests:
                self.letters += LETTERS[number]
                if number == 3 and self.sampling:
                    self.died = True
                if self.died or self.letters.count("P") == self.breaks_at:
                    self.breaks_at = None
                    return
                self.sampling = number == 3 or (self.sampling and number != 6)
                client.sendall(self.answer(number, payload))
                if number == 4 and self.two:
                    time.sleep(0.03)
                    client.sendall(kenning.frame("g2", 0))

    def answer(self, number, payload):
        if number == 7:
            self.size = sum(int(np.prod(one["shape"])) * (1 if one["dtype"] == "int8" else 4) for one in json.loads(payload)["output"])
        if number == 3 and self.refuses:
            return kenning.frame("g2", 1)
        return kenning.frame("g2", 0, bytes(self.size) if number == 5 else b"{}" if number == 6 else b"")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()


class SamplingServers(tool.ToolTest):
    """Each session ends with STATS, even after an error, so that the server can serve the next one."""

    def ask(self, server, verb="run", *flags, expect=0):
        trace = ["--trace", self.folder / "t.mcap", "--force"] if verb == "run" else ["--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE]
        run(verb, MODELS / "signs_float.tflite", "--recipe", RECIPE, *DATA, *trace, "--target", server.address, *flags, expect=expect)
        self.assertFalse(server.died, server.letters)
        self.assertFalse(server.sampling, server.letters)

    def test_sessions_end_with_stats(self):
        for generation in ("g1-iospec", "g2"):
            with self.subTest(generation=generation), Sampling(generation) as server:
                self.ask(server, "run", "--level", "layers")
                self.ask(server, "check", expect=3)
                self.ask(server, "run", "--level", "layers")
                self.assertGreater(server.letters.count("M"), 5)
        with self.subTest(generation="g1"), Sampling("g1") as server:
            self.ask(server)
            self.ask(server)

    def test_a_refused_model_and_a_cut_connection_do_as_well(self):
        with Sampling("g2", refuses=True) as server:
            self.ask(server, expect=1)
            self.assertEqual(server.letters.split(), ["IMS"])
        with Sampling("g2", breaks_at=2) as server:
            self.ask(server, expect=1)
            self.assertEqual(server.letters.split(), ["IMDPODP", "S"])

    def test_nobody_listening_names_the_program(self):
        done = run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, *DATA, "--trace", self.folder / "t.mcap", "--target", "kenning://127.0.0.1:1", expect=1)
        self.assertIn("no server listens there; start Kenning's server ('kenning server') on the device", done.err)


class WrongServers(tool.ToolTest):
    """Peers that are not Kenning servers, or that stop behaving like one."""

    def target(self, serve, generation="g4"):
        listener = socket.create_server(("127.0.0.1", 0))

        def accept():
            with contextlib.suppress(OSError):
                client = listener.accept()[0]
                with client:
                    serve(client)

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        self.addCleanup(thread.join, PATIENCE)
        self.addCleanup(listener.close)
        return f"kenning://127.0.0.1:{listener.getsockname()[1]}?generation={generation}"

    def refusal(self, target, expect=1):
        done = run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, *DATA, "--trace", self.folder / "t.mcap", "--time-limit", 1, "--target", target, expect=expect)
        self.assertFalse((self.folder / "t.mcap").exists())
        return done.err

    def test_other_services_are_told(self):
        def web(client):
            client.recv(100)
            client.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

        self.assertIn("makes no sense", self.refusal(self.target(web, "g2")))
        self.assertIn("its first byte is not a greeting", self.refusal(self.target(lambda client: client.sendall(b"SSH-2.0-OpenSSH\r\n"))))
        self.assertIn("closed the connection instead of greeting", self.refusal(self.target(lambda client: None)))

    def test_a_server_that_sends_for_ever_is_left(self):
        def chatter(client):
            client.sendall(b"\0")
            with contextlib.suppress(OSError):
                while True:
                    client.sendall(kenning.frame("g4", 13, b"\x02hi"))
                    time.sleep(0.001)

        self.assertIn("no answer to IO_SPEC within 1 s", self.refusal(self.target(chatter)))

    def test_the_wrong_generation_is_told_with_the_others(self):
        with Server("--protocol", "g4") as server:
            err = self.refusal(f"kenning://{server.address}?generation=g3")
            self.assertIn("it was spoken to as g3", err)
            self.assertIn("?generation=g2", err)

    def test_a_server_of_g1_spoken_to_as_g2_is_told(self):
        with Server("--protocol", "g1", "--ok-gap", 0) as server:
            self.assertIn("a server of g1 answers PROCESS twice", self.refusal(f"kenning://{server.address}?generation=g2"))

    def test_the_words_of_the_server_are_told(self):
        with Server("--protocol", "g4", "--engine", "onnxruntime") as server:
            self.assertIn("the server refused MODEL: [ERROR]", self.refusal(f"kenning://{server.address}"))

    def test_what_the_operator_decides_is_told(self):
        with Server() as server:
            common = ["run", MODELS / "signs_float.tflite", "--recipe", RECIPE, *DATA, "--trace", self.folder / "t.mcap", "--target", f"kenning://{server.address}"]
            self.assertIn("how many threads run is its operator's choice", run(*common, "--threads", 2, expect=1).err)


if __name__ == "__main__":
    tool.main()
