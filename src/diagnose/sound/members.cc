// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "core/text.h"
#include "diagnose/sound/changes.h"
#include "preprocess/recipe/sound_words.h"

namespace edgeprobe::diagnose::sound {
namespace {

using audio::FrontEnd;
namespace words = preprocess;

template <auto kMember>
bool same(const FrontEnd& a, const FrontEnd& b) {
  return a.*kMember == b.*kMember;
}
template <auto kMember>
void copy(FrontEnd& to, const FrontEnd& from) {
  to.*kMember = from.*kMember;
}
template <auto kMember>
std::string plain_text(const FrontEnd& f) {
  const auto value = f.*kMember;
  if constexpr (std::is_same_v<std::remove_const_t<decltype(value)>, bool>)
    return value ? "on" : "off";
  else return number(static_cast<double>(value), 9);
}
template <auto kMember, const auto& kWords>
std::string word_text(const FrontEnd& f) {
  return std::string(words::word_of(kWords, f.*kMember));
}

template <auto kMember>
constexpr Member plain(const char* kind, CauseKind cause, const char* noun) {
  return {kind, cause, noun, same<kMember>, copy<kMember>, plain_text<kMember>};
}
template <auto kMember, const auto& kWords>
constexpr Member worded(const char* kind, CauseKind cause, const char* noun) {
  return {kind, cause, noun, same<kMember>, copy<kMember>, word_text<kMember, kWords>};
}
template <auto kMember>
constexpr Member told(const char* kind, CauseKind cause, const char* noun,
                      std::string (*text)(const FrontEnd&)) {
  return {kind, cause, noun, same<kMember>, copy<kMember>, text};
}

std::string scale_text(const FrontEnd& f) {
  if (f.scale_by == audio::ScaleBy::kMax) return "1/(largest sample)";
  if (f.scale_by == audio::ScaleBy::kAbsMax) return "1/(largest magnitude)";
  return f.scale < 1 ? "1/" + number(1 / f.scale, 7) : number(f.scale, 7);
}
std::string believed_text(const FrontEnd& f) {
  return f.believed > 0 ? number(f.believed, 7) + " Hz" : "what it is";
}
std::string optional_text(const std::optional<double>& value) {
  return value ? number(*value, 7) : "the model's";
}

using C = CauseKind;
using F = FrontEnd;
constexpr std::array kMembers{
    told<&F::big_endian>(
        "byte order", C::kSampleFormat, "byte order",
        [](const F& f) { return std::string(f.big_endian ? "big-endian" : "little-endian"); }),
    plain<&F::bits>("sample width", C::kSampleFormat, "number of bits kept"),
    worded<&F::mono, words::kMonoWords>("channels", C::kChannelMix, "reading of the channels"),
    told<&F::believed>("sample rate", C::kSampleRate, "idea of the recording's rate",
                       believed_text),
    plain<&F::rate>("sample rate", C::kSampleRate, "rate"),
    worded<&F::kernel, words::kSoundKernelWords>("resampling", C::kSampleRate, "resampling"),
    plain<&F::band>("band", C::kSampleRate, "band (a rate in between, 0: none)"),
    plain<&F::skip>("position", C::kAudioPosition, "number of samples left out in front"),
    plain<&F::roll>("position", C::kAudioPosition, "first sample of the ring buffer"),
    plain<&F::lost_at>("lost samples", C::kAudioPosition, "place of lost samples"),
    plain<&F::lost>("lost samples", C::kAudioPosition, "number of lost samples"),
    plain<&F::gain>("gain", C::kAudioLevel, "gain"),
    plain<&F::dc>("dc", C::kAudioLevel, "DC (16-bit units)"),
    plain<&F::clipped>("clipping", C::kAudioLevel, "clipping at full scale"),
    told<&F::scale_by>("scale", C::kAudioLevel, "scale", scale_text),
    told<&F::scale>("scale", C::kAudioLevel, "scale", scale_text),
    plain<&F::preemphasis>("pre-emphasis", C::kPreEmphasis, "pre-emphasis"),
    worded<&F::pre_at, words::kPreWords>("pre-emphasis", C::kPreEmphasis, "place of pre-emphasis"),
    plain<&F::length>("padding", C::kAudioPadding, "number of samples"),
    worded<&F::pad_at, words::kPadWords>("padding", C::kAudioPadding, "side of the padding"),
    told<&F::audio_end>("padding", C::kAudioPadding, "order of padding",
                        [](const F& f) {
                          return std::string(f.audio_end == 0 ? "features are padded"
                                                              : "the sound is padded");
                        }),
    plain<&F::fill>("padding", C::kAudioPadding, "value of missing frames"),
    plain<&F::fill_in_front>("padding", C::kAudioPadding, "padding of frames in front"),
    plain<&F::win>("window", C::kFraming, "window length"),
    worded<&F::window, words::kWindowWords>("window", C::kFraming, "window"),
    worded<&F::middle, words::kPlaceInFftWords>("window", C::kFraming, "place of the window"),
    plain<&F::hop>("hop", C::kFraming, "hop"),
    plain<&F::nfft>("fft", C::kFraming, "FFT length"),
    worded<&F::center, words::kCenterWords>("centre", C::kFraming, "centring"),
    worded<&F::last, words::kLastWords>("last frame", C::kFraming, "last frame"),
    plain<&F::frame_dc>("frame dc", C::kFraming, "removal of each frame's mean"),
    told<&F::power>("power", C::kSpectrum, "spectrum",
                    [](const F& f) { return std::string(f.power == 1 ? "magnitudes" : "power"); }),
    worded<&F::spectrum_norm, words::kSpectrumNormWords>("spectrum norm", C::kSpectrum,
                                                         "norm of the spectrum"),
    worded<&F::mel_scale, words::kMelScaleWords>("mel scale", C::kFilterBank, "mel scale"),
    worded<&F::triangles, words::kTriangleWords>("mel scale", C::kFilterBank,
                                                 "axis of the triangles"),
    plain<&F::fmin>("mel range", C::kFilterBank, "lowest frequency"),
    plain<&F::fmax>("mel range", C::kFilterBank, "highest frequency"),
    worded<&F::mel_norm, words::kMelNormWords>("mel norm", C::kFilterBank, "norm of the filters"),
    worded<&F::mels_reversed, words::kMelOrderWords>("mel order", C::kFilterBank,
                                                     "order of the filters"),
    plain<&F::mels>("filters", C::kFilterBank, "number of filters"),
    worded<&F::log, words::kLogWords>("log", C::kLogScale, "logarithm"),
    plain<&F::floor>("floor", C::kLogScale, "floor"),
    told<&F::floor_by>("floor", C::kLogScale, "use of the floor",
                       [](const F& f) {
                         return std::string(f.floor_by == audio::FloorBy::kAdd ? "added"
                                                                               : "a least value");
                       }),
    worded<&F::dct, words::kDctWords>("dct", C::kCepstrum, "cosine transform"),
    plain<&F::lifter>("dct", C::kCepstrum, "lifter (0: none)"),
    worded<&F::c0, words::kC0Words>("c0", C::kCepstrum, "first coefficient"),
    plain<&F::mean>("normalisation", C::kFeatureNormalization, "mean"),
    plain<&F::std>("normalisation", C::kFeatureNormalization, "deviation"),
    worded<&F::utterance, words::kUtteranceWords>("normalisation", C::kFeatureNormalization,
                                                  "normalisation over the clip"),
    plain<&F::range>("normalisation", C::kFeatureNormalization,
                     "limit below the largest value (0: none)"),
    worded<&F::frequency_first, words::kSoundLayoutWords>("layout", C::kLayout, "layout"),
    told<&F::code_scale>("quantisation", C::kInputQuantization, "scale of codes",
                         [](const F& f) { return optional_text(f.code_scale); }),
    told<&F::code_zero>("quantisation", C::kInputQuantization, "zero point",
                        [](const F& f) {
                          return f.code_zero ? std::to_string(*f.code_zero)
                                             : std::string("the model's");
                        }),
    worded<&F::codes, words::kCodesWords>("quantisation", C::kInputQuantization,
                                          "rounding to codes"),
    worded<&F::sign_flipped, words::kSignWords>("quantisation", C::kInputQuantization, "sign bit"),
};

}  // namespace

std::span<const Member> members() { return kMembers; }

std::set<std::string> kinds_between(const FrontEnd& a, const FrontEnd& b) {
  return kinds_that_differ(members(), a, b);
}

FrontEnd with_kind_of(FrontEnd from, const FrontEnd& other, const std::string& kind) {
  for (const Member& member : kMembers)
    if (kind == member.kind) member.copy(from, other);
  return from;
}

std::string described(const FrontEnd& app, const FrontEnd& reference, const std::string& kind) {
  std::string text, last;
  for (const Member& member : kMembers) {
    if (kind != member.kind || member.same(app, reference)) continue;
    const std::string one = "the app's " + std::string(member.noun) + " is " + member.text(app) +
                            "; the reference's is " + member.text(reference);
    if (one == last) continue;
    text += (text.empty() ? "" : "; ") + one;
    last = one;
  }
  return text;
}

}  // namespace edgeprobe::diagnose::sound
