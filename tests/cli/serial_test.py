# SPDX-License-Identifier: Apache-2.0
"""Serial lines over pseudo-terminals: serve --listen serial:, recorded clients and devices of Kenning, noise, lost bytes, slow and full lines."""
import contextlib
import json
import os
import pty
import select
import signal
import struct
import subprocess
import threading
import time
import tty
import unittest

import numpy as np

import kenning
import tool
from kenning_target_test import DATA, outputs_of
from serve_test import ADD, LOGS, recorded
from tool import MODELS, PATIENCE, RECIPE, run

HEAD = {"g3": 8, "g4": 12}


def part(generation, number, flags, payload=b"", flow=0):
    """One message of g3 or g4 with its checksum; written a second time for the test."""
    if generation == "g3":
        head = bytearray(struct.pack("<BBHI", number | flow << 6, 0, flags, len(payload)))
        place = 1
    else:
        head = bytearray(struct.pack("<IBBHI", number, flow << 6, 0, flags, len(payload)))
        place = 5
    checksum = 0x4B
    for byte in bytes(head) + payload:
        checksum ^= byte
    head[place] = checksum
    return bytes(head) + payload


def message(generation, number, payload=b"", flags=0):
    """A request as a client on a serial line sends it."""
    if generation == "g2":
        return kenning.frame("g2", number, payload)
    room = 136 - HEAD[generation]
    pieces = [payload[i : i + room] for i in range(0, len(payload), room)] or [b""]
    out = b""
    for i, piece in enumerate(pieces):
        bits = flags | (0x10 if i == 0 else 0) | (0x20 if i == len(pieces) - 1 else 0) | (8 if piece else 0)
        out += part(generation, number, bits, piece)
    return out


class End:
    """A pseudo-terminal; the program under test opens `path`, the test holds the other side."""

    def __init__(self):
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        self.path = os.ttyname(self.slave)

    def write(self, data):
        while data:
            data = data[os.write(self.master, data[:1024]) :]

    def read(self, seconds):
        return os.read(self.master, 1 << 16) if select.select([self.master], [], [], seconds)[0] else b""

    def close(self):
        os.close(self.master)
        os.close(self.slave)


class Line:
    """Two pseudo-terminals and a pump between them: `rate` bytes a second, and what it does to the bytes from the host and to it."""

    def __init__(self, rate=None, mangle=None, mangle_back=None):
        self.device, self.host, self.rate, self.mangle, self.stop = End(), End(), rate, mangle, False
        self.threads = [threading.Thread(target=self.pump, args=ends, daemon=True) for ends in ((self.host, self.device, mangle), (self.device, self.host, mangle_back))]
        for thread in self.threads:
            thread.start()

    def pump(self, source, sink, mangle):
        while not self.stop:
            with contextlib.suppress(OSError):
                data = source.read(0.05)
                if data and mangle:
                    data = mangle(data)
                for i in range(0, len(data), 256):
                    # Where nobody reads any more, a terminal takes no more.
                    while not self.stop and not select.select([], [sink.master], [], 0.05)[1]:
                        pass
                    if not self.stop:
                        sink.write(data[i : i + 256])
                    if self.rate:
                        time.sleep(256 / self.rate)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop = True
        for thread in self.threads:
            thread.join()
        self.device.close()
        self.host.close()


class LineServer:
    def __init__(self, path, *flags):
        self.process = subprocess.Popen([tool.EXECUTABLE, "serve", "--listen", f"serial:{path}", *map(str, flags)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on serial:"):
            raise AssertionError(line + self.process.stderr.read())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.log = self.process.communicate(timeout=PATIENCE)[1]
        if self.process.returncode != 0:
            raise AssertionError(f"the server ended with {self.process.returncode}: {self.log}")


class Talk:
    """A client by hand at the other side of a pseudo-terminal."""

    def __init__(self, end, generation):
        self.end, self.generation, self.stream = end, generation, b""

    def messages(self):
        return kenning.split(self.stream, self.generation)[0]

    def answers(self):
        return [m for m in self.messages() if not kenning.is_log(m, self.generation)]

    def wait_for(self, count, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while len(self.answers()) < count and time.monotonic() < end:
            self.stream += self.end.read(0.1)
        return self.answers()

    def ask(self, number, payload=b"", flags=0, seconds=PATIENCE):
        before = len(self.answers())
        self.end.write(message(self.generation, number, payload, flags))
        answers = self.wait_for(before + 1, seconds)
        return answers[before] if len(answers) > before else None

    def ping(self):
        """As Kenning does: up to six times. With more and more patience, for a busy machine."""
        for turn in range(6):
            answer = self.ask(0, flags=1, seconds=2**turn)
            if answer:
                return answer
            self.stream = b""
        raise AssertionError("no answer to PING")

    def whole(self, test, k=0):
        """PING, specification, model, a sample, STATS, PING."""
        if self.generation != "g2":
            test.assertEqual(self.ping()[2] & 3, 1)
        self.end.write(recorded_spec(self.generation))
        self.wait_for(len(self.answers()) + 1)
        for number, payload in ((3, ADD.read_bytes()), (2, sample(k).tobytes()), (4, b"")):
            test.assertTrue(kenning.succeeded(self.ask(number, payload), self.generation))
        np.testing.assert_array_equal(np.frombuffer(self.ask(5)[3], "<f4"), 3 * sample(k))
        if self.generation != "g2":
            test.assertEqual(self.ask(0, flags=2)[2] & 3, 1)


def sample(k):
    return (np.arange(192) % 16 / 16 + k).astype("<f4")


def stream_of(path, direction):
    _, events = recorded(path)
    return b"".join(bytes.fromhex(e["hex"]) for e in events if e.get("dir") == direction and "hex" in e)


def recorded_spec(generation):
    """IO_SPEC of add.bin, as a real client sent it."""
    messages = kenning.split(stream_of(LOGS / generation / "uart-good.jsonl", "c2s"), generation)[0]
    return message(generation, 7, next(m[3] for m in messages if m[0] == 7))


class SerialTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        if not LOGS.exists():
            self.skipTest("no recordings: EDGEPROBE_SHARED_DATA")


class RealClients(SerialTest):
    def test_recorded_clients_get_the_answers_that_they_got(self):
        done = 0
        for path in sorted(LOGS.glob("*/uart-good.jsonl")):
            generation = {"g2-early": "g2"}.get(path.parent.name, path.parent.name)
            for fixed in ((), ("--protocol", generation)):
                end = End()
                with self.subTest(path=path.parent.name, fixed=fixed), LineServer(end.path, *fixed):
                    talk = Talk(end, generation)
                    _, events = recorded(path)
                    theirs = [m for m in kenning.split(stream_of(path, "s2c"), generation)[0]]
                    sent = b""
                    for event in events:
                        if event.get("dir") == "c2s" and "hex" in event:
                            talk.wait_for(len(kenning.split(sent, generation)[0]))
                            sent += bytes.fromhex(event["hex"])
                            end.write(bytes.fromhex(event["hex"]))
                    mine = talk.wait_for(len(theirs))
                    self.assertEqual(len(mine), len(theirs))
                    for a, b in zip(mine, theirs):
                        self.assertEqual(kenning.succeeded(a, generation), kenning.succeeded(b, generation))
                        self.assertEqual(a[0], b[0])
                    # The recorded device was made by hand, and answered the first sample always.
                    inputs = [m[3] for m in kenning.split(sent, generation)[0] if m[0] == 2]
                    outputs = [m[3] for m in mine if len(m[3]) == 768]
                    self.assertEqual(len(outputs), len(inputs))
                    for x, y in zip(inputs, outputs):
                        np.testing.assert_array_equal(np.frombuffer(y, "<f4"), 3 * np.frombuffer(x, "<f4"))
                    size = 40 if generation == "g2" else 48
                    stats = mine[-1 if generation == "g2" else -2][3]
                    figures = {stats[i : i + 32].rstrip(b"\0").decode(): struct.unpack("<Q", stats[i + size - 8 : i + size])[0] for i in range(0, len(stats), size)}
                    self.assertTrue(100 < figures["target_inference_step"] < 1e9, figures)  # Nanoseconds: a thousandth of it would be 1 or so.
                    self.assertTrue(1e6 < figures["host_bytes_peak"] < 1e9, figures)
                    if generation != "g2":
                        self.assert_checksums(talk.stream, generation)
                    done += 1
                end.close()
        self.assertGreaterEqual(done, 8)

    def assert_checksums(self, stream, generation):
        place = 1 if generation == "g3" else 5
        while stream:
            size = HEAD[generation] + struct.unpack("<I", stream[HEAD[generation] - 4 : HEAD[generation]])[0]
            self.assertLessEqual(size, 136)
            checksum = 0x4B
            for i, byte in enumerate(stream[:size]):
                checksum ^= byte if i != place else 0
            self.assertEqual(checksum, stream[place])
            stream = stream[size:]


class BadLines(SerialTest):
    def test_clients_come_one_after_the_other_in_any_generation_with_noise_between(self):
        end = End()
        rng = np.random.default_rng(1)
        with LineServer(end.path) as server:
            for k, generation in enumerate(("g2", "g4", "g3", "g4", "g2", "g3")):
                if generation == "g2" and k:
                    time.sleep(0.1)
                end.write(rng.integers(1, 255, 300, dtype=np.uint8).tobytes())
                # What is left of noise that looks like the beginning of a message is answered, or passed over.
                talk = Talk(end, generation)
                if k and generation == "g2":
                    continue  # A client of g2 ends in silence: below.
                talk.whole(self, k)
        self.assertIn("closed", server.log)

    def test_a_damaged_message_is_told_and_the_client_goes_on(self):
        end = End()
        with LineServer(end.path):
            for generation in ("g3", "g4"):
                talk = Talk(end, generation)
                self.assertEqual(talk.ask(0, flags=1)[2] & 3, 1)
                spec = bytearray(recorded_spec(generation))
                spec[40] ^= 4
                before = len(talk.answers())
                end.write(bytes(spec))
                answer = talk.wait_for(before + 1)[before]
                self.assertFalse(kenning.succeeded(answer, generation))
                self.assertIn("the checksum of IO_SPEC is wrong", "".join(kenning.logged(talk.messages(), generation)))
                end.write(recorded_spec(generation))
                self.assertTrue(kenning.succeeded(talk.wait_for(before + 2)[before + 1], generation))
                talk.ask(0, flags=2)

    def test_a_lost_byte_is_told_and_the_next_client_is_served(self):
        end = End()
        with LineServer(end.path, "--message-limit", 1):
            for generation in ("g4", "g3", "g2"):
                talk = Talk(end, generation)
                if generation != "g2":
                    talk.ask(0, flags=1)
                end.write(recorded_spec(generation))
                talk.wait_for(len(talk.answers()) + 1)
                before = len(talk.answers())
                data = message(generation, 2, sample(0).tobytes())
                end.write(data[:400] + data[401:])
                answers = talk.wait_for(before + 1)
                self.assertGreater(len(answers), before, generation)
                self.assertFalse(kenning.succeeded(answers[before], generation))
                time.sleep(0.2)
                Talk(end, generation).whole(self)
                if generation == "g2":
                    continue

    def test_a_line_that_nobody_reads_does_not_hold_the_server(self):
        end = End()
        with LineServer(end.path, "--message-limit", 1) as server:
            talk = Talk(end, "g4")
            talk.ask(0, flags=1)
            end.write(recorded_spec("g4"))
            talk.wait_for(2)
            for number, payload in ((3, ADD.read_bytes()), (2, sample(0).tobytes()), (4, b"")):
                talk.ask(number, payload)
            with contextlib.suppress(BlockingIOError):
                os.set_blocking(end.master, False)
                for _ in range(400):
                    end.write(message("g4", 5))
            os.set_blocking(end.master, True)
            time.sleep(2)
            while end.read(0.5):
                pass

    def test_a_line_in_use_is_told(self):
        end = End()
        with LineServer(end.path):
            self.assertIn("another program uses it", run("serve", "--listen", f"serial:{end.path}", expect=1).err)

    def test_a_line_that_goes_away_ends_the_server(self):
        end = End()
        server = LineServer(end.path)
        end.close()
        _, err = server.process.communicate(timeout=PATIENCE)
        self.assertEqual(server.process.returncode, 1)
        self.assertIn("is gone", err)


class OwnClient(SerialTest):
    def record(self, name, *flags, expect=0):
        (self.folder / name).unlink(missing_ok=True)
        return run("run", MODELS / "signs_int8.tflite", "--recipe", RECIPE + " | quantize(model)", *DATA, "--trace", self.folder / name, *flags, expect=expect)

    def differences(self, a, b):
        outcome = run("compare", self.folder / a, self.folder / b, "--json", "-", expect=0)
        return {layer["rmse"] for layer in json.loads(outcome.out)["layers"]}

    def test_a_server_is_reached_in_the_manner_of_kenning(self):
        self.record("here.mcap")
        for generation in ("g2", "g3", "g3-late", "g4"):
            with self.subTest(generation=generation), Line() as line, LineServer(line.device.path, "--protocol", generation):
                self.record("there.mcap", "--target", f"kenning:{line.host.path}?generation={generation}")
                self.assertEqual(self.differences("here.mcap", "there.mcap"), {0.0})

    def test_two_hosts_in_turn_over_a_slow_line(self):
        self.record("here.mcap")
        with Line(rate=92_160) as line, LineServer(line.device.path):
            for generation in ("g4", "g3"):
                self.record("there.mcap", "--target", f"kenning:{line.host.path}?baud=921600&generation={generation}")
                self.assertEqual(self.differences("here.mcap", "there.mcap"), {0.0})

    def test_the_extension_goes_over_a_line(self):
        """Layers captured there, hosts one after the other, one of them killed; the verdict is that of here."""
        self.record("here.mcap", "--level", "layers")
        with Line() as line, LineServer(line.device.path) as server:
            target = ("--target", f"serial:{line.host.path}?baud=921600")
            self.record("there.mcap", "--level", "layers", *target)
            self.assertEqual(self.differences("here.mcap", "there.mcap"), {0.0})
            # Before, within and behind its first request to repeat inferences, whose answer is long.
            for seconds in (0.3, 1, 3):
                killed = subprocess.Popen([tool.EXECUTABLE, "bench", MODELS / "signs_int8.tflite", *target, "--duration", "60"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(seconds)
                killed.kill()
                killed.wait()
            check = ["check", MODELS / "signs_int8.tflite", "--recipe", RECIPE.replace("rgb", "bgr") + " | quantize(model)", "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE, *DATA]
            self.assertEqual(run(*check, *target, expect=3).out, run(*check, expect=3).out)
            # A client of Kenning after it, on the same line.
            self.record("there.mcap", "--target", f"kenning:{line.host.path}?generation=g3")
        self.assertEqual(self.differences("here.mcap", "there.mcap"), {0.0})
        self.assertNotIn("damaged", server.log)

    def test_bytes_that_a_line_changes_or_loses_are_sent_again(self):
        self.record("here.mcap", "--level", "layers")

        def two_wrong_bytes_that_cancel_out(data):
            return data[:8] + bytes([data[8] ^ 1, data[9] ^ 1]) + data[10:]

        def one_wrong_byte(data):
            return data[:50] + bytes([data[50] ^ 4]) + data[51:]

        def lost(data):
            return data[:20] + data[23:]

        for fault in (two_wrong_bytes_that_cancel_out, one_wrong_byte, lost):
            for way in ("to the device", "to the host"):
                with self.subTest(fault.__name__, way=way):
                    done = []

                    def mangle(data):
                        # In the middle of the samples, once.
                        self.bytes += len(data)
                        if done or self.bytes < (120_000 if way == "to the device" else 30_000) or len(data) < 60:
                            return data
                        done.append(fault)
                        return fault(data)

                    self.bytes = 0
                    ways = {"mangle": mangle} if way == "to the device" else {"mangle_back": mangle}
                    with Line(**ways) as line, LineServer(line.device.path):
                        self.record("there.mcap", "--level", "layers", "--target", f"serial:{line.host.path}?baud=921600")
                    self.assertEqual(done, [fault])
                    self.assertEqual(self.differences("here.mcap", "there.mcap"), {0.0})

    def test_nobody_at_the_other_end_is_told(self):
        with Line() as line:
            self.assertIn("no answer to PING: nobody serves there", self.record("there.mcap", "--target", f"serial:{line.host.path}", expect=1).err)

    def test_recorded_devices_are_asked_as_their_clients_asked(self):
        done = 0
        for path in sorted(LOGS.glob("*/uart-*.jsonl")):
            generation = {"g2-early": "g2"}.get(path.parent.name, path.parent.name)
            with self.subTest(path=f"{path.parent.name}/{path.name}"):
                self.play(path, generation)
                done += 1
        self.assertGreaterEqual(done, 14)

    def play(self, path, generation):
        """A stand-in for the device: it answers by its log alone."""
        _, events = recorded(path)
        answers, sent = [], b""
        for event in events:
            if "hex" not in event:
                continue
            data = bytes.fromhex(event["hex"])
            if event["dir"] == "c2s":
                sent += data
                count = len(kenning.split(sent, generation)[0])
                answers += [b"" for _ in range(count - len(answers))]
            else:
                answers[-1] += data
        requests = kenning.split(sent, generation)[0]
        samples = [np.frombuffer(r[3], "<f4").reshape(1, 8, 8, 3) for r in requests if r[0] == 2]
        np.savez(self.folder / "in.npz", x=np.concatenate(samples) if samples else np.zeros((1, 8, 8, 3), np.float32))
        model = self.folder / "m.tflite"
        model.write_bytes(ADD.read_bytes())
        end, got, stop = End(), [b""], threading.Event()

        def device():
            answered = 0
            while not stop.is_set():
                got[0] += end.read(0.02)
                whole = len(kenning.split(got[0], generation)[0])
                while answered < min(whole, len(answers)):
                    end.write(answers[answered])
                    answered += 1

        thread = threading.Thread(target=device, daemon=True)
        thread.start()
        trace = self.folder / "t.mcap"
        trace.unlink(missing_ok=True)
        good = {"uart-good", "uart-late-ping"}
        limit = PATIENCE if path.stem in good else 3
        outcome = run("run", model, "--data", self.folder / "in.npz", "--trace", trace, "--time-limit", limit, "--target", f"kenning:{end.path}?generation={generation}")
        stop.set()
        thread.join()
        end.close()
        mine = kenning.split(got[0], generation)[0]
        self.assertTrue(mine)
        self.assertEqual(outcome.returncode, 0 if path.stem in good else 1, outcome.err)
        if path.stem in good:
            self.assertEqual(got[0], sent, "the same to the byte")
            array = next(v for k, v in outputs_of(trace, self.folder).items() if k.startswith("model_output/"))
            theirs = [m[3] for m in kenning.split(b"".join(answers), generation)[0] if len(m[3]) == 768]
            self.assertEqual([a.tobytes() for a in array], theirs)
            return
        self.assertEqual(mine[: len(requests)], requests[: len(mine)])
        words = {"uart-fail-model": "refused MODEL", "uart-mute-device": "no answer to", "uart-ping-refused": "refuses to be connected", "uart-wrong-checksum-reply": "checksum"}
        self.assertIn(words[path.stem], outcome.err)


if __name__ == "__main__":
    tool.main()
