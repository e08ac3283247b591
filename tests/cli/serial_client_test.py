# SPDX-License-Identifier: Apache-2.0
"""--target over serial lines: our own server, several hosts in turn, changed and lost bytes, and recorded Kenning devices."""
import json
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import kenning
import tool
import traces
from kenning_target_test import DATA
from serial_line import End, Line, LineServer, SerialTest
from serve_test import ADD, LOGS, recorded
from tool import MODELS, PATIENCE, RECIPE, run


class OwnClient(SerialTest):
    GOOD = {"uart-good", "uart-late-ping"}

    def record(self, name, *flags, expect=0):
        (self.folder / name).unlink(missing_ok=True)
        return run("run", MODELS / "signs_int8.tflite", "--recipe", RECIPE + " | quantize(model)", *DATA, "--trace", self.folder / name, *flags, expect=expect)

    def at_once(self, work, cases, judge):
        """Runs all cases in parallel, because they mostly wait, and judges them one by one: judge(result of work(*case), *case)."""
        with ThreadPoolExecutor(len(cases)) as pool:
            begun = [(case, pool.submit(work, *case)) for case in cases]
        for case, found in begun:
            with self.subTest(case=[getattr(part, "__name__", str(part)) for part in case]):
                judge(found.result(), *case)

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
        """Layers captured remotely, several hosts in turn, one of them killed; the verdict equals the local one."""
        self.record("here.mcap", "--level", "layers")
        with Line() as line, LineServer(line.device.path) as server:
            target = ("--target", f"serial:{line.host.path}?baud=921600")
            self.record("there.mcap", "--level", "layers", *target)
            self.assertEqual(self.differences("here.mcap", "there.mcap"), {0.0})
            # Before, during and after its first request to repeat inferences, whose answer is long.
            for seconds in (0.3, 1, 3):
                killed = subprocess.Popen([tool.EXECUTABLE, "bench", MODELS / "signs_int8.tflite", *target, "--duration", "60"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(seconds)
                killed.kill()
                killed.wait()
            check = ["check", MODELS / "signs_int8.tflite", "--recipe", RECIPE.replace("rgb", "bgr") + " | quantize(model)", "--reference", MODELS / "signs_float.tflite", "--reference-recipe", RECIPE, *DATA]
            self.assertEqual(run(*check, *target, expect=3).out, run(*check, expect=3).out)
            # Then a Kenning client on the same line.
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

        def recorded_over(fault, way):
            """The number of times that the fault occurred, and its effect on the trace."""
            done, passed, trace = [], 0, f"{fault.__name__} {way}.mcap"

            def mangle(data):
                # Once, in the middle of the samples.
                nonlocal passed
                passed += len(data)
                if done or passed < (120_000 if way == "mangle" else 30_000) or len(data) < 60:
                    return data
                done.append(fault)
                return fault(data)

            with Line(**{way: mangle}) as line, LineServer(line.device.path):
                self.record(trace, "--level", "layers", "--target", f"serial:{line.host.path}?baud=921600")
            return len(done), self.differences("here.mcap", trace)

        # In both directions: to the device, and to the host.
        self.at_once(recorded_over, [(fault, way) for fault in (two_wrong_bytes_that_cancel_out, one_wrong_byte, lost) for way in ("mangle", "mangle_back")],
                     lambda found, *_: self.assertEqual(found, (1, {0.0})))

    def test_nobody_at_the_other_end_is_told(self):
        with Line() as line:
            self.assertIn("no answer to PING: no server runs there", self.record("there.mcap", "--target", f"serial:{line.host.path}", expect=1).err)

    def test_recorded_devices_are_asked_as_their_clients_asked(self):
        cases = [(path, {"g2-early": "g2"}.get(path.parent.name, path.parent.name)) for path in sorted(LOGS.glob("*/uart-*.jsonl"))]
        self.assertGreaterEqual(len(cases), 14)
        self.at_once(self.play, cases, self.judge)

    def play(self, path, generation):
        """A stand-in for the device: it answers only from its log. Returns the bytes sent, originally and now, and how our client ended."""
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
        folder = self.folder / f"{path.parent.name} {path.stem}"
        folder.mkdir()
        np.savez(folder / "in.npz", x=np.concatenate(samples) if samples else np.zeros((1, 8, 8, 3), np.float32))
        model = folder / "m.tflite"
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
        limit = PATIENCE if path.stem in self.GOOD else 3
        outcome = run("run", model, "--data", folder / "in.npz", "--trace", folder / "t.mcap", "--time-limit", limit, "--target", f"kenning:{end.path}?generation={generation}")
        stop.set()
        thread.join()
        end.close()
        return sent, b"".join(answers), got[0], outcome, folder

    def judge(self, played, path, generation):
        sent, answers, got, outcome, folder = played
        mine, requests = kenning.split(got, generation)[0], kenning.split(sent, generation)[0]
        self.assertTrue(mine)
        self.assertEqual(outcome.returncode, 0 if path.stem in self.GOOD else 1, outcome.err)
        if path.stem in self.GOOD:
            self.assertEqual(got, sent, "the same to the byte")
            array = next(v for k, v in traces.exported(folder / "t.mcap").items() if k.startswith("model_output/"))
            theirs = [m[3] for m in kenning.split(answers, generation)[0] if len(m[3]) == 768]
            self.assertEqual([a.tobytes() for a in array], theirs)
            return
        self.assertEqual(mine[: len(requests)], requests[: len(mine)])
        words = {"uart-fail-model": "refused MODEL", "uart-mute-device": "no answer to", "uart-ping-refused": "refuses to be connected", "uart-wrong-checksum-reply": "checksum"}
        self.assertIn(words[path.stem], outcome.err)


if __name__ == "__main__":
    tool.main()
