# SPDX-License-Identifier: Apache-2.0
"""serve: recorded sessions of real clients get right answers, invalid requests a failure with its reason, and --target gives the same as a local run."""
import contextlib
import hashlib
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import threading
import time

import numpy as np
from mcap.reader import make_reader

import kenning
import tool
from processes import children, is_busy, wait_for
from tool import MODELS, PATIENCE, RECIPE, run

SHARED = tool.SHARED
LOGS = SHARED / "protocol"
DATA = ["--data", MODELS / "data" / "test", "--labels", MODELS / "data" / "labels.csv", "--frames", 40]
ADD = SHARED / "models" / "litert_testdata" / "add.bin"
SPEC = b'{"input": [{"name": "input", "shape": [1, 8, 8, 3], "dtype": "float32"}], "output": [{"name": "output", "shape": [1, 8, 8, 3], "dtype": "float32"}]}'
# Requests that real servers accept and ours does not, or vice versa: file -> requests by position, and the reason.
OTHERWISE = {
    "data-too-long": "g1 passes over bytes behind the input",
    "process-without-input": "g1 says OK, OK",
    "int8-inputs-prequantised-spec": "inputs of the model's own dtype are taken, too",
    "int8-inputs-as-float": "floats for an integer model are quantised",
    "good-int8": "codes beyond the range wrap around in Kenning, and are saturated here",
    "stats-only": "the same",
    "optimise-on-target": "nothing is compiled here",
    "optimise-empty-list": "nothing is compiled here",
    "upload-runtime": "no runtime is taken",
    "skip-model": "no model is here beforehand",
    "quantisation-details": "the same",
}


class Server:
    def __init__(self, *flags, listen="127.0.0.1:0", **process):
        self.process = subprocess.Popen([tool.EXECUTABLE, "serve", "--listen", listen, *map(str, flags)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **process)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            raise AssertionError(line + self.process.stderr.read())
        self.address, self.sockets = line.split()[-1], []

    def connect(self):
        host, port = self.address.rsplit(":", 1)
        client = socket.create_connection((host, int(port)), timeout=PATIENCE)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sockets.append(client)
        return client

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for client in self.sockets:
            client.close()
        self.process.terminate()
        self.log = self.process.communicate(timeout=PATIENCE)[1]
        if self.process.returncode != 0:
            raise AssertionError(f"the server ended with {self.process.returncode}: {self.log}")


class Client:
    """One connection; the bytes received so far, as messages."""

    def __init__(self, server, generation):
        self.socket, self.generation, self.stream = server.connect(), generation, b""
        self.closed = False
        self.sent = b""
        if generation not in ("g1", "g2"):
            assert self.socket.recv(1) == b"\0"

    def send(self, data):
        self.sent += data
        self.socket.sendall(data)

    def leave(self):
        self.closed = True
        self.socket.close()

    def answers(self):
        return [m for m in kenning.split(self.stream, self.generation)[0] if not kenning.is_log(m, self.generation)]

    def wait_for(self, count, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while len(self.answers()) < count and not self.closed:
            self.socket.settimeout(max(end - time.monotonic(), 0.01))
            try:
                got = self.socket.recv(1 << 20)
            except TimeoutError:
                break
            except ConnectionResetError:
                got = b""
            self.closed = not got
            self.stream += got
        return self.answers()

    def ask(self, number, payload=b""):
        """The answer to one request, and the LOGS that came with it."""
        before = len(self.answers())
        self.send(kenning.frame(self.generation, number, payload))
        answers = self.wait_for(before + 1)
        assert len(answers) > before, "no answer"
        texts = kenning.logged(kenning.split(self.stream, self.generation)[0], self.generation)
        return answers[before], texts[-1] if texts else ""


def parent_of(process):
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:  # It has ended.
        return 0


def recorded(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return lines[0], lines[1:]


def generation_of(head):
    name = head["generation"]
    return "g1" if name.startswith("g1") else "g2" if name.startswith("g2") else name


class CutOnce:
    """A connection to a server that breaks once, after this number of pieces of answers."""

    def __init__(self, server, after):
        self.server, self.after, self.cuts, self.pieces = server, after, 0, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:  # The test is over.
                return
            self.server.sockets.append(client)
            there = self.server.connect()
            for ends in ((client, there, False), (there, client, True)):
                threading.Thread(target=self.carry, args=ends, daemon=True).start()

    def carry(self, source, sink, is_answer):
        try:
            while data := source.recv(1 << 16):
                self.pieces += is_answer
                if self.cuts == 0 and self.pieces > self.after:
                    self.cuts = 1
                    break
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()


class RecordedSessions(tool.ToolTest):
    """Each request of each recorded client gets an answer; if a real server succeeded, the same bytes."""

    def replay(self, server, path):
        head, events = recorded(path)
        generation = generation_of(head)
        two = generation == "g1"
        clients, answered = {}, 0
        for i, event in enumerate(events):
            conn = event.get("conn")
            if event.get("dir") != "c2s" or "hex" not in event:
                continue
            if conn not in clients:
                for other in clients.values():  # Advances the clients in turn; their expected answers have arrived.
                    other.wait_for(self.expected(other, two))
                    other.leave()
                clients[conn] = Client(server, generation)
            client = clients[conn]
            # A client that did not wait in the recording does not wait here, either.
            earlier = [e for e in events[:i] if e.get("conn") == conn]
            if earlier and not ("hex" in earlier[-1] and earlier[-1].get("dir") == "c2s"):
                client.wait_for(self.expected(client, two))
            client.send(bytes.fromhex(event["hex"]))
        for conn, client in clients.items():
            sent = kenning.split(client.sent, generation)[0]
            answers = client.wait_for(self.expected(client, two))
            self.assertEqual(len(answers), self.expected(client, two), f"{path.name} {conn}: a request has no answer")
            answered += len(sent)
            if path.stem not in OTHERWISE and head["real"] != "client":
                self.compare(path, events, conn, generation, sent, answers, two)
            client.leave()
        return answered

    @staticmethod
    def expected(client, two):
        sent = kenning.split(client.sent, client.generation)[0]
        if not two:
            return len(sent)
        # The second OK comes unless the first answer is a failure.
        answers, count = client.answers(), 0
        for number, *_ in sent:
            count += 2 if number == 4 and (count >= len(answers) or kenning.succeeded(answers[count], "g1")) else 1
        return count

    def compare(self, path, events, conn, generation, sent, answers, two):
        theirs = b"".join(bytes.fromhex(e["hex"]) for e in events if e.get("conn") == conn and e.get("dir") == "s2c" and "hex" in e)
        if generation not in ("g1", "g2"):
            theirs = theirs[1:]
        theirs = [m for m in kenning.split(theirs, generation)[0] if not kenning.is_log(m, generation)]
        if len(theirs) != len(answers):
            return  # The real server was silent or ended; ours has answered everything.
        for mine, real in zip(answers, theirs):
            self.assertEqual(kenning.succeeded(mine, generation), kenning.succeeded(real, generation), path)
            self.assertEqual(mine[0], real[0], path)
            if path.stem == "good-onnx" and len(real[3]) == 40:  # Sums of another processor.
                np.testing.assert_allclose(np.frombuffer(mine[3], np.float32), np.frombuffer(real[3], np.float32), rtol=1e-4, atol=1e-4)
            elif not real[3].startswith(b"{"):
                self.assertEqual(mine[3], real[3], path)

    def test_every_request_of_every_recorded_client_is_answered(self):
        if not LOGS.exists():
            self.skipTest("no recordings: EDGEPROBE_SHARED_DATA")
        total = files = 0
        for generation in ("g1", "g2", "g3", "g3-late", "g4"):
            with Server("--protocol", generation, "--message-limit", 2, "--idle-limit", 5, "--longest-message", "10MB") as server:
                for path in sorted(LOGS.glob("*/*.jsonl")):
                    head, _ = recorded(path)
                    if generation_of(head) != generation or head["transport"] != "tcp":
                        continue
                    if path.stem in ("second-client", "server-no-greeting"):
                        continue  # Two clients at a time, and a hand-written client.
                    with self.subTest(path=f"{path.parent.name}/{path.name}"):
                        total += self.replay(server, path)
                        files += 1
        self.assertGreaterEqual(files, 200)
        self.assertGreaterEqual(total, 1300)
        print(f"{files} recorded sessions, {total} requests answered")


class Wire(tool.ToolTest):
    def setUp(self):
        super().setUp()
        if not ADD.exists():
            self.skipTest("no model add.bin: EDGEPROBE_SHARED_DATA")

    def sample(self, k):
        return (np.arange(192) % 16 / 16 + k).astype(np.float32)

    def test_the_generation_is_told_by_the_client(self):
        with Server() as server:
            for generation in ("g2", "g3", "g4", "g2"):
                client = Client(server, generation)
                self.assertTrue(kenning.succeeded(client.ask(7, SPEC)[0], generation))
                self.assertTrue(kenning.succeeded(client.ask(3, ADD.read_bytes())[0], generation))
                for k in range(3):
                    self.assertTrue(kenning.succeeded(client.ask(2, self.sample(k).tobytes())[0], generation))
                    self.assertTrue(kenning.succeeded(client.ask(4)[0], generation))
                    output = np.frombuffer(client.ask(5)[0][3], np.float32)
                    np.testing.assert_array_equal(output, 3 * self.sample(k))
                    time.sleep(0.12)  # The machine is sampled ten times a second.
                stats = json.loads(client.ask(6)[0][3])
                self.assertEqual(len(stats["target_inference_step"]), 3)
                self.assertTrue(all(0 < t < 1 for t in stats["target_inference_step"]))
                looks = [len(stats["session_utilization_" + key]) for key in ("cpus_percent", "mem_percent", "timestamp")]
                self.assertEqual(looks, [2, 2, 2])
                self.assertEqual(len(stats["session_utilization_cpus_percent"][0]), os.cpu_count())
                client.socket.close()

    def test_a_client_of_g1_gets_its_second_ok(self):
        with Server() as server:
            client = Client(server, "g1")
            client.ask(3, ADD.read_bytes())
            for k in range(3):
                client.ask(2, self.sample(k).tobytes())
                before = len(client.answers())
                client.send(kenning.frame("g1", 4))
                self.assertEqual([m[0] for m in client.wait_for(before + 2)[before:]], [0, 0])
                np.testing.assert_array_equal(np.frombuffer(client.ask(5)[0][3], np.float32), 3 * self.sample(k))

    def test_failures_have_a_reason(self):
        with Server("--longest-message", "1MB") as server:
            client = Client(server, "g4")

            def refused(number, payload=b""):
                answer, why = client.ask(number, payload)
                self.assertFalse(kenning.succeeded(answer, "g4"))
                return why

            self.assertIn("MODEL has to come first", refused(4))
            self.assertIn("MODEL has to come first", refused(2, b"1234"))
            self.assertIn("IO_SPEC: the payload is not JSON", refused(7, b"{"))
            deep = b"[" * 300_000 + b"]" * 300_000
            self.assertIn("nested deeper", refused(7, b'{"input": [{"shape": [1], "dtype": "int8", "scale": ' + deep + b'}], "output": []}'))
            self.assertIn("no model", refused(3))
            self.assertIn("client's model", refused(3, b"junk of a few bytes"))
            client.ask(3, ADD.read_bytes())
            self.assertIn("DATA has to come first", refused(4))
            self.assertIn("there is no output", refused(5))
            self.assertIn("DATA has 700 bytes; the model's inputs take 768", refused(2, bytes(700)))
            self.assertIn("compiles none", refused(10))
            self.assertIn("operator's choice", refused(11, b"elf"))
            self.assertIn("type 30", refused(30, b"abc"))
            # The same client continues.
            client.ask(2, self.sample(1).tobytes())
            client.ask(4)
            np.testing.assert_array_equal(np.frombuffer(client.ask(5)[0][3], np.float32), 3 * self.sample(1))
            # A wrong length: reported, and the connection ends.
            client.send(kenning.frame("g4", 2)[:8] + b"\xff\xff\xff\x7f")
            messages = client.wait_for(len(client.answers()) + 2)
            self.assertFalse(kenning.succeeded(messages[-1], "g4"))
            self.assertTrue(client.closed)
            # The next client is served.
            self.assertTrue(kenning.succeeded(Client(server, "g4").ask(7, SPEC)[0], "g4"))

    def test_a_second_client_is_told_why(self):
        with Server() as server:
            first = Client(server, "g4")
            first.ask(7, SPEC)
            second = Client(server, "g4")
            answer, why = second.ask(7, SPEC)
            self.assertFalse(kenning.succeeded(answer, "g4"))
            self.assertIn("another client is being served", why)
            self.assertEqual(second.wait_for(99), [answer])
            self.assertTrue(second.closed)
            outcome = run("run", MODELS / "signs_float.tflite", "--target", "tcp://" + server.address, "--recipe", RECIPE, *DATA, "--trace", self.folder / "t.mcap", expect=1)
            self.assertIn("another client is being served", outcome.err)
            self.assertTrue(kenning.succeeded(first.ask(7, SPEC)[0], "g4"))

    def test_an_engine_that_is_killed_is_started_again(self):
        with Server() as server:
            client = Client(server, "g4")
            client.ask(3, ADD.read_bytes())
            children = [int(p.name) for p in pathlib.Path("/proc").glob("[0-9]*") if parent_of(p) == server.process.pid]
            self.assertEqual(len(children), 1)
            os.kill(children[0], signal.SIGKILL)
            client.ask(2, self.sample(1).tobytes())
            answer, why = client.ask(4)
            self.assertFalse(kenning.succeeded(answer, "g4"))
            self.assertIn("SIGKILL", why)
            client.ask(2, self.sample(2).tobytes())
            client.ask(4)
            np.testing.assert_array_equal(np.frombuffer(client.ask(5)[0][3], np.float32), 3 * self.sample(2))

    def test_a_slow_and_a_half_open_client_are_ended(self):
        with Server("--message-limit", 1, "--idle-limit", 1) as server:
            slow = Client(server, "g4")
            slow.send(b"\x07\0\0")
            slow.wait_for(9)
            self.assertTrue(slow.closed)
            idle = Client(server, "g4")
            idle.ask(7, SPEC)
            idle.wait_for(9)
            self.assertTrue(idle.closed)
            self.assertTrue(kenning.succeeded(Client(server, "g4").ask(7, SPEC)[0], "g4"))


    def test_a_slow_message_is_taken_and_one_that_drips_is_not(self):
        with Server("--message-limit", 1) as server:
            slow = Client(server, "g4")
            data = kenning.frame("g4", 3, (MODELS / "signs_float.tflite").read_bytes())
            step = len(data) // 5
            for at in range(0, len(data), step):
                slow.send(data[at : at + step])
                time.sleep(0.4)
            self.assertTrue(kenning.succeeded(slow.wait_for(1)[0], "g4"))
            slow.leave()
            drips = Client(server, "g4")
            with contextlib.suppress(ConnectionError):
                for at in range(10 * PATIENCE):
                    drips.send(data[at : at + 1])
                    time.sleep(0.05)
                    if drips.wait_for(1, 0.001):
                        break
            self.assertLess(at, 5 * PATIENCE)
            texts = kenning.logged(kenning.split(drips.stream, "g4")[0], "g4")
            self.assertIn("less than 1000 bytes a second", texts[-1])

    def test_a_late_client_of_g1_reads_one_ok(self):
        with Server() as server:
            client = Client(server, "g1")
            client.ask(3, (MODELS / "signs_float.tflite").read_bytes())
            gaps = []
            for _ in range(4):
                client.ask(2, Gone.INPUT)
                before = len(client.answers())
                client.send(kenning.frame("g1", 4))
                client.wait_for(before + 1)
                first = time.monotonic()
                client.wait_for(before + 2)
                gaps.append(time.monotonic() - first)
                client.ask(5)
            # The generation of the first client is detected only after its silence.
            self.assertGreater(max(gaps[1:]), 0.045, gaps)


class Gone(tool.ToolTest):
    """Inferences whose client has disconnected, or that a server does not wait for. The engine's process is stopped, so that it would run until its limit."""

    INPUT = bytes(64 * 64 * 3 * 4)

    def running(self, server, generation="g4"):
        """A client with a running inference, and the engine's process."""
        client = Client(server, generation)
        self.assertTrue(kenning.succeeded(client.ask(3, (MODELS / "signs_float.tflite").read_bytes())[0], generation))
        engine = children(server.process.pid)[0]
        self.assertTrue(kenning.succeeded(client.ask(2, self.INPUT)[0], generation))
        os.kill(engine, signal.SIGSTOP)
        client.send(kenning.frame(generation, 4))
        time.sleep(0.3)
        return client, engine

    def is_served(self, server):
        client = Client(server, "g4")
        try:
            return kenning.succeeded(client.ask(6)[0], "g4")
        finally:
            client.leave()

    def test_a_client_that_is_gone_frees_the_device_at_once(self):
        with Server("--time-limit", 4 * PATIENCE) as server:
            for generation in ("g2", "g3", "g4"):
                for resets in (False, True):
                    with self.subTest(generation=generation, resets=resets):
                        client, engine = self.running(server, generation)
                        if resets:
                            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        client.leave()
                        self.assertTrue(wait_for(lambda: self.is_served(server)))
                        self.assertNotIn(engine, children(server.process.pid))

    def test_one_of_our_own_as_well(self):
        with Server("--time-limit", 4 * PATIENCE) as server:
            running = subprocess.Popen([tool.EXECUTABLE, "bench", MODELS / "signs_float.tflite", "--target", "tcp://" + server.address, "--duration", str(10 * PATIENCE)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.assertTrue(wait_for(lambda: any(map(is_busy, children(server.process.pid)))), "nothing was run")
            for engine in children(server.process.pid):
                os.kill(engine, signal.SIGSTOP)
            running.kill()
            running.wait()
            self.assertTrue(wait_for(lambda: self.is_served(server)))

    def test_a_server_that_is_told_to_stop_does_not_wait_for_an_inference(self):
        server = Server("--time-limit", 4 * PATIENCE)
        client, _ = self.running(server)
        server.process.terminate()
        server.process.wait(timeout=PATIENCE)
        client.wait_for(9)
        texts = kenning.logged(kenning.split(client.stream, "g4")[0], "g4")
        self.assertIn("ended, because its client is gone or the server stops", texts[-1])
        server.__exit__()


class Extension(tool.ToolTest):
    """Our own requests, written by hand: an error in a request is answered under its number."""

    EXTENSION, HELLO, OFFER, UPLOAD, LOAD, INFER, REPEAT, MEMORY, CLOSE, CANCEL, CLOCK = 0x42525045, *range(1, 11)

    def setUp(self):
        super().setUp()
        if not ADD.exists():
            self.skipTest("no model add.bin: EDGEPROBE_SHARED_DATA")
        self.server = Server()
        self.addCleanup(self.server.__exit__)
        self.socket, self.stream, self.number = self.server.connect(), b"", 0

    def request(self, kind, body=b""):
        """The request's number and its bytes."""
        self.number += 1
        return self.number, kenning.frame("g4", self.EXTENSION, struct.pack("<IHH", self.number, kind, 0) + body)

    def receive(self, count=1):
        """{request: (kind, code, body)}, in order of arrival."""
        while len(kenning.split(self.stream, "g4")[0]) < count:
            got = self.socket.recv(1 << 20)
            self.assertTrue(got, "the server closed")
            self.stream += got
        messages, self.stream = kenning.split(self.stream, "g4")
        answers = {}
        for number, flow, flags, payload in messages:
            self.assertEqual((number, flow), (self.EXTENSION, 3))
            request, kind, code = struct.unpack("<IHH", payload[:8])
            self.assertEqual(bool(flags & 2), code != 0)
            answers[request] = (kind, code, payload[8:])
        return answers

    def ask(self, kind, body=b""):
        number, data = self.request(kind, body)
        self.socket.sendall(data)
        return self.receive()[number]

    @staticmethod
    def text(value):
        return struct.pack("<Q", len(value)) + value

    def loaded(self):
        model = ADD.read_bytes()
        digest = hashlib.sha256(model).digest()
        self.assertEqual(self.ask(self.OFFER, digest + struct.pack("<Q", len(model)))[1:], (0, struct.pack("<Q", 0)))
        self.assertEqual(self.ask(self.UPLOAD, digest + struct.pack("<Q", 0) + model[:100])[2], struct.pack("<Q", 100))
        self.assertEqual(self.ask(self.OFFER, digest + struct.pack("<Q", len(model)))[2], struct.pack("<Q", 100))
        self.assertEqual(self.ask(self.UPLOAD, digest + struct.pack("<Q", 100) + model[100:])[2], struct.pack("<Q", len(model)))
        kind, code, body = self.ask(self.LOAD, digest + self.text(b"add") + self.text(b"{}"))
        self.assertEqual(code, 0, body)
        return digest, struct.unpack("<I", body[:4])[0]

    def test_wrong_requests_are_answered_with_a_code_and_a_sentence(self):
        digest, session = self.loaded()
        sample = bytes(768)
        delegates = json.dumps({"delegates": [{"kind": "external", "library": "/tmp/evil.so", "options": []}]}).encode()
        wrong = [
            (self.HELLO, b"", 3, b"HELLO is shorter"),
            (99, b"", 4, b"no request of kind 99"),
            (self.OFFER, bytes(32) + struct.pack("<Q", 0), 1, b"a size above 0"),
            (self.OFFER, bytes(32) + struct.pack("<Q", 1 << 50), 5, b"larger than this server takes"),
            (self.UPLOAD, bytes(32) + struct.pack("<Q", 0) + b"x", 1, b"was not offered"),
            (self.UPLOAD, digest + struct.pack("<Q", 1 << 40) + b"x", 1, b"do not go on"),
            (self.LOAD, bytes(32) + self.text(b"m") + self.text(b"{}"), 1, b"was not offered"),
            (self.LOAD, digest + struct.pack("<Q", 1 << 60), 3, b"LOAD is shorter"),
            (self.LOAD, digest + self.text(b"m") + self.text(delegates), 1, b"operator's choice"),
            (self.LOAD, digest + self.text(b"m") + self.text(b'{"folder": "/etc"}'), 1, b"operator's choice"),
            (self.LOAD, digest + self.text(b"m") + self.text(b'{"custom_ops": ["/tmp/ops.so"]}'), 1, b"operator's choice"),
            (self.LOAD, digest + self.text(b"m") + self.text(b'{"thread": 1}'), 1, b"thread"),
            (self.LOAD, digest + self.text(b"m") + self.text(b'{"threads": 100000}'), 1, b"expected 1 to 256"),
            (self.LOAD, digest + self.text(b"m") + self.text(b'{"threads": ' + b"[" * 300000 + b"]" * 300000 + b"}"), 1, b"nested deeper"),
            (self.LOAD, digest + self.text(b"m") + self.text(b'{"load_limit_ms": -13835058055282}'), 6, b"0"),
            (self.INFER, struct.pack("<II", session + 1, 1) + sample, 1, b"no model is loaded as session"),
            (self.INFER, struct.pack("<II", session, 0), 1, b"1 to 4096 samples"),
            (self.INFER, struct.pack("<II", session, 2) + sample, 1, b"the inputs end within"),
            (self.INFER, struct.pack("<II", session, 1) + sample + b"more", 1, b"4 bytes after"),
            (self.MEMORY, b"", 1, b"no model is loaded"),
            (self.CLOCK, b"123", 3, b"CLOCK is shorter"),
        ]
        for kind, body, code, words in wrong:
            with self.subTest(words=words):
                answer = self.ask(kind, body)
                self.assertEqual(answer[:2], (kind, code), answer)
                self.assertIn(words, answer[2])
        self.assertEqual(self.ask(self.INFER, struct.pack("<II", session, 1) + sample)[1], 0)

    def test_many_in_flight_are_answered_in_order_and_a_cancelled_one_is_not_run(self):
        _, session = self.loaded()
        repeat = struct.pack("<IQqB", session, 1 << 40, 400_000_000, 0) + bytes(768)
        requests = [self.request(self.REPEAT, repeat)] + [self.request(self.INFER, struct.pack("<II", session, 1) + bytes(768)) for _ in range(8)]
        sent = [number for number, _ in requests]
        requests += [self.request(self.CANCEL, struct.pack("<I", sent[4])), self.request(self.CLOCK, struct.pack("<q", 5))]
        cancel, clock = (number for number, _ in requests[-2:])
        # Sent together: on a busy machine, the long request might end between two sends.
        self.socket.sendall(b"".join(data for _, data in requests))
        answers = self.receive(11)
        # Immediate answers do not wait for the long request.
        self.assertEqual(list(answers), [cancel, clock, *sent])
        self.assertEqual([answers[n][1] for n in sent], [0, 0, 0, 0, 7, 0, 0, 0, 0])
        self.assertEqual(answers[sent[4]][2], b"cancelled by the client")
        asked, came, left = struct.unpack("<qqq", answers[clock][2])
        self.assertEqual(asked, 5)
        self.assertLessEqual(came, left)
        self.assertLess(abs(left - time.monotonic_ns()), 60_000_000_000)


class Target(tool.ToolTest):
    def test_check_on_a_target_says_what_it_says_here(self):
        bgr = RECIPE.replace("color(rgb)", "color(bgr)")
        # --exhaustive: here both sides are one computation, of which the reference runs a sample.
        common = ["--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE, "--exhaustive", *DATA]
        for recipe in (RECIPE, bgr):
            code = 3 if recipe is bgr else 0
            here = run("check", MODELS / "signs_float.tflite", "--recipe", recipe, *common, expect=code)
            with Server() as server:
                there = run("check", MODELS / "signs_float.tflite", "--recipe", recipe, "--target", "tcp://" + server.address, *common, expect=code)
            self.assertEqual(here.out, there.out)

    def test_traces_with_layers_are_equal(self):
        def record(name, *flags):
            run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, *DATA[:-1], 5, "--level", "layers", "--trace", self.folder / name, *flags, expect=0)

        def way_of(trace):
            with open(trace, "rb") as file:
                way = {record.name: record.metadata for record in make_reader(file).iter_metadata()}["edgeprobe.target"]
            beyond = [float(v) for v in way.pop("beyond_us").split(",")]
            return way, np.median(beyond) / sum(float(way[f"{part}_us_median"]) for part in ("queue", "engine_process", "transport"))

        record("here.mcap")
        path = self.folder / "edgeprobe.sock"
        with Server(listen=f"unix:{path}") as server:
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            # The median of a sum is near the sum of medians if each part is steady: on a busy machine, this may take several attempts.
            for _ in range(10):
                (self.folder / "there.mcap").unlink(missing_ok=True)
                record("there.mcap", "--target", server.address)
                way, ratio = way_of(self.folder / "there.mcap")
                if abs(ratio - 1) < 0.5:
                    break
        self.assertFalse(path.exists())
        self.assertAlmostEqual(ratio, 1, delta=0.5)
        self.assertEqual((way.pop("reached_by"), bool(way.pop("crc32", ""))), ("unix", True))
        self.assertEqual(len(way), 6)
        self.assertTrue(all(0 <= float(v) < 1e7 for v in way.values()), way)
        self.assertGreater(float(way["transport_us_median"]), 1)
        outcome = run("compare", self.folder / "here.mcap", self.folder / "there.mcap", "--json", "-", expect=0)
        self.assertEqual({layer["rmse"] for layer in json.loads(outcome.out)["layers"]}, {0.0})

    def test_a_server_that_is_started_again_gets_the_model_again(self):
        first = Server()
        running = subprocess.Popen([tool.EXECUTABLE, "bench", MODELS / "signs_float.tflite", "--target", f"tcp://{first.address}", "--duration", "3", "--json", self.folder / "b.json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertTrue(wait_for(lambda: any(map(is_busy, children(first.process.pid)))), "nothing was run")
        first.process.kill()
        first.process.communicate()
        with Server(listen=first.address):
            out, err = running.communicate(timeout=PATIENCE)
        self.assertEqual(running.returncode, 0, out + err)

    def test_a_server_that_greets_first_is_understood_and_takes_models_in_small_parts(self):
        with Server("--protocol", "g4", "--longest-message", "60KB") as server:
            run("run", MODELS / "signs_float.tflite", "--target", "tcp://" + server.address, "--recipe", RECIPE, *DATA[:-1], 3, "--trace", self.folder / "t.mcap", expect=0)

    def test_sessions_stay_apart_when_the_connection_is_cut(self):
        """--level layers keeps the plain model loaded in addition to one whose layers are outputs."""
        def record(name, *flags):
            run("run", MODELS / "signs_float.tflite", "--recipe", RECIPE, *DATA[:-1], 12, "--level", "layers", "--layer-times", "--trace", self.folder / name, *flags, expect=0)

        record("here.mcap")
        with Server() as server, CutOnce(server, after=60) as way:
            record("there.mcap", "--target", way.address)
            self.assertEqual(way.cuts, 1)
        outcome = run("compare", self.folder / "here.mcap", self.folder / "there.mcap", "--json", "-", expect=0)
        self.assertEqual({layer["rmse"] for layer in json.loads(outcome.out)["layers"]}, {0.0})

    def test_a_busy_server_ends_when_it_is_told_to(self):
        server = Server("--quiet")
        running = subprocess.Popen([tool.EXECUTABLE, "bench", MODELS / "signs_float.tflite", "--target", "tcp://" + server.address, "--duration", str(10 * PATIENCE)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertTrue(wait_for(lambda: any(map(is_busy, children(server.process.pid)))), "nothing was run")
        server.process.terminate()
        self.assertEqual(server.process.wait(timeout=PATIENCE), 0)
        running.kill()
        running.wait()
        server.__exit__()


if __name__ == "__main__":
    tool.main()
