// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <cmath>

#include "core/text.h"
#include "preprocess/recipe/recipe_sound.h"
#include "preprocess/recipe/sound_words.h"

namespace edgeprobe::preprocess {
namespace {

using audio::FrontEnd;

std::string exactly(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

template <class T, std::size_t N>
std::string word(const std::array<Word<T>, N>& words, T value) {
  return std::string(word_of(words, value));
}

/// The factor as people write it: one part of a whole number where it is one.
std::string factor_text(double factor) {
  const double parts = std::round(1 / factor);
  return parts > 1 && parts < 1e9 && 1 / parts == factor ? "1/" + exactly(parts) : exactly(factor);
}

/// Collects the steps with arguments that differ from what a step has by itself.
class Speller {
 public:
  void step(const std::string& name, const std::string& inside, std::string meaning) {
    steps_.push_back({name + "(" + inside + ")", std::move(meaning)});
  }
  std::vector<Spelled> take() { return std::move(steps_); }

 private:
  std::vector<Spelled> steps_;
};

void spell_signal(Speller& out, const FrontEnd& f) {
  if (f.big_endian || f.bits == 8)
    out.step("bytes",
             std::string(f.big_endian ? "endian=big" : "endian=little") +
                 (f.bits == 8 ? ", bits=8" : ""),
             std::string("reads each 16-bit sample ") +
                 (f.big_endian ? "with its two bytes exchanged" : "as it is stored") +
                 (f.bits == 8 ? ", and keeps the upper 8 bits" : ""));
  static constexpr std::array kMono{
      "the mean of all channels",
      "the first channel",
      "the second channel",
      "the sum of all channels",
      "the samples of all channels one after the other, as one channel",
      "every second sample, as if one channel were two",
      "each sample twice, as if two channels were one"};
  out.step("mono", word(kMonoWords, f.mono),
           std::string("one channel: ") + kMono[static_cast<std::size_t>(f.mono)]);
  if (f.rate > 0 || f.believed > 0) {
    static constexpr std::array kKernels{"libsoxr's HQ (librosa)", "SciPy's resample_poly",
                                         "a windowed sinc (torchaudio)",
                                         "straight lines between samples", "the sample before"};
    out.step(
        "resample",
        exactly(f.rate) + ", " + word(kSoundKernelWords, f.kernel) +
            (f.believed > 0 ? ", from=" + exactly(f.believed) : ""),
        "to " + number(f.rate, 7) + " samples a second, by " +
            kKernels[static_cast<std::size_t>(f.kernel)] +
            (f.believed > 0 ? "; the recording is taken to have " + number(f.believed, 7) : ""));
  }
  if (f.skip != 0 || f.roll != 0 || f.lost != 0)
    out.step(
        "position",
        "skip=" + std::to_string(f.skip) + (f.roll != 0 ? ", roll=" + std::to_string(f.roll) : "") +
            (f.lost != 0
                 ? ", lost_at=" + std::to_string(f.lost_at) + ", lost=" + std::to_string(f.lost)
                 : ""),
        "where it begins, and what of it is missing, in samples");
  if (f.gain != 1 || f.dc != 0 || f.clipped)
    out.step("level",
             "gain=" + exactly(f.gain) + (f.dc != 0 ? ", dc=" + exactly(f.dc) : "") +
                 (f.clipped ? ", clip=on" : ""),
             "another level" + std::string(f.clipped ? ", cut off at full scale" : ""));
  if (f.band > 0)
    out.step("band", exactly(f.band), "what passes a connection of " + number(f.band, 7) + " Hz");
  if (f.length > 0)
    out.step(
        "pad",
        std::to_string(f.length) +
            (f.pad_at == audio::PadAt::kEnd ? "" : ", " + word(kPadWords, f.pad_at)),
        "exactly " + std::to_string(f.length) + " samples: the rest is cut off, what is missing " +
            (f.pad_at == audio::PadAt::kRepeat ? "is the beginning again"
                                               : "are zeros (" + word(kPadWords, f.pad_at) + ")"));
  const std::string scale = f.scale_by == audio::ScaleBy::kMax      ? "max"
                            : f.scale_by == audio::ScaleBy::kAbsMax ? "absmax"
                                                                    : factor_text(f.scale);
  out.step("scale", scale,
           f.scale_by == audio::ScaleBy::kMax      ? "divides by the largest sample of the clip"
           : f.scale_by == audio::ScaleBy::kAbsMax ? "divides by the largest magnitude of the clip"
                                                   : "16-bit samples times " + scale);
  if (f.preemphasis != 0)
    out.step("preemphasis", exactly(f.preemphasis) + ", " + word(kPreWords, f.pre_at),
             "takes " + number(f.preemphasis) + " of the sample before off each" +
                 (f.pre_at == audio::PreAt::kFrame ? ", frame by frame" : "") +
                 (f.pre_at == audio::PreAt::kSignalTwice ? ", twice over" : ""));
}

void spell_spectrum(Speller& out, const FrontEnd& f) {
  out.step(
      "frame",
      "win=" + std::to_string(f.win) + ", hop=" + std::to_string(f.hop) +
          (f.center != audio::Center::kNone ? ", center=" + word(kCenterWords, f.center) : "") +
          (f.last != audio::Last::kFull ? ", last=" + word(kLastWords, f.last) : "") +
          (f.frame_dc ? ", dc=remove" : ""),
      "frames of " + std::to_string(f.win) + " samples, one every " + std::to_string(f.hop) +
          (f.center != audio::Center::kNone
               ? ", centred (" + word(kCenterWords, f.center) + " beyond the ends)"
               : "") +
          (f.frame_dc ? ", each without its mean" : ""));
  static constexpr std::array kWindows{"Hann, periodic",
                                       "Hann, symmetric",
                                       "Hann between samples",
                                       "Hamming, periodic",
                                       "Hamming, symmetric",
                                       "Kaldi's: symmetric Hann to the power .85",
                                       "none",
                                       "Blackman, symmetric"};
  out.step("window", word(kWindowWords, f.window),
           std::string("window: ") + kWindows[static_cast<std::size_t>(f.window)]);
  out.step("fft", std::to_string(f.nfft) + (f.middle ? ", place=middle" : ""),
           "spectrum of " + std::to_string(f.nfft) + " samples" +
               (f.middle ? ", the window in their middle" : ""));
  out.step("power",
           std::to_string(f.power) + (f.spectrum_norm != audio::SpectrumNorm::kNone
                                          ? ", norm=" + word(kSpectrumNormWords, f.spectrum_norm)
                                          : ""),
           std::string(f.power == 1 ? "magnitudes" : "magnitudes squared") +
               (f.spectrum_norm == audio::SpectrumNorm::kLength   ? ", divided by the length"
                : f.spectrum_norm == audio::SpectrumNorm::kWindow ? ", divided by the window's sum"
                                                                  : ""));
  out.step(
      "mel",
      std::to_string(f.mels) + ", " + exactly(f.fmin) + ".." + exactly(f.fmax) + ", " +
          word(kMelScaleWords, f.mel_scale) + ", triangles=" + word(kTriangleWords, f.triangles) +
          (f.mel_norm != audio::MelNorm::kNone ? ", norm=" + word(kMelNormWords, f.mel_norm) : "") +
          (f.mels_reversed ? ", order=falling" : ""),
      std::to_string(f.mels) + " filters from " + number(f.fmin) + " to " + number(f.fmax, 6) +
          " Hz on the mel scale of " + (f.mel_scale == audio::MelScale::kHtk ? "HTK" : "Slaney") +
          ", slopes straight in " +
          (f.triangles == audio::Triangles::kMel  ? "mel"
           : f.triangles == audio::Triangles::kHz ? "Hz"
                                                  : "whole bins"));
}

void spell_features(Speller& out, const FrontEnd& f) {
  const std::string floor =
      (f.floor_by == audio::FloorBy::kAdd ? ", add=" : ", max=") + exactly(f.floor);
  static constexpr std::array kLogs{"natural logarithm",
                                    "decimal logarithm",
                                    "decibels (10 log10)",
                                    "decibels (20 log10)",
                                    "logarithm to base 2",
                                    "no logarithm",
                                    "noise subtraction, gain control and logarithm of TensorFlow "
                                    "Lite Micro"};
  const bool micro = f.log == audio::Log::kMicro;
  out.step(
      "log",
      word(kLogWords, f.log) + (micro ? "" : floor) +
          (f.range > 0 && !micro ? ", range=" + exactly(f.range) : ""),
      std::string(kLogs[static_cast<std::size_t>(f.log)]) +
          (micro ? ""
           : f.floor_by == audio::FloorBy::kAdd
               ? ", of the energy plus " + number(f.floor)
               : ", of the energy but at least " + number(f.floor)) +
          (f.range > 0 && !micro ? ", at most " + number(f.range) + " below the largest" : ""));
  if (f.dct != audio::Dct::kNone) {
    out.step("dct",
             std::to_string(f.coefficients > 0 ? f.coefficients : f.mels) + ", " +
                 word(kDctWords, f.dct) +
                 (f.c0 != audio::C0::kKeep ? ", c0=" + word(kC0Words, f.c0) : ""),
             "cosine transform (II), " +
                 std::to_string(f.coefficients > 0 ? f.coefficients : f.mels) + " coefficients" +
                 (f.c0 == audio::C0::kDropped  ? " without the first"
                  : f.c0 == audio::C0::kEnergy ? ", the first of them the frame's energy"
                                               : ""));
    if (f.lifter > 0)
      out.step("lifter", exactly(f.lifter),
               "coefficient k times 1 + L/2 sin(pi k/L), L = " + number(f.lifter));
  }
}

void spell_delivery(Speller& out, const FrontEnd& f) {
  const bool shifted = f.mean != 0 || f.std != 1;
  if (shifted || f.utterance != audio::Utterance::kNone)
    out.step(
        "normalize",
        (shifted ? "mean=" + exactly(f.mean) + ", std=" + exactly(f.std) : "") +
            (f.utterance != audio::Utterance::kNone
                 ? (shifted ? ", utterance=" : "utterance=") + word(kUtteranceWords, f.utterance)
                 : ""),
        std::string(shifted ? "subtracts " + number(f.mean) + " and divides by " + number(f.std)
                            : "") +
            (f.utterance != audio::Utterance::kNone
                 ? std::string(shifted ? "; " : "") + "each coefficient by its own mean" +
                       (f.utterance == audio::Utterance::kMeanAndVariance ? " and deviation" : "") +
                       " over the clip"
                 : ""));
  if (f.frames > 0 || f.audio_end >= 0)
    out.step("frames",
             std::to_string(f.frames) + (f.fill != 0 ? ", fill=" + exactly(f.fill) : "") +
                 (f.fill_in_front ? ", at=start" : "") +
                 (f.audio_end > 0    ? ", of=" + std::to_string(f.audio_end)
                  : f.audio_end == 0 ? ", of=recording"
                                     : ""),
             "exactly " + std::to_string(f.frames) + " frames; missing ones are " + number(f.fill) +
                 (f.audio_end > 0
                      ? "; features of the first " + std::to_string(f.audio_end) + " samples alone"
                  : f.audio_end == 0 ? "; features of the recording alone, without padding"
                                     : ""));
  if (f.frequency_first)
    out.step("layout", "frequency_first", "stored coefficient by coefficient, not frame by frame");
  if (f.quantize)
    out.step(
        "quantize",
        (f.code_scale ? "scale=" + exactly(*f.code_scale) : std::string("model")) +
            (f.code_zero ? ", zero_point=" + std::to_string(*f.code_zero) : "") +
            (f.codes != audio::Codes::kNearest ? ", round=" + word(kCodesWords, f.codes) : "") +
            (f.sign_flipped ? ", sign=" + word(kSignWords, true) : ""),
        std::string("to the model's integers") +
            (f.sign_flipped ? ", under the other convention of signs" : ""));
}

}  // namespace

std::vector<Spelled> spelled_sound(const FrontEnd& front_end) {
  Speller out;
  spell_signal(out, front_end);
  if (!front_end.is_waveform()) {
    spell_spectrum(out, front_end);
    spell_features(out, front_end);
  }
  spell_delivery(out, front_end);
  return out.take();
}

}  // namespace edgeprobe::preprocess
