# SPDX-License-Identifier: Apache-2.0
"""Plants faults of carried states in three networks and grades the verdicts of `edgeprobe diagnose`.

    bench/state/matrix.py EDGEPROBE [--models lstm,gru,cell] [--seeds 1] [--out FILE.json]

An application runs the network in the engine's own Python under a probe (`EDGEPROBE_BUILD` names the build with the Python module), and the trace is
diagnosed with the network as reference and as the target's own model. Right: the cause is of stage `state` (a counter: its input), confirmed or a
note, and names the planted fault and its first frame. Prints every other case, and a table.
"""
import argparse
import collections
import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import apps  # noqa: E402
import models  # noqa: E402

import edgeprobe  # noqa: E402


def record(name, model, trace, fault=None, said="begins,states", frames=None, **more):
    """A trace of the application; `said`: descriptions that it passes to the probe."""
    app = apps.App(name, fault, **more)
    trace.unlink(missing_ok=True)
    with edgeprobe.Probe(trace, wait_when_full=True) as probe:
        infer = apps.engine(name, model, lambda one: edgeprobe.wrap(one, probe))

        @contextlib.contextmanager
        def frame(begins):
            with probe.frame() as one:
                if begins and "begins" in said:
                    one.begin_sequence()
                yield
        app.run(infer, frame)
        if "states" in said:
            probe.describe(states=",".join(f"{output}={key}" for key, output in app.states.items()))
    return trace


def record_inner(model, trace, is_reset=lambda step, begins: step in begins, **more):
    """The same for a network that keeps its states inside."""
    trace.unlink(missing_ok=True)
    with edgeprobe.Probe(trace, wait_when_full=True) as probe:
        begins = apps.run_inner(model, lambda one: edgeprobe.wrap(one, probe), probe.frame, is_reset, **more)
        probe.describe(inputs="tensors", sequence_begins=",".join(map(str, begins)))
    return trace


def diagnose(tool, trace, model, *more):
    done = subprocess.run([tool, "diagnose", str(trace), "--reference", str(model), *map(str, more), "--json"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in (0, 3, 4):
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def causes(verdict):
    return [(cause["kind"], cause["status"], cause["stage"], cause["detail"] + "".join(f" OR {other}" for other in cause["alternatives"])) for cause in verdict["causes"]]


def is_told(verdict, words, first, counter=False):
    return any(status in ("confirmed", "note") and re.search(words, detail) and (first is None or f"first at frame {first}" in detail) and (counter or kind == "state")
               for kind, status, _, detail in causes(verdict))


def cases(names):
    for name in names:
        for fault, (plant, words, first, on) in apps.FAULTS.items():
            if on is None or name in on:
                yield "single", name, fault, plant, lambda verdict, words=words, first=first: is_told(verdict, words, first)
        if name in models.COUNTERS:
            for fault, (plant, words, first) in apps.COUNTER_FAULTS.items():
                yield "counter", name, fault, plant, lambda verdict, words=words, first=first: is_told(verdict, words, first, True)
        for fault, (plant, words, on) in apps.PAIRS.items():
            if on is None or name in on:
                yield "pair", name, fault, plant, lambda verdict, words=words: all(is_told(verdict, one, None) for one in words)
        for fault, plant in apps.FOREIGN.items():
            yield "foreign", name, fault, plant, lambda verdict: not any(status in ("confirmed", "note") and stage == "state" for _, status, stage, _ in causes(verdict)) and \
                any(stage == "state" and "first at frame" in detail for _, _, stage, detail in causes(verdict))
        for lengths in (apps.LENGTHS, (30,), (1,) * 12, (2, 3, 2, 4, 11)):
            for initial in (0.0, 0.25):
                for said in ("begins,states", "begins", "states", ""):
                    yield "healthy", name, f"{lengths} from {initial}, says {said or 'nothing'}", (lengths, initial, said), lambda verdict: verdict["verdict"] == "agrees" and not verdict["causes"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--models", default="lstm,gru,cell")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    table, wrong = collections.defaultdict(collections.Counter), []
    with tempfile.TemporaryDirectory(prefix="edgeprobe_state_") as folder:
        folder = pathlib.Path(folder)
        files = {name: models.write(name, folder) for name in options.models.split(",")}
        kept = models.inner(folder / "inner.tflite")
        for seed in range(options.seeds):
            for fault, (is_reset, words) in {"": (lambda step, begins: step in begins, None), **apps.RESETS}.items():
                trace = record_inner(kept, folder / "app.mcap", is_reset, seed=seed)
                verdict = diagnose(options.tool, trace, kept, "--reference-engine", "tflite", "--model", kept, "--engine", "tflite")
                right = is_told(verdict, words, None) if fault else verdict["verdict"] == "agrees" and not verdict["causes"]
                grade = "right" if right else "without effect" if verdict["verdict"] == "agrees" else "otherwise"
                table["inside"][grade] += 1
                if grade == "otherwise":
                    wrong.append({"group": "inside", "fault": fault, "seed": seed, "verdict": verdict["verdict"], "causes": causes(verdict)})
                    print(f"inside {fault}: {verdict['verdict']} {causes(verdict)} {verdict['warnings'][:2]}", flush=True)
            for group, name, fault, plant, right in cases(files):
                trace, how = folder / "app.mcap", {"seed": seed}
                if group == "healthy":
                    record(name, files[name], trace, said=plant[2], lengths=plant[0], initial=plant[1], **how)
                else:
                    record(name, files[name], trace, plant, **how)
                # A counter, and the initial values of sequences, can only be judged with the trace of a correct app.
                more = ("--reference-trace", record(name, files[name], folder / "right.mcap", **how)) if group == "counter" or fault == "another initial value" else ()
                verdict = diagnose(options.tool, trace, files[name], "--model", files[name], *more)
                grade = "right" if right(verdict) else "confirmed wrongly" if group != "single" and any(c[1] == "confirmed" for c in causes(verdict)) and group in ("foreign", "healthy") else "otherwise"
                table[group][grade] += 1
                if grade != "right":
                    wrong.append({"group": group, "model": name, "fault": fault, "seed": seed, "verdict": verdict["verdict"], "causes": causes(verdict)})
                    print(f"{group} {name} {fault}: {verdict['verdict']} {causes(verdict)} {verdict['warnings'][:2]}", flush=True)
    for group, grades in table.items():
        print(f"{group}: {dict(grades)} of {sum(grades.values())}")
    if options.out:
        options.out.write_text(json.dumps({"table": table, "wrong": wrong}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
