# SPDX-License-Identifier: Apache-2.0
"""Apps of sound with planted faults, in NumPy, SciPy, librosa and soxr, without code of the search.

app(front, samples, rate, **faults) gives the model input as an app would make it.
"""
import librosa
import numpy as np
import scipy.fft
import scipy.signal
import soxr

# The settings of the front ends, from the documentation of each implementation.
FRONT_ENDS = {
    "kws": dict(length=16000, scale="max", win=480, hop=320, nfft=512, magnitude=True, mels=40, fmin=20, fmax=4000, htk=True, slopes="mel",
                log="ln", add=1e-6, dct=True, keep=10, frames=49),
    "yamnet_mel": dict(length=15600, scale=1 / 32768, win=400, hop=160, nfft=512, magnitude=True, mels=64, fmin=125, fmax=7500, htk=True,
                       slopes="mel", log="ln", add=1e-3, frames=96),
    "whisper": dict(length=48000, scale=1 / 32768, win=400, hop=160, nfft=400, center="reflect", drop_last=True, mels=80, fmin=0, fmax=8000,
                    htk=False, slopes="hz", area_norm=True, log="log10", least=1e-10, limit=8, mean=-4, std=4, frames=300, transposed=True),
    "librosa": dict(length=16000, scale=1 / 32768, win=2048, hop=512, nfft=2048, center="constant", mels=128, fmin=0, fmax=8000, htk=False,
                    slopes="hz", area_norm=True, log="db", least=1e-10, limit=80, dct=True, keep=20, frames=32),
    "yamnet": dict(length=15600, scale=1 / 32768),
}
RECIPES = {"kws": "mlperf_tiny_kws", "yamnet_mel": "yamnet_mel", "whisper": "whisper | pad(48000) | frames(300)",
           "librosa": "librosa_mfcc | pad(16000)", "yamnet": "yamnet"}
KWS_CODES = (0.5847029, 83)


def mel_weights(o):
    """Triangular filters; librosa's own if their slopes are linear in Hz."""
    rate = 16000
    if o["slopes"] == "hz":
        return librosa.filters.mel(sr=rate, n_fft=o["nfft"], n_mels=o["mels"], fmin=o["fmin"], fmax=o["fmax"], htk=o["htk"],
                                   norm="slaney" if o.get("area_norm") else None, dtype=np.float64)
    low, high = librosa.hz_to_mel([o["fmin"], o["fmax"]], htk=o["htk"])
    corners = np.linspace(low, high, o["mels"] + 2)
    bins = np.arange(o["nfft"] // 2 + 1) * rate / o["nfft"]
    weights = np.zeros((o["mels"], bins.size))
    if o["slopes"] == "bins":
        corners = np.floor((o["nfft"] + 1) * librosa.mel_to_hz(corners, htk=o["htk"]) / rate).astype(int)
        for m in range(o["mels"]):
            for k in range(corners[m], corners[m + 1]):
                weights[m, k] = (k - corners[m]) / (corners[m + 1] - corners[m])
            for k in range(corners[m + 1], corners[m + 2]):
                weights[m, k] = (corners[m + 2] - k) / (corners[m + 2] - corners[m + 1])
        return weights
    at = librosa.hz_to_mel(bins, htk=o["htk"])
    for m in range(o["mels"]):
        weights[m] = np.interp(at, corners[m:m + 3], [0, 1, 0], left=0, right=0)
    if o.get("area_norm"):
        hz = librosa.mel_to_hz(corners, htk=o["htk"])
        weights *= (2 / (hz[2:] - hz[:-2]))[:, None]
    return weights


def taper(name, n):
    if name == "povey":
        return np.hanning(n) ** 0.85
    if name == "hann_sym":
        return np.hanning(n)
    return scipy.signal.get_window({"rect": "boxcar"}.get(name, name), n, fftbins=True)


def app(front, samples, rate=16000, **faults):
    o = {**FRONT_ENDS[front], **faults}
    x = samples
    if o.get("swapped"):
        x = x.byteswap()
    if o.get("bits") == "float as int32":
        x = (x / 32768).astype("<f4").view("<i4") / 65536
    elif o.get("bits") == "24 as 16":
        x = np.frombuffer((x.astype("<i4") << 8).view(np.uint8).reshape(-1, 4)[:, :3].tobytes(), "<i2")
    elif o.get("bits") == "unsigned":
        x = (x.view(np.uint16) ^ 0x8000).view(np.int16)
    if o.get("eight"):
        x = ((x >> 8) << 8).astype(np.int16)
    if x.ndim == 2:
        x = {"left": x[:, 0], "interleaved": x.ravel(), "sum": x.astype(float).sum(1)}.get(o.get("channel"), x.astype(float).mean(1))
    if o.get("halved"):
        x = x[::2]
    if o.get("doubled"):
        x = np.repeat(x, 2)
    x = x.astype(np.float64)
    believed = o.get("believed", rate)
    if believed != 16000:
        how = o.get("kernel", "soxr")
        if how == "soxr":
            x = soxr.resample(x, believed, 16000)
        elif how == "linear":
            n = int(round(len(x) * 16000 / believed))
            x = np.interp(np.arange(n) * believed / 16000, np.arange(len(x)), x)
        elif how == "ends":
            x = np.interp(np.linspace(0, len(x) - 1, int(len(x) * 16000 / believed)), np.arange(len(x)), x)
        else:
            g = np.gcd(16000, believed)
            x = scipy.signal.resample_poly(x, 16000 // g, believed // g)
    x = x[o.get("late", 0):]
    if "gap" in o:
        x = np.delete(x, np.arange(o["gap"][0], min(sum(o["gap"]), len(x))))
    x = x * o.get("gain", 1) + o.get("dc", 0)
    if o.get("clipped"):
        x = np.clip(x, -32768, 32767)
    if o.get("telephone"):
        x = soxr.resample(soxr.resample(x, 16000, 8000), 8000, 16000)
    x = x[:o["length"]]
    gap = o["length"] - len(x)
    padded_features = o.get("pad_features") is not None
    if not padded_features and gap > 0:
        x = np.resize(x, o["length"]) if o.get("pad") == "repeat" else np.pad(x, (gap, 0) if o.get("pad") == "front" else (0, gap))
    if "ring" in o:
        x = np.roll(x, -o["ring"])
    scale = o["scale"]
    x = x / x.max() if scale == "max" else x / np.abs(x).max() if scale == "absmax" else x * scale
    if o.get("emphasis"):
        x = scipy.signal.lfilter([1, -o["emphasis"]], [1], x)
    if "win" not in o:
        return ((x - o.get("mean", 0)) / o.get("std", 1)).astype(np.float32)
    win, hop, nfft = o["win"], o["hop"], o["nfft"]
    if o.get("center"):
        x = np.pad(x, nfft // 2, mode=o["center"])
    size = nfft if o.get("center") else win
    count = 1 + max(0, len(x) - size) // hop
    window = np.zeros(nfft)
    lead = (size - win) // 2 if o.get("center") else 0
    window[lead:lead + win] = taper(o.get("taper", "hann"), win)
    frames = np.zeros((count, nfft))
    for t in range(count):
        piece = x[t * hop:t * hop + min(size, nfft)]
        frames[t, :len(piece)] = piece
        if o.get("frame_mean"):
            frames[t, :win] -= frames[t, :win].mean()
    if o.get("drop_last"):
        frames = frames[:-1]
    spectrum = np.abs(np.fft.rfft(frames * window, axis=1)) ** (1 if o.get("magnitude") else 2)
    if o.get("per_length"):
        spectrum = spectrum / nfft
    energy = spectrum @ mel_weights(o).T
    energy = energy + o["add"] if "add" in o and o["add"] is not None else np.maximum(energy, o["least"])
    y = {"ln": np.log, "log10": np.log10, "db": lambda e: 10 * np.log10(e), "db20": lambda e: 20 * np.log10(e), "log2": np.log2, "none": lambda e: e}[o["log"]](energy)
    if o.get("limit"):
        y = np.maximum(y, y.max() - o["limit"])
    if o.get("reversed"):
        y = y[:, ::-1]
    if o.get("dct"):
        y = scipy.fft.dct(y, type=2, norm=o.get("dct_norm", "ortho"), axis=1)[:, o.get("first", 0):o.get("first", 0) + o["keep"]]
    if o.get("lifter"):
        k = np.arange(y.shape[1])
        y = y * (1 + o["lifter"] / 2 * np.sin(np.pi * k / o["lifter"]))
    y = (y - o.get("mean", 0)) / o.get("std", 1)
    if o.get("utterance") == "running":
        y = y - np.cumsum(y, 0) / np.arange(1, len(y) + 1)[:, None]
    elif o.get("utterance"):
        y = y - y.mean(0)
        if o["utterance"] in ("variance", "sample"):
            y = y / y.std(0, ddof=o["utterance"] == "sample")
    y = y[:o["frames"]]
    if len(y) < o["frames"]:
        y = np.pad(y, ((0, o["frames"] - len(y)), (0, 0)), constant_values=o.get("pad_features") or 0)
    if o.get("turned"):
        o["transposed"] = not o.get("transposed")
    return np.ascontiguousarray(y.T if o.get("transposed") else y).astype(np.float32)


def codes(values, scale=KWS_CODES[0], zero=KWS_CODES[1], cut=False, zero_point=None, flipped=False):
    zero = zero if zero_point is None else zero_point
    q = values / scale + zero
    q = np.clip(np.floor(q) if cut else np.round(q), -128, 127).astype(np.int8)
    return q ^ np.int8(-128) if flipped else q
