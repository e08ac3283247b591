# SPDX-License-Identifier: Apache-2.0
"""serve --listen serial: over pseudo-terminals: recorded Kenning clients, noise, lost bytes, slow and full lines."""
import contextlib
import os
import struct
import time

import numpy as np

import kenning
import tool
from serial_line import HEAD, End, LineServer, SerialTest, message, recorded_spec, sample, stream_of
from serve_test import ADD, LOGS, recorded
from tool import PATIENCE, run


class Talk:
    """A hand-written client on the other side of a pseudo-terminal."""

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
        """Pings like Kenning, up to six times. The time limit grows each time, for a busy machine."""
        for turn in range(6):
            answer = self.ask(0, flags=1, seconds=2**turn)
            if answer:
                return answer
            self.stream = b""
        raise AssertionError("no answer to PING")

    def whole(self, test, k=0):
        """A whole session: PING, specification, model, a sample, STATS, PING."""
        if self.generation != "g2":
            test.assertEqual(self.ping()[2] & 3, 1)
        self.end.write(recorded_spec(self.generation))
        self.wait_for(len(self.answers()) + 1)
        for number, payload in ((3, ADD.read_bytes()), (2, sample(k).tobytes()), (4, b"")):
            test.assertTrue(kenning.succeeded(self.ask(number, payload), self.generation))
        np.testing.assert_array_equal(np.frombuffer(self.ask(5)[3], "<f4"), 3 * sample(k))
        if self.generation != "g2":
            test.assertEqual(self.ask(0, flags=2)[2] & 3, 1)


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
                    # The recorded device was hand-written, and always answered the first sample.
                    inputs = [m[3] for m in kenning.split(sent, generation)[0] if m[0] == 2]
                    outputs = [m[3] for m in mine if len(m[3]) == 768]
                    self.assertEqual(len(outputs), len(inputs))
                    for x, y in zip(inputs, outputs):
                        np.testing.assert_array_equal(np.frombuffer(y, "<f4"), 3 * np.frombuffer(x, "<f4"))
                    size = 40 if generation == "g2" else 48
                    stats = mine[-1 if generation == "g2" else -2][3]
                    figures = {stats[i : i + 32].rstrip(b"\0").decode(): struct.unpack("<Q", stats[i + size - 8 : i + size])[0] for i in range(0, len(stats), size)}
                    self.assertTrue(100 < figures["target_inference_step"] < 1e9, figures)  # Nanoseconds: a smaller unit would give about 1.
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
                # The end of noise that looks like the beginning of a message is answered, or skipped.
                talk = Talk(end, generation)
                if k and generation == "g2":
                    continue  # A g2 client ends in silence: tested below.
                talk.whole(self, k)
        self.assertIn("closed", server.log)

    def test_a_client_right_after_one_of_g2_is_met(self):
        end = End()
        with LineServer(end.path) as server:
            for generation in ("g3", "g4"):
                Talk(end, "g2").whole(self)
                talk = Talk(end, generation)
                # Bytes arrive every two seconds: this does not count as silence.
                self.assertTrue(any(talk.ask(0, flags=1, seconds=2) for _ in range(6)), generation)
                talk.ask(0, flags=2)
        self.assertNotIn("did not come to its end", server.log)

    def test_a_message_without_its_end_is_told_with_the_time_of_silence(self):
        end = End()
        with LineServer(end.path) as server:
            talk = Talk(end, "g2")
            end.write(recorded_spec("g2"))
            talk.wait_for(1)
            end.write(message("g2", 3, bytes(1000))[:600])
            self.assertFalse(kenning.succeeded(talk.wait_for(2)[1], "g2"))
        self.assertIn("nothing of it came for 5000 ms, or less than 100 bytes a second", server.log)

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


if __name__ == "__main__":
    tool.main()
