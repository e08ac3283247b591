# SPDX-License-Identifier: Apache-2.0
"""serve with hostile clients, models, disks and signals: each gets a reason, the next client is served, no file remains and memory does not grow."""
import hashlib
import json
import os
import pathlib
import random
import resource
import signal
import socket
import struct
import subprocess
import time

import numpy as np
import onnx
from onnx import TensorProto, helper

import kenning
import tool
from processes import is_busy, wait_for
from serve_test import ADD, SPEC, Client, Server, parent_of
from tool import MODELS, PATIENCE, RECIPE, run

EXTENSION, HELLO, OFFER, UPLOAD, LOAD, INFER = 0x42525045, 1, 2, 3, 4, 5
SAMPLE = (np.arange(192) % 16 / 16).astype(np.float32)


def children_of(pid):
    return {int(p.name) for p in pathlib.Path("/proc").glob("[0-9]*") if parent_of(p) == pid}


def resident_kb(pid):
    """The process's own memory: the system loads and drops pages of files at any time."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0])


def shared_memory(pids):
    """The files in /dev/shm that processes have open or mapped; other tests have files there, too."""
    found = set()
    for pid in pids:
        found |= {line.split(maxsplit=5)[-1] for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()}
        found |= {os.readlink(link) for link in pathlib.Path(f"/proc/{pid}/fd").iterdir()}
    return {name for name in found if name.startswith("/dev/shm/")}


def text(value):
    return struct.pack("<Q", len(value)) + value


class Extension:
    """Our own requests on a greeted g4 client."""

    def __init__(self, client):
        self.client, self.number = client, 0

    def ask(self, kind, body=b""):
        """(code, body) of the answer."""
        self.number += 1
        answer, _ = self.client.ask(EXTENSION, struct.pack("<IHH", self.number, kind, 0) + body)
        return struct.unpack("<H", answer[3][6:8])[0], answer[3][8:]

    def load(self, model, label=b"model"):
        digest = hashlib.sha256(model).digest()
        self.ask(OFFER, digest + struct.pack("<Q", len(model)))
        self.ask(UPLOAD, digest + bytes(8) + model)
        return self.ask(LOAD, digest + text(label) + text(b"{}"))


class HostileTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        if not ADD.exists():
            self.skipTest("no model add.bin: EDGEPROBE_SHARED_DATA")

    def assert_serves(self, server, generation="g4"):
        # A request of a disconnected client is finished first.
        end = time.monotonic() + PATIENCE
        while not kenning.succeeded((client := Client(server, generation)).ask(7, SPEC)[0], generation):
            self.assertLess(time.monotonic(), end, "the next client is not served")
            client.leave()
            time.sleep(0.1)
        for number, payload in ((3, ADD.read_bytes()), (2, SAMPLE.tobytes()), (4, b"")):
            answer, why = client.ask(number, payload)
            self.assertTrue(kenning.succeeded(answer, generation), why)
        if generation == "g1":  # The second OK to PROCESS.
            client.wait_for(5)
        np.testing.assert_array_equal(np.frombuffer(client.ask(5)[0][3], np.float32), 3 * SAMPLE)
        client.leave()

    def refused(self, client, number, payload=b""):
        before = len(client.stream)
        answer, _ = client.ask(number, payload)
        self.assertFalse(kenning.succeeded(answer, client.generation))
        # A long reason takes several entries.
        why = "".join(kenning.logged(kenning.split(client.stream[before:], client.generation)[0], client.generation))
        self.assertTrue(client.generation in ("g1", "g2") or why, "no reason")
        return why


class Models(HostileTest):
    def test_models_that_are_cut_off_or_damaged_are_refused_with_a_reason(self):
        chance = random.Random(5)
        with Server() as server:
            client = Client(server, "g4")
            for whole in (ADD.read_bytes(), (MODELS / "signs_int8.tflite").read_bytes(), (MODELS / "signs_float.onnx").read_bytes()):
                for size in {1, 4, 8, 100, len(whole) // 3, len(whole) - 1}:
                    self.refused(client, 3, whole[:size])
                for _ in range(10):
                    damaged = bytearray(whole)
                    for _ in range(20):
                        damaged[chance.randrange(min(len(whole), 3000))] = chance.randrange(256)
                    client.ask(3, bytes(damaged))  # The damaged bytes may still be a model; only an answer is required.
            extension = Extension(client)
            code, why = extension.load(ADD.read_bytes()[:300])
            self.assertNotEqual(code, 0)
            self.assertIn(b"past the end of the file", why)
            client.leave()
            self.assert_serves(server)

    def test_data_outside_a_model_is_not_opened(self):
        weights = self.folder / "weights.bin"
        weights.write_bytes(np.ones(4, np.float32).tobytes())
        (self.folder / "below").mkdir()
        with Server(cwd=self.folder / "below") as server:
            client = Client(server, "g4")
            for where in ("../weights.bin", str(weights), "weights.bin", "/etc/passwd"):
                (self.folder / "below" / "weights.bin").write_bytes(weights.read_bytes())
                tensor = TensorProto(name="w", dims=[4], data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
                tensor.external_data.add(key="location", value=where)
                values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in "xy"]
                graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g", values[:1], values[1:], [tensor])
                model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8).SerializeToString()
                with self.subTest(where=where):
                    self.assertIn("outside", self.refused(client, 3, model))
                    code, why = Extension(client).load(model)
                    self.assertNotEqual(code, 0)
                    self.assertIn(b"outside", why)
            client.leave()
            self.assert_serves(server)

    def test_a_model_that_wants_too_much_memory_is_ended_alone(self):
        # 1 GB between two small tensors.
        values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("x", [1]), ("y", [1]))]
        size = helper.make_tensor("size", TensorProto.INT64, [1], [1 << 28])
        graph = helper.make_graph([helper.make_node("Expand", ["x", "size"], ["large"]), helper.make_node("ReduceMax", ["large"], ["y"], axes=[0])], "g", values[:1], values[1:], [size])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8).SerializeToString()
        with Server("--memory", "400MB") as server:
            client = Client(server, "g4")
            if kenning.succeeded(client.ask(3, model)[0], "g4"):
                client.ask(2, bytes(4))
                self.refused(client, 4)
            self.assertTrue(kenning.succeeded(client.ask(3, ADD.read_bytes())[0], "g4"))
            client.leave()
            self.assert_serves(server)

    def test_a_model_larger_than_the_memory_is_refused_with_a_reason(self):
        with Server("--memory", "100MB") as server:
            # A length beyond the limit is refused at once; a shorter one is refused at the end, when memory runs out.
            client = Client(server, "g4")
            client.send(struct.pack("<IBBHI", 3, 0, 0, 0x38, 300_000_000))
            client.wait_for(1)
            self.assertIn("longer than the limit of 100000000", kenning.logged(kenning.split(client.stream, "g4")[0], "g4")[-1])
            client = Client(server, "g4")
            part = bytes(10_000_000)
            # The server has refused before the last part is sent, and takes the rest for two seconds: a client that sends first and reads
            # then gets the reason. On a busy machine the rest takes longer.
            for i in range(9):
                try:
                    client.send(struct.pack("<IBBHI", 3, 0, 0, 8 | (16 if i == 0 else 0) | (32 if i == 8 else 0), len(part)) + part)
                except (BrokenPipeError, ConnectionResetError):
                    break
            self.assertFalse(kenning.succeeded(client.wait_for(1)[0], "g4"))
            self.assertIn("more memory than this server has", kenning.logged(kenning.split(client.stream, "g4")[0], "g4")[-1])
            self.assert_serves(server)

    def test_what_is_wrong_at_the_start_ends_it(self):
        for flags, why in (
            (["--engine", "tflite:/no/such.so"], "/no/such.so"),
            (["--delegate", "external:/no/such.so"], "/no/such.so"),
            (["--engine", "tflite", "--delegate", f"external:{tool.EXECUTABLE}"], "delegate"),
        ):
            with self.subTest(flags=flags):
                done = run("serve", "--listen", "127.0.0.1:0", *flags, expect={1, 2})
                self.assertEqual(done.out, "")
                self.assertIn("the engine of this server: ", done.err)
                self.assertIn(why, done.err)
        path = self.folder / "file"
        path.write_text("mine")
        self.assertIn("this path is a file, not a socket", run("serve", "--listen", f"unix:{path}", expect=1).err)

    def test_what_is_said_of_the_engine_is_no_path(self):
        with Server() as server:
            extension = Extension(Client(server, "g4"))
            code, hello = extension.ask(1, struct.pack("<I", 1) + struct.pack("<Q", 4) + b"test" + struct.pack("<Q", 6) + b"tflite")
            self.assertEqual(code, 0)
            self.assertIn(b".so", hello)
            self.assertNotIn(b"/", hello)

    def test_an_ir_is_refused_for_its_weights(self):
        with Server() as server:
            client = Client(server, "g4")
            why = self.refused(client, 3, b'<?xml version="1.0"?>\n<net name="m" version="11"><layers></layers></net>')
            self.assertIn("with its weights in a second file", why)

    def test_models_that_are_loaded_count_together(self):
        model = (MODELS / "signs_float.tflite").read_bytes()
        with Server("--models", 3 * len(model)) as server:
            extension = Extension(Client(server, "g4"))
            self.assertEqual([extension.load(model)[0] for _ in range(3)], [0, 0, 0])
            code, why = extension.load(model)
            self.assertEqual(code, 5)
            self.assertIn(b"close some", why)
            self.assertEqual(extension.ask(8, struct.pack("<I", 2))[0], 0)
            self.assertEqual(extension.load(model)[0], 0)

    def test_hostile_names_reach_no_terminal(self):
        evil = "\x1b]0;owned\x07\x1b[2J\r\n../../etc/passwd\u202e"
        values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in (evil, "y")]
        graph = helper.make_graph([helper.make_node("Identity", [evil], ["y"], name=evil)], evil, values[:1], values[1:])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8).SerializeToString()
        server = Server()
        with server:
            client = Client(server, "g4")
            said = []
            client.ask(3, model)
            said.append(self.refused(client, 2, bytes(3)).encode())
            said.append(self.refused(client, 7, b'{"input": [{"name": "x", "shape": [1], "dtype": "\\u001b[2J"}], "output": []}').encode())
            extension = Extension(client)
            for label in (evil.encode(), b"\xff\xfe" * 1000, b"x" * 100_000):
                said.append(extension.load(b"no model " + label[:50], label)[1])
            self.assertTrue(all(said))
            client.leave()
            self.assert_serves(server)
        for sentence in [*said, server.log.replace("\n", "").encode()]:
            self.assertFalse([byte for byte in sentence if byte < 32 or byte == 127], sentence[:300])
            self.assertLess(len(sentence), 3000)


class Messages(HostileTest):
    def test_lengths_and_parts_that_cannot_be_end_the_connection_with_a_reason(self):
        g3 = struct.Struct("<BBHI")
        streams = {
            ("g1", "no room for its type"): struct.pack("<IH", 1, 2),
            ("g2", "longer than the limit"): struct.pack("<IH", 0xFFFFFFFF, 3),
            ("g3", "longer than the limit"): g3.pack(3, 0, 0x38, 0xFFFFFFFF),
            ("g3", "has no first part"): g3.pack(3, 0, 0x28, 4),
            ("g4", "begins again"): 2 * (struct.pack("<IBBHI", 3, 0, 0, 0x18, 4) + b"1234"),
            ("g4", "are mixed"): b"".join(struct.pack("<IBBHI", number, 0, 0, 0x18, 1) + b"1" for number in range(2, 8)),
        }
        for (generation, words), stream in streams.items():
            # The server reports these errors at once, long before any time limit.
            with self.subTest(generation=generation, words=words), Server("--protocol", generation, "--message-limit", 2 * PATIENCE, "--idle-limit", 2 * PATIENCE) as server:
                client = Client(server, generation)
                client.send(stream)
                answers = client.wait_for(100)
                self.assertTrue(client.closed)
                self.assertFalse(kenning.succeeded(answers[-1], generation))
                self.assert_serves(server, generation)
            self.assertTrue(generation == "g1" or words in server.log, server.log)

    def test_requests_out_of_order_are_answered(self):
        with Server() as server:
            client = Client(server, "g4")
            client.ask(3, ADD.read_bytes())
            # DATA before IO_SPEC: the model's own types determine the inputs.
            self.assertTrue(kenning.succeeded(client.ask(2, SAMPLE.tobytes())[0], "g4"))
            self.assertTrue(kenning.succeeded(client.ask(7, SPEC)[0], "g4"))
            self.assertTrue(kenning.succeeded(client.ask(4)[0], "g4"))
            np.testing.assert_array_equal(np.frombuffer(client.ask(5)[0][3], np.float32), 3 * SAMPLE)
            # An answer instead of a request.
            client.send(struct.pack("<IBBHI", 4, 3 << 6, 0, 0x30, 0))
            self.assertFalse(kenning.succeeded(client.wait_for(6)[-1], "g4"))

    def test_the_specification_of_the_next_model_may_come_first(self):
        x, y, z = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4]) for name in "xyz")
        graph = helper.make_graph([helper.make_node("Add", ["x", "y"], ["z"])], "sum", [x, y], [z])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8).SerializeToString()
        described = lambda names: [{"name": name, "shape": [1, 4], "dtype": "float32"} for name in names]
        spec = json.dumps({"input": described("xy"), "output": described("z")}).encode()
        with Server() as server:
            client = Client(server, "g4")
            client.ask(3, ADD.read_bytes())
            # Reported as a warning: it may be a mistake.
            self.assertTrue(kenning.succeeded(client.ask(7, spec)[0], "g4"))
            self.assertIn("it is taken for that of the next MODEL", kenning.logged(kenning.split(client.stream, "g4")[0], "g4")[-1])
            self.assertFalse(kenning.succeeded(client.ask(2, SAMPLE.tobytes())[0], "g4"))
            self.assertTrue(kenning.succeeded(client.ask(3, model)[0], "g4"))
            for number, payload in ((2, np.arange(8, dtype="<f4").tobytes()), (4, b"")):
                self.assertTrue(kenning.succeeded(client.ask(number, payload)[0], "g4"))
            np.testing.assert_array_equal(np.frombuffer(client.ask(5)[0][3], "<f4"), [4, 6, 8, 10])

    def test_a_wrong_checksum_is_told(self):
        frame = bytearray(kenning.frame("g4", 2, SAMPLE.tobytes()))
        frame[5] = 0x4B
        for byte in bytes(frame[:5]) + bytes(frame[6:]):
            frame[5] ^= byte
        server = Server()
        with server:
            client = Client(server, "g4")
            client.ask(3, ADD.read_bytes())
            client.send(frame)
            self.assertTrue(kenning.succeeded(client.wait_for(2)[1], "g4"))
            frame[-1] ^= 1
            client.send(frame)
            self.assertTrue(kenning.succeeded(client.wait_for(3)[2], "g4"))
            texts = kenning.logged(kenning.split(client.stream, "g4")[0], "g4")
            self.assertEqual(len(texts), 1)
            self.assertIn("the checksum of DATA is wrong", texts[0])
            client.leave()
            self.assert_serves(server)
        self.assertIn("1 with a wrong checksum", server.log)

    def test_noise_is_answered_or_closed(self):
        chance = random.Random(3)
        with Server("--greeting", 1, "--message-limit", 1, "--idle-limit", 1, "--quiet") as server:
            for i in range(150):
                with server.connect() as noisy:
                    try:
                        noisy.sendall(chance.randbytes(chance.randrange(1, 300)))
                        if i % 3 == 0:  # Sometimes with a reset at the end.
                            noisy.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("<ii", 1, 0))
                        elif i % 3 == 1:
                            noisy.shutdown(socket.SHUT_WR)
                            while noisy.recv(1 << 16):
                                pass
                    except OSError:
                        pass
            time.sleep(1.1)
            self.assert_serves(server)

    def test_a_client_that_takes_no_answers_is_ended(self):
        with Server("--message-limit", 1) as server:
            client = Client(server, "g4")
            client.ask(3, ADD.read_bytes())
            client.ask(2, SAMPLE.tobytes())
            client.ask(4)
            client.socket.settimeout(5)
            try:
                for _ in range(200):
                    client.send(kenning.frame("g4", 5) * 500)
            except OSError:  # The server has closed the connection, or reads no more.
                pass
            self.assert_serves(server)
        self.assertIn("silent for too long", server.log)


class Processes(HostileTest):
    def test_a_client_that_is_killed_leaves_room_for_the_next(self):
        with Server() as server:
            killed = subprocess.Popen([tool.EXECUTABLE, "bench", MODELS / "signs_float.tflite", "--target", "tcp://" + server.address, "--duration", str(PATIENCE)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.assertTrue(wait_for(lambda: any(map(is_busy, children_of(server.process.pid)))), "nothing was run")
            killed.kill()
            killed.wait()
            self.assert_serves(server)
            self.assertTrue(wait_for(lambda: not children_of(server.process.pid)), children_of(server.process.pid))

    def test_a_server_that_is_killed_leaves_nothing(self):
        temporary, work = self.folder / "tmp", self.folder / "work"
        temporary.mkdir()
        work.mkdir()
        server = Server(cwd=work, env=dict(os.environ, TMPDIR=str(temporary)))
        client = Client(server, "g4")
        client.ask(3, ADD.read_bytes())
        self.assertEqual(Extension(client).load((MODELS / "signs_float.tflite").read_bytes())[0], 0)
        engines = children_of(server.process.pid)
        self.assertGreaterEqual(len(engines), 2)
        shared = shared_memory([server.process.pid, *engines])
        server.process.kill()
        server.process.communicate()
        left = lambda: [pid for pid in engines if pathlib.Path(f"/proc/{pid}/exe").exists()]
        self.assertTrue(wait_for(lambda: not left()), left())
        self.assertEqual((os.listdir(temporary), os.listdir(work)), ([], []))
        self.assertEqual([name for name in shared if os.path.exists(name)], [])
        client.socket.close()

    def test_an_engine_that_was_killed_while_it_waited_is_replaced(self):
        with Server() as server:
            client = Client(server, "g4")
            extension = Extension(client)
            self.assertEqual(extension.ask(HELLO, struct.pack("<I", 1) + text(b"test") + text(b"tflite"))[0], 0)
            (engine,) = children_of(server.process.pid)
            os.kill(engine, signal.SIGKILL)
            # The first thread is a zombie before the others have ended; the last one closes the connection.
            process = pathlib.Path(f"/proc/{engine}")
            self.assertTrue(wait_for(lambda: (process / "stat").read_text().rpartition(")")[2].split()[0] == "Z" and len(os.listdir(process / "task")) == 1))
            code, body = extension.load(ADD.read_bytes())
            self.assertEqual(code, 0, body)
            self.assertEqual(extension.ask(INFER, struct.pack("<II", 1, 1) + SAMPLE.tobytes())[0], 0)

    def test_a_server_without_shared_memory_says_so(self):
        def no_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

        with Server(preexec_fn=no_files) as server:
            client = Client(server, "g4")
            self.assertIn("shared memory", self.refused(client, 3, ADD.read_bytes()))
            self.assertTrue(kenning.succeeded(client.ask(7, SPEC)[0], "g4"))

    def test_a_disk_that_takes_nothing_does_not_matter(self):
        with Server(env=dict(os.environ, TMPDIR="/nowhere"), cwd="/proc") as server:
            self.assert_serves(server)
            common = ["run", MODELS / "signs_float.tflite", "--recipe", RECIPE, "--data", MODELS / "data/test", "--frames", 5, "--target", "tcp://" + server.address]
            run(*common, "--trace", self.folder / "t.mcap", expect=0)
            # On the host's side this is an error, and reported.
            self.assertIn("/dev/full", run(*common, "--trace", "/dev/full", "--force", expect={1, 2}).err)
            self.assert_serves(server)

    def test_a_client_on_pipes_that_reads_no_more_ends_the_server(self):
        for begins in (b"", kenning.frame("g4", 7, SPEC)):
            with self.subTest(begins=begins):
                served = subprocess.Popen([tool.EXECUTABLE, "serve", "--stdio", "--protocol", "g4", "--idle-limit", str(2 * PATIENCE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual(served.stdout.read(1), b"\0")
                served.stdout.close()
                served.stdin.write(begins)
                served.stdin.flush()
                self.assertEqual(served.wait(timeout=PATIENCE), 0)
                served.stdin.close()
                served.stderr.close()


class Growth(HostileTest):
    def test_memory_is_flat_over_samples_and_connections(self):
        frames = kenning.frame("g4", 2, SAMPLE.tobytes()) + kenning.frame("g4", 4) + kenning.frame("g4", 5)
        answers = 13 + 13 + 12 + 768

        def samples(client, count):
            for _ in range(count):
                client.socket.sendall(frames)
                left = answers
                while left:
                    got = len(client.socket.recv(left))
                    self.assertGreater(got, 0)
                    left -= got

        with Server("--protocol", "g4", "--quiet") as server:
            client = Client(server, "g4")
            client.ask(3, ADD.read_bytes())
            samples(client, 1000)
            (engine,) = children_of(server.process.pid)
            before = resident_kb(server.process.pid), resident_kb(engine)
            samples(client, 10_000)
            after = resident_kb(server.process.pid), resident_kb(engine)
            # STATS reports each of the newest 100,000 inferences: 16 bytes per sample.
            grown = [now - then for now, then in zip(after, before)]
            self.assertLess(grown[0], 16 * 10_000 * 2 // 1024 + 400)
            self.assertLess(grown[1], 400)
            print(f"10,000 samples: server {grown[0]} KB, engine {grown[1]} KB more")
            client.leave()
            descriptors = set()
            for i in range(1000):
                with server.connect() as short:
                    self.assertEqual(short.recv(1), b"\0")
                    short.sendall(kenning.frame("g4", 6))
                    self.assertTrue(short.recv(1 << 16))
                if i == 100:
                    before = resident_kb(server.process.pid)
                    descriptors = set(os.listdir(f"/proc/{server.process.pid}/fd"))
            grown = resident_kb(server.process.pid) - before
            print(f"900 connections: server {grown} KB more")
            self.assertLess(grown, 400)
            self.assertLessEqual(len(os.listdir(f"/proc/{server.process.pid}/fd")), len(descriptors) + 1)
            self.assert_serves(server)


if __name__ == "__main__":
    tool.main()
