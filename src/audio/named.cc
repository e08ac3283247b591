// SPDX-License-Identifier: Apache-2.0
#include "audio/front_end.h"

#include <array>

namespace edgeprobe::audio {
namespace {

FrontEnd framed(int win, int hop, int nfft) {
  FrontEnd f;
  f.rate = 16000;
  f.win = win;
  f.hop = hop;
  f.nfft = nfft;
  return f;
}

void set_mel(FrontEnd& f, int mels, double low, double high, MelScale scale, Triangles triangles,
             MelNorm norm = MelNorm::kNone) {
  f.mels = mels;
  f.fmin = low;
  f.fmax = high;
  f.mel_scale = scale;
  f.triangles = triangles;
  f.mel_norm = norm;
}

void set_log(FrontEnd& f, Log log, FloorBy by, double floor, double range = 0) {
  f.log = log;
  f.floor_by = by;
  f.floor = floor;
  f.range = range;
}

FrontEnd yamnet() {
  FrontEnd f;
  f.rate = 16000;
  f.length = 15600;
  return f;
}

FrontEnd yamnet_mel() {
  FrontEnd f = framed(400, 160, 512);
  f.length = 15600;
  f.power = 1;
  set_mel(f, 64, 125, 7500, MelScale::kHtk, Triangles::kMel);
  set_log(f, Log::kLn, FloorBy::kAdd, 1e-3);
  f.frames = 96;
  return f;
}

FrontEnd tf_log_mel() {
  FrontEnd f = framed(400, 160, 512);
  f.power = 1;
  set_mel(f, 80, 80, 7600, MelScale::kHtk, Triangles::kMel);
  set_log(f, Log::kLn, FloorBy::kAdd, 1e-6);
  return f;
}

FrontEnd mlperf_tiny_kws() {
  FrontEnd f = framed(480, 320, 512);
  f.length = 16000;
  f.scale_by = ScaleBy::kMax;
  f.power = 1;
  set_mel(f, 40, 20, 4000, MelScale::kHtk, Triangles::kMel);
  set_log(f, Log::kLn, FloorBy::kAdd, 1e-6);
  f.dct = Dct::kOrtho;
  f.coefficients = 10;
  f.frames = 49;
  return f;
}

FrontEnd whisper() {
  FrontEnd f = framed(400, 160, 400);
  f.length = 480000;
  f.center = Center::kReflect;
  f.last = Last::kDrop;
  set_mel(f, 80, 0, 8000, MelScale::kSlaney, Triangles::kHz, MelNorm::kSlaney);
  set_log(f, Log::kLog10, FloorBy::kMax, 1e-10, 8);
  f.mean = -4;
  f.std = 4;
  f.frequency_first = true;
  return f;
}

FrontEnd kaldi_fbank() {
  FrontEnd f = framed(400, 160, 512);
  f.scale = 1;
  f.frame_dc = true;
  f.preemphasis = 0.97;
  f.pre_at = PreAt::kFrame;
  f.window = Window::kPovey;
  set_mel(f, 23, 20, 8000, MelScale::kHtk, Triangles::kMel);
  set_log(f, Log::kLn, FloorBy::kMax, 1.1920928955078125e-7);
  return f;
}

FrontEnd librosa_mel() {
  FrontEnd f = framed(2048, 512, 2048);
  f.center = Center::kZero;
  set_mel(f, 128, 0, 8000, MelScale::kSlaney, Triangles::kHz, MelNorm::kSlaney);
  set_log(f, Log::kDb, FloorBy::kMax, 1e-10, 80);
  return f;
}

FrontEnd librosa_mfcc() {
  FrontEnd f = librosa_mel();
  f.dct = Dct::kOrtho;
  f.coefficients = 20;
  return f;
}

FrontEnd psf_mfcc() {
  FrontEnd f = framed(400, 160, 512);
  f.scale = 1;
  f.preemphasis = 0.97;
  f.window = Window::kRect;
  f.spectrum_norm = SpectrumNorm::kLength;
  f.last = Last::kPad;
  set_mel(f, 26, 0, 8000, MelScale::kHtk, Triangles::kBins);
  set_log(f, Log::kLn, FloorBy::kMax, 2.220446049250313e-16);
  f.dct = Dct::kOrtho;
  f.coefficients = 13;
  f.lifter = 22;
  f.c0 = C0::kEnergy;
  return f;
}

FrontEnd tflm_micro() {
  FrontEnd f = framed(480, 320, 512);
  f.length = 16000;
  f.scale = 1;
  f.window = Window::kHannMid;
  set_mel(f, 40, 125, 7500, MelScale::kHtk, Triangles::kMel);
  f.log = Log::kMicro;
  f.frames = 49;
  f.quantize = true;
  f.code_scale = 666.0 / 256;
  f.code_zero = -128;
  return f;
}

}  // namespace

std::span<const NamedFrontEnd> named_front_ends() {
  static const std::array<NamedFrontEnd, 10> kNamed{{
      {"yamnet", "what YAMNet's model file takes: the waveform", yamnet()},
      {"yamnet_mel", "the log mel patch inside YAMNet", yamnet_mel()},
      {"tf_log_mel", "tf.signal's log mel spectrogram", tf_log_mel()},
      {"mlperf_tiny_kws", "MLPerf Tiny's keyword spotting", mlperf_tiny_kws()},
      {"whisper", "Whisper's log mel spectrogram of 30 s", whisper()},
      {"kaldi_fbank", "Kaldi's filter bank", kaldi_fbank()},
      {"librosa_mel", "librosa's mel spectrogram in dB", librosa_mel()},
      {"librosa_mfcc", "librosa's MFCC", librosa_mfcc()},
      {"psf_mfcc", "python_speech_features' MFCC", psf_mfcc()},
      {"tflm_micro", "TensorFlow Lite Micro's micro_speech", tflm_micro()},
  }};
  return kNamed;
}

}  // namespace edgeprobe::audio
