# SPDX-License-Identifier: Apache-2.0
"""Plants faults in the pre-processing of four text classifiers and grades the verdicts of `edgeprobe diagnose`.

    bench/text/matrix.py EDGEPROBE [--seeds 1] [--out FILE.json] [--only WORDS]

An application tokenizes by `tokenizers`' own settings and runs the network in ONNX Runtime under a probe (`EDGEPROBE_BUILD` names the build with the
Python module); its trace is diagnosed with the network, its tokenizer.json and its recipe as reference. One text, and six; text pairs; two faults at
once; faults outside of every list; nothing wrong. Right: a cause before the model, confirmed or a note, names the planted fault; shared: the fault is
among equal explanations. Prints every case that is not right, and a table.
"""
import argparse
import collections
import itertools
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
import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402

import edgeprobe  # noqa: E402


NAMES = ("wordpiece", "bpe", "unigram", "bytes")


def record(name, files, trace, texts, faults=()):
    """Records a trace of the application; returns the frames in which the fault changed an input."""
    trace.unlink(missing_ok=True)
    app, right = apps.App(name, files[1], faults), apps.App(name, files[1])
    changed = []
    with edgeprobe.Probe(trace, wait_when_full=True) as probe:
        session = onnxruntime.InferenceSession(str(files[0]))
        session = edgeprobe.wrap(session, probe)
        for text in texts:
            parts = (text,) if isinstance(text, str) else text
            with probe.frame() as frame:
                for part, what in zip(("text", "second"), parts):
                    frame.text(part, what)
                row, meant = app.encode(*parts), right.encode(*parts)
                changed.append(any(not np.array_equal(row[key], meant[key]) for key in row))
                session.run(None, {key: np.clip(one, 0, 10 ** 6) if key != "input_ids" else one for key, one in row.items()})
    return changed


def rows(name, files, texts, faults):
    app = apps.App(name, files[1], faults)
    return [app.encode(*((text,) if isinstance(text, str) else text)) for text in texts]


def are_equal(a, b):
    return all(np.array_equal(one[key], other[key]) for one, other in zip(a, b) for key in one)


def seen(name, files, texts, plants, words):
    """The words of the faults that change something in addition to the others in these texts."""
    if len(plants) < 2:
        return words
    whole, left = rows(name, files, texts, plants), list(zip(plants, words))
    for one in list(left):
        rest = [plant for plant, _ in left if plant is not one[0]]
        if are_equal(rows(name, files, texts, rest), whole):
            left.remove(one)
    return [word for _, word in left]


def diagnose(tool, trace, name, files, *more):
    done = subprocess.run([tool, "diagnose", str(trace), "--reference", str(files[0]), "--reference-recipe", models.RECIPE[name], "--reference-tokenizer", str(files[1]),
                           "--python", sys.executable, *map(str, more), "--json"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in (0, 3, 4):
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def causes(verdict):
    """(status, the first explanation, the other explanations)."""
    return [(cause["status"], cause["detail"], " OR ".join(cause["alternatives"])) for cause in verdict["causes"] if cause["stage"] == "preprocessing"]


def grade(verdict, words, changed):
    """The planted faults, each by its words."""
    told = causes(verdict)
    if not any(changed):
        return "no effect" if not told else "false alarm"
    sure = [one for one in told if one[0] in ("confirmed", "note")]
    first, all_of_it = " AND ".join(one[1] for one in sure), " AND ".join(one[1] + " OR " + one[2] for one in sure)
    # The other explanations contain their first frame.
    anyhow = [re.sub(r"\.\*first at frame .*", "", word) for word in words]
    if sure and all(re.search(word, first) for word in words) and len(sure) == len(words):
        return "right"
    if sure and all(re.search(word, all_of_it) for word in anyhow):
        return "shared"
    nearest = " AND ".join(one[1] + " OR " + one[2] for one in told)
    if sure:
        return "part" if any(re.search(word, all_of_it) for word in words) else "wrong"
    return "right, unproven" if told and all(re.search(word, nearest) for word in words) else "undecided"


def texts_for(seed, count, takes, words=""):
    made = models.pairs(seed, count)[0] if takes == "pair" else models.telling(seed, count)[0]
    # With consecutive frames a short text comes first: after a full text an uncleared mask stays full.
    return made[1:] + made[:1] if "{first}" in words else made


def is_on(name, fault, on):
    return name in on or (name == "bytes" and fault in apps.ON_BYTES)


def of_frame(word, changed, faults):
    """The words with the first frame that differs; with two faults it is unknown to which of them the frame belongs."""
    return word.replace("{first}", str(changed.index(True)) if any(changed) and faults == 1 else r"\d+")


def cases(seeds):
    for seed, name in itertools.product(range(seeds), NAMES):
        for count in (1, 6):
            for fault, (plant, words, on, takes) in apps.FAULTS.items():
                if is_on(name, fault, on) and (count > 1 or "{first}" not in words):
                    yield f"single, {count} text{'s' * (count > 1)}", name, fault, [plant], [words], texts_for(seed, count, takes, words)
        mine = [(fault, *one) for fault, one in apps.FAULTS.items() if is_on(name, fault, one[2]) and one[3] != "pair"]
        random = np.random.default_rng(seed)
        for a, b in ((mine[i], mine[j]) for i, j in (random.choice(len(mine), 2, replace=False) for _ in range(40))):
            yield "two faults, 6 texts", name, f"{a[0]} + {b[0]}", [a[1], b[1]], [a[2], b[2]], texts_for(seed, 6, "", a[2] + b[2])
        for count in (1, 6):
            for fault, plant in apps.FOREIGN.items():
                yield f"foreign, {count} text{'s' * (count > 1)}", name, fault, [plant], ["^$"], texts_for(seed, count, "")
        for takes, count, some in itertools.product(("", "pair") if name != "bytes" else ("",), (1, 6), range(5)):
            yield "healthy", name, f"healthy {takes} {count} {some}", [], [], texts_for(100 * seed + some, count, takes)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    table, rows = collections.defaultdict(collections.Counter), []
    with tempfile.TemporaryDirectory(prefix="edgeprobe_text_") as folder:
        folder = pathlib.Path(folder)
        files = {name: models.write(name, folder) for name in NAMES}
        for group, name, fault, plants, words, texts in cases(options.seeds):
            if not re.search(options.only, f"{group} {name} {fault}"):
                continue
            try:
                changed = record(name, files[name], folder / "app.mcap", texts, plants)
            except Exception as error:  # the network refuses these two faults together, e.g. because of an id beyond its table
                table[group]["refused by the network"] += 1
                rows.append([group, name, fault, "refused by the network", str(error)[:80]])
                continue
            verdict = diagnose(options.tool, folder / "app.mcap", name, files[name])
            told = causes(verdict)
            words = [of_frame(word, changed, len(words)) for word in words]
            visible = seen(name, files[name], texts, plants, words)
            if group.startswith("foreign"):
                sure = [one for one in told if one[0] == "confirmed"]
                said = "no effect" if not any(changed) else "CONFIRMED" if sure else "undecided"
            elif group == "healthy":
                said = "right" if not told and verdict["verdict"] == "agrees" and not any(changed) else "FALSE ALARM"
            else:
                said = grade(verdict, visible, changed)
                said = "blind part, " + said if len(visible) < len(words) and said not in ("no effect", "false alarm") else said
            table[group][said] += 1
            rows.append([group, name, fault, said, told])
            if said not in ("right", "blind part, right", "no effect", "undecided"[:9 * group.startswith("foreign")]):
                print(f"{group}: {name}: {fault}: {said}: {told}")
    kinds = sorted({said for counts in table.values() for said in counts})
    print("\n" + " | ".join(["group", *kinds]))
    for group, counts in table.items():
        print(" | ".join([group, *(str(counts[said]) for said in kinds)]))
    if options.out:
        options.out.write_text(json.dumps(rows, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
