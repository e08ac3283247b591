# SPDX-License-Identifier: Apache-2.0
"""The faults of apps.py, and those of the input's context, planted around a trained voice detector whose state goes in and out.

    bench/state/voice.py EDGEPROBE MODEL.onnx SPEECH.wav [OTHER.wav] [--out FILE.json]

MODEL: Silero's detector for 16 kHz (silero_vad_16k_op15.onnx of the package `silero-vad`, MIT; it is not part of this repository): `input` [1, 576],
the 64 samples before a chunk and its 512, `state` [2, 1, 128], `sr`; `output`, `stateN`. `diagnose` receives the trace and the model; for the context
and the order of chunks also the trace of the correct application. Prints every wrong answer, and a table.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import wave

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import apps  # noqa: E402
import models  # noqa: E402
import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402

import edgeprobe  # noqa: E402

CHUNK, CONTEXT = 512, 64
models.STATES["voice"] = {"state": ("stateN", (2, 1, 128))}


def samples(path):
    with wave.open(str(path)) as file:
        if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (16000, 1, 2):
            sys.exit(f"{path}: expected 16 kHz, one channel, 16 bits")
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768


class App(apps.App):
    """`window(app, chunks, i)` makes the 576 samples of chunk i of a sequence."""

    def __init__(self, audio, fault=None, window=None, order=lambda steps: steps, **more):
        super().__init__("voice", fault, **more)
        self.audio, self.window, self.order = audio, window or right, order

    def run(self, infer, frame):
        for sequence, length in enumerate(self.lengths):
            chunks = self.audio[sequence % len(self.audio)][:length * CHUNK].reshape(length, CHUNK)
            for self.step, i in enumerate(self.order(list(range(length)))):
                self.number += 1
                self.begins, self.before = self.step == 0, self.fed
                self.fed = {key: (self.initial[key] if self.begins else self.made[-1][output]).copy() for key, output in self.states.items()}
                if self.fault:
                    self.fault(self)
                feeds = {"input": self.window(self, chunks, i)[None], "sr": np.array(16000, np.int64), **self.fed}
                with frame(self.begins):
                    self.made.append({key: np.array(one) for key, one in infer(feeds).items()})


def right(app, chunks, i):
    return np.concatenate([chunks[i - 1][-CONTEXT:] if i else np.zeros(CONTEXT, np.float32), chunks[i]])


def with_context(make):
    return lambda app, chunks, i: np.concatenate([make(app, chunks, i), chunks[i]]).astype(np.float32)


def late(app, chunks, i):
    return right(app, chunks, max(0, i - 1))


def zeros(app, chunks, i):
    return np.zeros(CONTEXT)


#: Faults of the input: (window, order, words of the cause, the first bad frame).
WINDOWS = {
    "no context": (with_context(zeros), None, r"the first 64 values? of the app's windows are zeros", 1),
    "one chunk late": (late, None, r"lies 512 values .*before", 1),
    "stale in two steps": (lambda app, chunks, i: late(app, chunks, i) if app.number in (4, 20) else right(app, chunks, i), None, r"before its own", 4),
    "a chunk lost": (None, lambda steps: steps[:3] + steps[4:] + steps[-1:] if len(steps) == 9 else steps, r"", 3),
    "two chunks exchanged": (None, lambda steps: [0, 1, 3, 2, *steps[4:]] if len(steps) == 9 else steps, r"each other's place", 2),
    "context from the wrong end": (with_context(lambda app, chunks, i: chunks[i - 1][:CONTEXT] if i else np.zeros(CONTEXT)), None, r"448 values before", 1),
    "context of this chunk": (with_context(lambda app, chunks, i: chunks[i][-CONTEXT:]), None, r"512 values .*behind", 0),
}
#: Faults that are in no list.
FOREIGN = {
    "half as loud": lambda app, chunks, i: (right(app, chunks, i) * np.float32(0.5)),
    "noise": lambda app, chunks, i: (right(app, chunks, i) + app.noise.normal(0, 0.02, CONTEXT + CHUNK)).astype(np.float32),
    "backwards": lambda app, chunks, i: right(app, chunks, i)[::-1].copy(),
    "every second sample twice": lambda app, chunks, i: np.repeat(right(app, chunks, i)[::2], 2),
}


def record(model, trace, app, said="begins,states"):
    trace.unlink(missing_ok=True)
    with edgeprobe.Probe(trace, wait_when_full=True) as probe:
        session = edgeprobe.wrap(onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"]), probe)
        names = [one.name for one in session.get_outputs()]

        class Frame:
            def __init__(self, begins):
                self.frame, self.begins = probe.frame(), begins

            def __enter__(self):
                one = self.frame.__enter__()
                if self.begins and "begins" in said:
                    one.begin_sequence()

            def __exit__(self, *error):
                return self.frame.__exit__(*error)
        app.run(lambda feeds: dict(zip(names, session.run(None, feeds))), Frame)
        if "states" in said:
            probe.describe(states="stateN=state")
    return trace


def diagnose(tool, trace, model, *more):
    done = subprocess.run([tool, "diagnose", str(trace), "--reference", str(model), "--model", str(model), *map(str, more), "--json"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in (0, 3, 4):
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def causes(verdict):
    return [(cause["kind"], cause["status"], cause["stage"], cause["detail"] + "".join(f" OR {other}" for other in cause["alternatives"])) for cause in verdict["causes"]]


def is_told(told, words, first):
    return any(status in ("confirmed", "note") and re.search(words, detail) and (first is None or f"first at frame {first}" in detail) for _, status, _, detail in told)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("speech", type=pathlib.Path, nargs="+")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    audio = [samples(path) for path in options.speech]
    table, wrong = collections.defaultdict(collections.Counter), []

    def note(group, fault, grade, verdict):
        table[group][grade] += 1
        if grade not in ("right", "not confirmed", "silent"):
            wrong.append({"group": group, "fault": fault, "verdict": verdict["verdict"], "causes": causes(verdict)})
            print(f"{group} {fault}: {grade}: {verdict['verdict']} {causes(verdict)} {verdict['warnings'][:2]}", flush=True)

    with tempfile.TemporaryDirectory(prefix="edgeprobe_voice_") as folder:
        folder = pathlib.Path(folder)
        meant = App(audio)
        record(options.model, folder / "right.mcap", meant)
        for said in ("begins,states", "begins", "states", ""):
            verdict = diagnose(options.tool, record(options.model, folder / "app.mcap", App(audio), said), options.model)
            note("healthy", said, "silent" if verdict["verdict"] == "agrees" and not verdict["causes"] else "FALSE ALARM", verdict)
        verdict = diagnose(options.tool, folder / "app.mcap", options.model, "--reference-trace", folder / "right.mcap")
        note("healthy", "against its own trace", "silent" if verdict["verdict"] == "agrees" and not verdict["causes"] else "FALSE ALARM", verdict)
        for fault, (plant, words, first, on) in apps.FAULTS.items():
            if on is not None:
                continue
            trace = record(options.model, folder / "app.mcap", App(audio, plant))
            more = ("--reference-trace", folder / "right.mcap") if fault == "another initial value" else ()
            verdict = diagnose(options.tool, trace, options.model, *more)
            note("states", fault, "right" if is_told(causes(verdict), words, first) else "otherwise", verdict)
        for fault, plant in apps.FOREIGN.items():
            verdict = diagnose(options.tool, record(options.model, folder / "app.mcap", App(audio, plant)), options.model)
            sure = any(status in ("confirmed", "note") and stage == "state" for _, status, stage, _ in causes(verdict))
            note("states, foreign", fault, "CONFIRMED" if sure else "not confirmed", verdict)
        for fault, (window, order, words, first) in WINDOWS.items():
            app = App(audio, window=window, **({"order": order} if order else {}))
            verdict = diagnose(options.tool, record(options.model, folder / "app.mcap", app), options.model, "--reference-trace", folder / "right.mcap")
            told = causes(verdict)
            right_said = is_told([one for one in told if one[0] in ("window", "other_frame")], words, first)
            note("windows", fault, "right" if right_said else "differs, without a name" if any(one[0] == "pipeline_stage" for one in told) else "otherwise", verdict)
        for fault, window in FOREIGN.items():
            verdict = diagnose(options.tool, record(options.model, folder / "app.mcap", App(audio, window=window)), options.model, "--reference-trace", folder / "right.mcap")
            sure = any(kind in ("window", "other_frame") for kind, _, _, _ in causes(verdict))
            note("windows, foreign", fault, "CONFIRMED" if sure else "not confirmed", verdict)
    for group, grades in table.items():
        print(f"{group}: {dict(grades)} of {sum(grades.values())}")
    if options.out:
        options.out.write_text(json.dumps({"table": table, "wrong": wrong}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
