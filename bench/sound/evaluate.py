# SPDX-License-Identifier: Apache-2.0
"""Plants faults of sound in apps (planted.py) and counts what the search names. Recordings: EDGEPROBE_SHARED_DATA, and generated ones."""
import argparse
import os
import subprocess
import sys
import tempfile
import wave
from collections import Counter
from pathlib import Path

import numpy as np

import planted
from planted import FRONT_ENDS, RECIPES, app, codes

SHARED = Path(os.environ.get("EDGEPROBE_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


def generated(seconds=1.0, rate=16000, seed=1):
    """Gliding voiced tones, noise, and silence at the end, in int16."""
    t = np.arange(int(seconds * rate)) / rate
    phase = 2 * np.pi * np.cumsum(120 + 40 * np.sin(2 * np.pi * (1 + .3 * seed) * t)) / rate
    x = .2 * sum(np.sin(k * phase) / k for k in range(1, 25)) * (np.sin(2 * np.pi * 2.1 * t) > -.2)
    x = x + .02 * np.random.default_rng(seed).normal(size=t.size) * (1 + np.sin(2 * np.pi * 3 * t))
    x[t > seconds * .85] = 0
    return np.clip(np.round(x * 32767), -32768, 32767).astype(np.int16)


def recordings():
    clips = {"generated": (generated(), 16000)}
    for name in ("yes", "no"):
        path = SHARED / "audio" / f"{name}_1000ms.wav"
        if path.exists():
            with wave.open(str(path)) as file:
                clips[name] = (np.frombuffer(file.readframes(file.getnframes()), "<i2"), file.getframerate())
    return clips


def faults(front):
    """(name, kinds that may be named, options of the app)"""
    o = FRONT_ENDS[front]
    framed = "win" in o
    yield from (("big endian", "byte order", dict(swapped=True)), ("8 bits", "sample width", dict(eight=True)),
                ("every second sample", "channels|sample rate", dict(halved=True)), ("samples twice", "channels|sample rate", dict(doubled=True)),
                ("taken for 44.1 kHz", "sample rate", dict(believed=44100)), ("taken for 8 kHz", "sample rate", dict(believed=8000)),
                ("taken for 22.05 kHz", "sample rate", dict(believed=22050)), ("taken for 48 kHz", "sample rate", dict(believed=48000)),
                ("telephone", "band", dict(telephone=True)), ("gain 4 clipped", "clipping,gain|gain", dict(gain=4, clipped=True)),
                ("gain 0.37", "gain|scale", dict(gain=.37)), ("DC 400", "dc", dict(dc=400)),
                ("1/32767", "scale|gain", dict(scale=1 / 32767)),
                ("not scaled", "scale|gain", dict(scale=1.0)), ("peak", "scale|gain", dict(scale="absmax")),
                ("pre-emphasis", "pre-emphasis", dict(emphasis=.97)))
    if not framed:
        yield "mean .5 std .5", "normalisation|scale|gain", dict(mean=.5, std=.5)
        yield from (("starts 137 late", "position", dict(late=137)), ("starts 1000 late", "position", dict(late=1000)),
                    ("ring buffer", "position", dict(ring=6000)), ("160 samples lost", "lost samples", dict(gap=(7000, 160))))
        return
    yield from (("starts 137 late", "position", dict(late=137)), ("starts 1000 late", "position", dict(late=1000)),
                ("ring buffer", "position", dict(ring=6000)), ("ring buffer from 3001", "position", dict(ring=3001)),
                ("160 samples lost", "lost samples", dict(gap=(7000, 160))), ("901 samples lost", "lost samples", dict(gap=(4321, 901))))
    win = {480: 400, 400: 320, 2048: 1024}[o["win"]]
    yield f"window {win}", "window", dict(win=win)
    if o["nfft"] != o["win"]:
        yield "fft 1024", "fft", dict(nfft=1024)
    else:
        yield f"window and fft {win}", "window,fft|fft,window", dict(win=win, nfft=win)
    for hop in (128, 240):
        yield f"hop {hop}", "hop", dict(hop=hop)
    for name in ("hann_sym", "hamming", "rect", "povey", "blackman"):
        if name != "blackman":
            yield "window " + name, "window", dict(taper=name)
    if o.get("center"):
        yield "not centred", "centre|position", dict(center=None)
        other = "constant" if o["center"] == "reflect" else "reflect"
        yield "centred " + other, "centre", dict(center=other)
    else:
        yield "centred reflect", "centre|position", dict(center="reflect")
        yield "centred zero", "centre|position", dict(center="constant")
    yield ("power", "power", dict(magnitude=False)) if o.get("magnitude") else ("magnitude", "power", dict(magnitude=True))
    yield "other mel scale", "mel scale", dict(htk=not o["htk"])
    yield "other triangles", "mel scale", dict(slopes="hz" if o["slopes"] == "mel" else "mel")
    yield "whole bins", "mel scale|mel norm,mel scale", dict(slopes="bins", area_norm=False)
    yield "mel norm", "mel norm", dict(area_norm=not o.get("area_norm"), **({"slopes": "hz"} if o["slopes"] == "hz" else {}))
    yield from (("fmax 7600", "mel range", dict(fmax=7600)), ("fmin 80", "mel range", dict(fmin=80)), ("fmax 5512.5", "mel range", dict(fmax=5512.5)),
                ("fmin 37", "mel range", dict(fmin=37)), ("reversed", "mel order", dict(reversed=True)))
    for log in ("ln", "log10", "db", "log2"):
        if log != o["log"]:
            yield log, "log|log,normalisation", dict(log=log)
    yield "no log", "log|log,normalisation", dict(log="none")
    yield "floor 1e-12", "floor", dict(add=1e-12) if "add" in o else dict(least=1e-12)
    yield ("floor max for add", "floor", dict(add=None, least=o["add"])) if "add" in o else ("add for max", "floor", dict(add=o["least"]))
    yield "mean per utterance", "normalisation", dict(utterance="mean")
    yield "mean and variance per utterance", "normalisation", dict(utterance="variance")
    yield "transposed", "layout", dict(turned=True)
    yield "frame mean", "frame dc", dict(frame_mean=True)
    yield "1/N", "spectrum norm|gain|scale", dict(per_length=True)
    if o.get("limit"):
        yield "no limit", "normalisation", dict(limit=None)
    if "mean" in o:
        yield "no normalisation", "normalisation", dict(limit=None, mean=0, std=1)
        yield "last frame kept", "last frame", dict(drop_last=False)
        yield "features padded", "padding", dict(pad_features=0.0)
    if o.get("dct"):
        yield from (("dct not normalised", "dct", dict(dct_norm=None)), ("26 filters", "filters", dict(mels=26)),
                    ("c0 dropped", "c0", dict(first=1)), ("lifter 22", "dct", dict(lifter=22)))
    if o["length"] > 16000:
        yield "padded in front", "padding", dict(pad="front")


class Search:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.folder = tempfile.TemporaryDirectory()

    def ask(self, clip, rate, recipe, values, scale=0, zero=0):
        wav, raw = Path(self.folder.name) / "clip.wav", Path(self.folder.name) / "input.raw"
        with wave.open(str(wav), "wb") as file:
            file.setnchannels(1 if clip.ndim == 1 else clip.shape[1])
            file.setsampwidth(2)
            file.setframerate(rate)
            file.writeframes(clip.astype("<i2").tobytes())
        values.tofile(raw)
        shape = ",".join(map(str, values.shape))
        dtype = "int8" if values.dtype == np.int8 else "float32"
        self.process.stdin.write(f"{wav} {raw} {shape} {dtype} {scale} {zero} {recipe}\n")
        self.process.stdin.flush()
        parts = self.process.stdout.readline().rstrip("\n").split("\t")
        if parts[0] == "error":
            return dict(status="error", why=parts[1], kinds=set(), seconds=0, equals=[])
        return dict(status=parts[0], kinds=set(filter(None, parts[1].split(","))), before=float(parts[2]), left=float(parts[3]),
                    count=int(parts[4]), seconds=float(parts[5]), recipe=parts[6], equals=[set(e.split(",")) for e in parts[7].split()])


def judged(answer, wanted):
    """wanted: accepted sets of kinds; empty: there is no fault."""
    if answer["status"] == "equal":
        return "right" if not wanted else "invisible"
    if not wanted:
        return "FALSE ALARM" if answer["status"] == "exact" else "false partial"
    if answer["status"] != "exact":
        return answer["status"]
    if answer["kinds"] in wanted:
        return "right"
    return "among equals" if any(e in wanted for e in answer["equals"]) else "other words"


def same(a, b):
    """Whether two model inputs are indistinguishable: the limits of docs/guides/sound.md, here in NumPy."""
    if a.shape != b.shape:
        return False
    if a.dtype == np.int8:
        return np.sqrt(np.mean((a.astype(float) - b) ** 2)) <= .15
    within = (a if a.shape[0] > a.shape[-1] else a.T).reshape(max(a.shape), -1)
    return np.sqrt(np.mean((a.astype(float) - b) ** 2)) <= 1e-3 * np.sqrt(np.mean(within.astype(float).var(axis=0)))


def pairs_of(front, count, rng, made):
    """Random pairs of the list. A fault that changes nothing in addition to the other one need not be named."""
    listed, drawn = list(faults(front)), set()
    while len(drawn) < count:
        i, k = sorted(int(n) for n in rng.choice(len(listed), 2, replace=False))
        (one, kinds_a, a), (two, kinds_b, b) = listed[i], listed[k]
        if (i, k) in drawn or set(a) & set(b) or set(kinds_a.split("|")) & set(kinds_b.split("|")):
            continue
        drawn.add((i, k))
        wanted = [f"{p},{q}" for p in kinds_a.split("|") for q in kinds_b.split("|")]
        both = made({**a, **b})
        if same(both, made(a)):
            wanted += kinds_a.split("|")
        if same(both, made(b)):
            wanted += kinds_b.split("|")
        yield f"{one} + {two}", "|".join(wanted), {**a, **b}


def with_codes(front, values, coded):
    return (codes(values), *planted.KWS_CODES) if coded else (values, 0, 0)


def foreign(clip):
    """Changes of the sound that no recipe describes."""
    x, t = clip.astype(float), np.linspace(0, 1, len(clip))
    yield "gain curve", x * np.interp(t, [0, .5, 1], [1, 2, 1.3])
    yield "echo", x + .4 * np.concatenate([np.zeros(900), x[:-900]])
    yield "hum", x + 300 * np.sin(2 * np.pi * 50 * np.arange(len(x)) / 16000)
    yield "soft clipping", 20000 * np.tanh(x / 20000) if np.abs(x).max() > 15000 else 2000 * np.tanh(x / 2000)
    yield "noise", x + np.random.default_rng(4).normal(scale=40, size=len(x))
    noisy = np.fft.rfft(x)
    noisy[np.abs(noisy) < np.quantile(np.abs(noisy), .7)] = 0
    yield "suppressed", np.fft.irfft(noisy, len(x))
    yield "block of zeros", np.concatenate([x[:6000], np.zeros(700), x[6700:]])
    yield "block repeated", np.concatenate([x[:7000], x[6488:7000], x[7000:-512]])
    yield "rate off by .5 %", np.interp(np.arange(len(x)) * 1.005, np.arange(len(x)), x)
    yield "backwards", x[::-1]


FRONTS = {"kws": ("kws", False), "kws_int8": ("kws", True), "yamnet_mel": ("yamnet_mel", False), "whisper": ("whisper", False),
          "librosa": ("librosa", False), "yamnet": ("yamnet", False)}


def jobs_of(what, title, name, clip, made, options):
    """(title, kinds, recording as delivered, samples that the app receives, options of the app)"""
    front = FRONTS[title][0]
    if what == "healthy":
        seeds = range(2, 8) if name == "generated" else ()
        return [("none", "", clip, clip, {})] + [(f"clip {s}", "", generated(seed=s), generated(seed=s), {}) for s in seeds]
    if what == "singles":
        return [(n, k, clip, clip, f) for n, k, f in faults(front)]
    if what == "pairs":
        rng = np.random.default_rng([options.seed, *map(ord, title + name)])
        return [(n, k, clip, clip, f) for n, k, f in pairs_of(front, options.draws, rng, made)]
    if what == "foreign":
        return [(n, "nothing that is known", clip, np.clip(x, -32768, 32767).astype(np.int16), {}) for n, x in foreign(clip)]
    if front == "whisper":
        return [("magnitude, ln, no normalisation, other pad", "power,log,normalisation,padding", clip, clip,
                 dict(magnitude=True, log="ln", limit=None, mean=0, std=1, pad_features=v)) for v in (0.0, 1e-10, -3.0)]
    return []


def main():
    known = ["healthy", "singles", "pairs", "foreign", "pull_request"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("sets", nargs="*", metavar="set", help=" ".join(known))
    parser.add_argument("--fronts", nargs="+", choices=FRONTS, default=list(FRONTS))
    parser.add_argument("--seed", type=int, default=1, help="of the pairs")
    parser.add_argument("--draws", type=int, default=8, help="pairs a recording")
    options = parser.parse_args()
    search = Search(options.program)
    for what in options.sets or known:
        total, every, lines = Counter(), [], []
        for title in options.fronts:
            front, coded = FRONTS[title]
            tally, seconds = Counter(), []
            recipe = RECIPES[front] + (" | quantize(model)" if coded else "")
            for name, (clip, rate) in recordings().items():
                made = lambda f, heard=clip: with_codes(front, app(front, heard, rate, **f), coded)  # noqa: E731
                for fault, wanted, delivered, heard, f in jobs_of(what, title, name, clip, lambda f: made(f)[0], options):
                    kinds = [set(k.split(",")) for k in wanted.split("|")] if wanted else []
                    values, scale, zero = made(f, heard)
                    answer = search.ask(delivered, rate, recipe, values, scale, zero)
                    result = judged(answer, kinds)
                    tally[result] += 1
                    seconds.append(answer["seconds"] / (len(delivered) / rate))
                    if result not in ("right", "invisible"):
                        lines.append(f"  {title}, {name}: {fault}: {result} {sorted(answer['kinds'])} {answer.get('before', 0):.3g} -> "
                                     f"{answer.get('left', 0):.3g} {answer.get('count')} {answer['seconds']:.2f} s {answer.get('why', '')}")
            total += tally
            every += seconds
            if seconds:
                print(f"{what:12s} {title:10s} {dict(tally)}; median {np.median(seconds):.2f}, most {max(seconds):.2f}", flush=True)
        print(f"{what:12s} all {dict(total)}; CPU s per s of sound: median {np.median(every):.2f}, most {max(every):.2f}")
        print("\n".join(lines), flush=True)


if __name__ == "__main__":
    main()
