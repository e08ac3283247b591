// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <vector>

#include "core/text.h"
#include "diagnose/sound/changes.h"
#include "preprocess/recipe/sound_steps.h"
#include "recipe/read.h"

namespace edgeprobe::diagnose::sound {
namespace {

using audio::FrontEnd;
using recipe::member;
using C = CauseKind;
using F = FrontEnd;

/// A member: a recipe argument, which provides noun and words, or one without an argument.
struct Part {
  const char* argument;
  std::string (*told)(const F&) = nullptr;
  const char* noun = nullptr;
  recipe::Member of = {};
};
/// Name of one fault, with its members.
struct Aspect {
  const char* kind;
  C cause;
  std::array<Part, 5> parts;
};

std::string scale_text(const F& f) {
  if (f.scale_by == audio::ScaleBy::kMax) return "1/(largest sample)";
  if (f.scale_by == audio::ScaleBy::kAbsMax) return "1/(largest magnitude)";
  return f.scale < 1 ? "1/" + number(1 / f.scale, 7) : number(f.scale, 7);
}
std::string believed_text(const F& f) {
  return f.believed > 0 ? number(f.believed, 7) + " Hz" : "what it is";
}
std::string code_scale_text(const F& f) {
  return f.code_scale ? number(*f.code_scale, 7) : "the model's";
}
std::string code_zero_text(const F& f) {
  return f.code_zero ? std::to_string(*f.code_zero) : "the model's";
}
std::string endian_text(const F& f) { return f.big_endian ? "big-endian" : "little-endian"; }
std::string padded_text(const F& f) {
  return f.audio_end == 0 ? "features are padded" : "the sound is padded";
}
std::string fill_at_text(const F& f) { return f.fill_in_front ? "on" : "off"; }
std::string frame_dc_text(const F& f) { return f.frame_dc ? "on" : "off"; }
std::string power_text(const F& f) { return f.power == 1 ? "magnitudes" : "power"; }
std::string floor_text(const F& f) {
  return f.floor_by == audio::FloorBy::kAdd ? "added" : "a least value";
}

constexpr std::array kAspects{
    Aspect{"byte order", C::kSampleFormat, {{{"bytes.endian", endian_text}}}},
    Aspect{"sample width", C::kSampleFormat, {{{"bytes.bits"}}}},
    Aspect{"sample format", C::kSampleFormat, {{{"bytes.format"}}}},
    Aspect{"channels", C::kChannelMix, {{{"mono.channel"}}}},
    Aspect{"sample rate", C::kSampleRate, {{{"resample.from", believed_text}, {"resample.rate"}}}},
    Aspect{"resampling", C::kSampleRate, {{{"resample.kernel"}}}},
    Aspect{"band", C::kSampleRate, {{{"band.rate"}}}},
    Aspect{"position", C::kAudioPosition, {{{"position.skip"}, {"position.roll"}}}},
    Aspect{"lost samples", C::kAudioPosition, {{{"position.lost_at"}, {"position.lost"}}}},
    Aspect{"gain", C::kAudioLevel, {{{"level.gain"}}}},
    Aspect{"dc", C::kAudioLevel, {{{"level.dc"}}}},
    Aspect{"clipping", C::kAudioLevel, {{{"level.clip"}}}},
    Aspect{"scale",
           C::kAudioLevel,
           {{{nullptr, scale_text, "scale", member<&F::scale_by>}, {"scale.factor", scale_text}}}},
    Aspect{"pre-emphasis", C::kPreEmphasis, {{{"preemphasis.factor"}, {"preemphasis.of"}}}},
    Aspect{"padding",
           C::kAudioPadding,
           {{{"pad.samples"},
             {"pad.side"},
             {"frames.of", padded_text},
             {"frames.fill"},
             {"frames.at", fill_at_text}}}},
    Aspect{"window", C::kFraming, {{{"frame.win"}, {"window.shape"}, {"fft.place"}}}},
    Aspect{"hop", C::kFraming, {{{"frame.hop"}}}},
    Aspect{"fft", C::kFraming, {{{"fft.length"}}}},
    Aspect{"centre", C::kFraming, {{{"frame.center"}}}},
    Aspect{"last frame", C::kFraming, {{{"frame.last"}}}},
    Aspect{"frame dc", C::kFraming, {{{"frame.dc", frame_dc_text}}}},
    Aspect{"power", C::kSpectrum, {{{"power.exponent", power_text}}}},
    Aspect{"spectrum norm", C::kSpectrum, {{{"power.norm"}}}},
    Aspect{"mel scale", C::kFilterBank, {{{"mel.scale"}, {"mel.triangles"}}}},
    Aspect{"mel range",
           C::kFilterBank,
           {{{nullptr, nullptr, "lowest frequency", member<&F::fmin>}, {"mel.edges"}}}},
    Aspect{"mel norm", C::kFilterBank, {{{"mel.norm"}}}},
    Aspect{"mel order", C::kFilterBank, {{{"mel.order"}}}},
    Aspect{"filters", C::kFilterBank, {{{"mel.filters"}}}},
    Aspect{"log", C::kLogScale, {{{"log.of"}}}},
    Aspect{"floor",
           C::kLogScale,
           {{{"log.add"}, {nullptr, floor_text, "use of the floor", member<&F::floor_by>}}}},
    Aspect{"dct", C::kCepstrum, {{{"dct.norm"}, {"lifter.coefficients"}}}},
    Aspect{"c0", C::kCepstrum, {{{"dct.c0"}}}},
    Aspect{"normalisation",
           C::kFeatureNormalization,
           {{{"normalize.mean"}, {"normalize.std"}, {"normalize.utterance"}, {"log.range"}}}},
    Aspect{"layout", C::kLayout, {{{"layout.order"}}}},
    Aspect{"quantisation",
           C::kInputQuantization,
           {{{"quantize.scale", code_scale_text},
             {"quantize.zero_point", code_zero_text},
             {"quantize.round"},
             {"quantize.sign"}}}},
};

std::vector<Member> members_of_aspects() {
  std::vector<Member> members;
  for (const Aspect& aspect : kAspects)
    for (const Part& part : aspect.parts) {
      if (part.argument) {
        const recipe::Field& field = *recipe::find_field(preprocess::sound_steps(), part.argument);
        const bool is_worded = field.form == recipe::Form::kWord;
        members.push_back({aspect.kind, aspect.cause, field.noun, field.member,
                           is_worded ? field.words : recipe::Words{}, part.told});
      } else if (part.noun) {
        members.push_back({aspect.kind, aspect.cause, part.noun, part.of, {}, part.told});
      }
    }
  return members;
}

}  // namespace

std::string Member::text(const FrontEnd& front_end) const {
  if (told) return told(front_end);
  const recipe::Value value = of.get(&front_end);
  if (const auto* const real = std::get_if<double>(&value)) return number(*real, 9);
  const auto whole = std::get<std::int64_t>(value);
  return words.empty() ? number(static_cast<double>(whole), 9)
                       : std::string(recipe::word_of(words, whole));
}

std::span<const Member> members() {
  static const std::vector<Member> all = members_of_aspects();
  return all;
}

std::set<std::string> kinds_between(const FrontEnd& a, const FrontEnd& b) {
  std::set<std::string> differing;
  for (const auto& member : members())
    if (!member.same(a, b)) differing.insert(member.kind);
  return differing;
}

FrontEnd with_kind_of(FrontEnd from, const FrontEnd& other, const std::string& kind) {
  for (const Member& member : members())
    if (kind == member.kind) member.copy(from, other);
  return from;
}

std::string described(const FrontEnd& app, const FrontEnd& reference, const std::string& kind) {
  std::string text, last;
  for (const Member& member : members()) {
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
