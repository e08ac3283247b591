# SPDX-License-Identifier: Apache-2.0
"""Front ends of sound compared with the libraries that they are named after: librosa, Kaldi's C++, python_speech_features, SciPy, soxr, and
TensorFlow Lite's own operators in YAMNet. One process for all, because librosa compiles functions at first use."""
import os
import sys
import unittest
import wave
from pathlib import Path

import numpy as np

from tool import Refused, Tool

SHARED = Path(os.environ.get("EDGEPROBE_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
RATE = 16000
# RMS distance in standard deviations of the library's values. Measured: 5e-8 to 5e-7; Kaldi's float32 to 8e-6 near silence.
CLOSE, KALDI = 2e-6, 5e-5


def spoken(seconds=1.0, rate=RATE, seed=1):
    """int16 samples like speech: gliding voiced tones, noise, and digital silence at the end."""
    t = np.arange(int(seconds * rate)) / rate
    noise = np.random.default_rng(seed).normal(size=t.size)
    pitch = 120 + 40 * np.sin(2 * np.pi * 1.3 * t)
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    voice = sum(np.sin(k * phase) / k for k in range(1, 25)) * (np.sin(2 * np.pi * 2.1 * t) > -.2)
    x = .2 * voice + .02 * noise * (1 + np.sin(2 * np.pi * 3 * t))
    x[t > seconds * .85] = 0
    return np.clip(np.round(x * 32767), -32768, 32767).astype(np.int16)


def write_wav(path, samples, rate=RATE):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1 if samples.ndim == 1 else samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.astype("<i2").tobytes())


class Sound(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tool = Tool()
        cls.folder = Path(cls.tool.folder.name)
        cls.samples = spoken()
        cls.real = cls.samples.astype(np.float32) / 32768
        cls.path = cls.folder / "spoken.wav"
        write_wav(cls.path, cls.samples)

    @classmethod
    def tearDownClass(cls):
        cls.tool.close()

    def made(self, recipe, shape=(-1,), path=None, dtype="float32"):
        self.tool.ask(f"sound {path or self.path} {','.join(map(str, shape))} {dtype} {self.tool.target} {recipe}")
        return np.fromfile(self.tool.target, dtype)

    def assert_close(self, made, wanted, most):
        wanted = np.asarray(wanted, np.float64).ravel()
        self.assertEqual(made.shape, wanted.shape)
        self.assertLess(np.sqrt(np.mean((made - wanted) ** 2)) / wanted.std(), most)

    def test_librosa_mel_and_mfcc(self):
        import librosa

        mel = librosa.power_to_db(librosa.feature.melspectrogram(y=self.real, sr=RATE))
        self.assert_close(self.made("librosa_mel"), mel.T, CLOSE)
        self.assert_close(self.made("librosa_mfcc"), librosa.feature.mfcc(y=self.real, sr=RATE).T, CLOSE)

    def test_librosa_with_other_options(self):
        import librosa

        mel = librosa.feature.melspectrogram(y=self.real, sr=RATE, n_fft=512, hop_length=160, win_length=400, window="hamming", power=1.0,
                                             n_mels=64, fmin=50, fmax=7600, htk=True, norm=None, center=True, pad_mode="reflect")
        recipe = ("mono | resample(16000) | scale(1/32768) | frame(win=400, hop=160, center=reflect) | window(hamming) | fft(512) | power(1) | "
                  "mel(64, 50..7600, htk, triangles=hz) | log(ln, add=1e-6)")
        self.assert_close(self.made(recipe), np.log(mel + 1e-6).T, CLOSE)

    def test_whisper_as_its_paper_and_librosas_parts_have_it(self):
        import librosa

        samples = np.pad(self.real, (0, 48000 - RATE))
        power = np.abs(librosa.stft(samples, n_fft=400, hop_length=160, window="hann", pad_mode="reflect")) ** 2
        log = np.log10(np.maximum(librosa.filters.mel(sr=RATE, n_fft=400, n_mels=80) @ power[:, :-1], 1e-10))
        wanted = (np.maximum(log, log.max() - 8) + 4) / 4
        self.assert_close(self.made("whisper | pad(48000)", (1, 80, 300)), wanted, CLOSE)

    def test_kaldi(self):
        import kaldi_native_fbank as kaldi

        options = kaldi.FbankOptions()
        options.frame_opts.dither = 0
        options.frame_opts.samp_freq = RATE
        options.mel_opts.num_bins = 23
        bank = kaldi.OnlineFbank(options)
        bank.accept_waveform(RATE, self.samples.astype(np.float32).tolist())
        bank.input_finished()
        frames = np.array([bank.get_frame(i) for i in range(bank.num_frames_ready)])
        self.assert_close(self.made("kaldi_fbank"), frames, KALDI)

    def test_python_speech_features(self):
        import python_speech_features as psf

        self.assert_close(self.made("psf_mfcc"), psf.mfcc(self.samples, RATE), CLOSE)
        plain = psf.mfcc(self.samples, RATE, appendEnergy=False, ceplifter=0, preemph=.9, nfilt=40, numcep=20)
        self.assert_close(self.made("psf_mfcc | preemphasis(0.9) | mel(40, 0..8000, triangles=bins) | dct(20, c0=keep) | lifter(0)"), plain, CLOSE)

    def test_rates(self):
        import scipy.signal
        import soxr

        for rate in (8000, 11025, 22050, 44100):
            with self.subTest(rate):
                common = np.gcd(RATE, rate)
                poly = scipy.signal.resample_poly(self.real.astype(float), rate // common, RATE // common)
                self.assert_close(self.made(f"mono | resample({rate}, poly)"), poly, CLOSE)
                count = int(round(RATE * rate / RATE))
                line = np.interp(np.arange(count) * RATE / rate, np.arange(RATE), self.real)
                self.assert_close(self.made(f"mono | resample({rate}, linear)"), line, CLOSE)
                self.assert_close(self.made(f"mono | resample({rate}, soxr)"), soxr.resample(self.real, RATE, rate), CLOSE)

    def test_files_as_soundfile_reads_them(self):
        import soundfile

        stereo = np.stack([self.samples, spoken(seed=2)], axis=1)
        for name, subtype in (("a.wav", "PCM_U8"), ("b.wav", "PCM_16"), ("c.wav", "PCM_24"), ("d.wav", "PCM_32"), ("e.wav", "FLOAT"),
                              ("f.wav", "DOUBLE"), ("g.flac", "PCM_16"), ("h.flac", "PCM_24"), ("i.ogg", "VORBIS"), ("j.aiff", "PCM_16")):
            with self.subTest(name):
                path = self.folder / name
                soundfile.write(path, stereo, 44100, subtype=subtype)
                wanted, rate = soundfile.read(path, dtype="float64")
                self.assertEqual(rate, 44100)
                # 32-bit samples become float32, as in librosa.
                self.assert_close(self.made("mono(mean)", path=path), wanted.mean(axis=1), 1e-6)
                self.assert_close(self.made("mono(right)", path=path), wanted[:, 1], 1e-6)

    def test_raw_samples_by_their_name(self):
        for name, dtype in (("x_8000hz.pcm", "<i2"), ("x_8000hz_s16be.pcm", ">i2"), ("x_8000hz_s32.pcm", "<i4")):
            path = self.folder / name
            (self.samples.astype(dtype) * (65536 if "s32" in name else 1)).astype(dtype).tofile(path)
            self.assert_close(self.made("mono", path=path), self.real, 1e-7)
        with self.assertRaisesRegex(Refused, "rate in the file's name"):
            (self.folder / "y.pcm").write_bytes(b"\0\0")
            self.made("mono", path=self.folder / "y.pcm")

    def test_the_log_mel_patch_inside_yamnet(self):
        model = SHARED / "models/tflite_support/yamnet_audio_classifier_with_metadata.tflite"
        if not model.exists():
            self.skipTest(f"{model} is not here: set EDGEPROBE_SHARED_DATA")
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        interpreter = Interpreter(str(model), experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
                                  experimental_preserve_all_tensors=True)
        interpreter.allocate_tensors()
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], self.real[:15600])
        interpreter.invoke()
        patch = [interpreter.get_tensor(d["index"]) for d in interpreter.get_tensor_details()
                 if tuple(d["shape"]) in ((96, 64), (1, 96, 64), (1, 96, 64, 1)) and d["dtype"] == np.float32]
        logs = [p for p in patch if p.min() < -6]
        self.assertTrue(logs, "no log mel among YAMNet's tensors")
        self.assert_close(self.made("yamnet_mel", (96, 64)), logs[-1], 1e-5)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
