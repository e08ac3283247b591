// SPDX-License-Identifier: Apache-2.0
#include "preprocess/recipe/sound_steps.h"

#include <array>

#include "audio/front_end.h"
#include "audio/synthesis.h"
#include "core/text.h"
#include "preprocess/recipe/code_fields.h"
#include "recipe/print.h"
#include "recipe/read.h"

namespace edgeprobe::preprocess {
namespace {

using audio::FrontEnd;
using recipe::Argument;
using recipe::Arguments;
using recipe::as;
using recipe::member;
using recipe::own;
using recipe::real;
using recipe::step;
using recipe::whole;
using recipe::Word;
using recipe::word;
using F = FrontEnd;

constexpr int kMostOfClip = 1 << 24;
constexpr double kMostValue = 1e9;

bool is_shifted(const void* f) { return as<F>(f).mean != 0 || as<F>(f).std != 1; }
std::string normalize_meaning(const void* recipe) {
  const auto& f = as<F>(recipe);
  std::string text;
  if (is_shifted(recipe)) text = "subtracts " + number(f.mean) + " and divides by " + number(f.std);
  if (f.utterance != audio::Utterance::kNone)
    text +=
        std::string(text.empty() ? "" : "; ") + "each coefficient by its own mean" +
        (f.utterance == audio::Utterance::kRunningMean             ? " of the frames so far"
         : f.utterance == audio::Utterance::kMeanAndVariance       ? " and deviation over the clip"
         : f.utterance == audio::Utterance::kMeanAndSampleVariance ? " and deviation (by n - 1) "
                                                                     "over the clip"
                                                                   : " over the clip");
  return text;
}
constexpr std::array kUtterances{
    Word{"none", audio::Utterance::kNone}, Word{"mean", audio::Utterance::kMean},
    Word{"mean_variance", audio::Utterance::kMeanAndVariance},
    Word{"mean_sample_variance", audio::Utterance::kMeanAndSampleVariance},
    Word{"running_mean", audio::Utterance::kRunningMean}};
constexpr std::array kNormalize{
    real("mean", member<&F::mean>, -kMostValue, kMostValue).called("mean").shown_if(is_shifted),
    real("std", member<&F::std>, 1e-12, kMostValue).called("deviation").shown_if(is_shifted),
    word("utterance", member<&F::utterance>, kUtterances).called("normalisation over the clip"),
};

Status read_of(Arguments& arguments, const Argument& given, void* recipe) {
  EP_TRY(auto samples,
         given.value == "recording" ? Result<int>(0) : arguments.whole(given, 1, kMostOfClip));
  as<F>(recipe).audio_end = samples;
  return {};
}
std::string of_text(const void* f) {
  const int end = as<F>(f).audio_end;
  return end > 0 ? std::to_string(end) : end == 0 ? "recording" : "";
}
std::string frames_meaning(const void* recipe) {
  const auto& f = as<F>(recipe);
  return "exactly " + std::to_string(f.frames) + " frames; missing ones are " + number(f.fill) +
         (f.audio_end > 0
              ? "; features of only the first " + std::to_string(f.audio_end) + " samples"
          : f.audio_end == 0 ? "; features of the recording only, without padding"
                             : "");
}
constexpr std::array kFills{Word{"end", false}, Word{"start", true}};
constexpr std::array kFrames{
    whole("count", member<&F::frames>, 1, 1 << 20).needed("a number of frames").always(),
    real("fill", member<&F::fill>, -kMostValue, kMostValue).called("value of missing frames"),
    word("at", member<&F::fill_in_front>, kFills).called("padding of frames in front"),
    own("of", member<&F::audio_end>, read_of, of_text).called("order of padding"),
};

constexpr std::array kLayouts{Word{"time_first", false}, Word{"frequency_first", true}};
constexpr std::array kLayout{
    word("order", member<&F::frequency_first>, kLayouts).called("layout").positional()};

constexpr std::array kRoundings{
    Word{"half_up", audio::Codes::kNearest}, Word{"half_even", audio::Codes::kHalfEven},
    Word{"floor", audio::Codes::kFloor}, Word{"wrap", audio::Codes::kWrap}};
constexpr std::array kQuantize{
    own("from", {}, read_model_codes<F>, model_codes_text<F>).positional(),
    real("scale", member<&F::code_scale>, 1e-30, 1e30).called("scale of codes"),
    whole("zero_point", member<&F::code_zero>, -32768, 65535).called("zero point"),
    word("round", member<&F::codes>, kRoundings).called("rounding to codes"),
    word("sign", member<&F::sign_flipped>, recipe::kKeptOrFlipped).called("sign bit"),
};

constexpr std::array kDeliverySteps{
    step("normalize", 17, kNormalize).meant_by(normalize_meaning),
    step("frames", 18, kFrames)
        .of_this_kind()
        .there_if([](const void* f) { return as<F>(f).frames > 0 || as<F>(f).audio_end >= 0; })
        .meant_by(frames_meaning),
    step("layout", 19, kLayout).saying("stored coefficient by coefficient, not frame by frame"),
    step("quantize", 20, kQuantize)
        .there_if([](const void* f) { return as<F>(f).quantize; })
        .begun_by(begin_codes<F>)
        .saying(kCodesSentence),
};

const audio::NamedFrontEnd* named(std::string_view name) {
  for (const audio::NamedFrontEnd& one : audio::named_front_ends())
    if (name == one.name) return &one;
  return nullptr;
}

std::string_view first_of_sound(const recipe::RecipeText& recipe) {
  for (const recipe::StepText& text : recipe.steps) {
    const recipe::Step* const known = recipe::find_step(sound_steps(), text.name);
    if (named(text.name) || (known && known->tells_kind)) return text.name;
  }
  return {};
}

Error unknown_in_sound(const Arguments& arguments, const recipe::StepText& step,
                       std::string_view first) {
  std::vector<std::string> known = recipe::step_names(sound_steps());
  for (const audio::NamedFrontEnd& one : audio::named_front_ends()) known.emplace_back(one.name);
  Error unknown = recipe::unknown_step(arguments, step, known);
  unknown.what += "; " + std::string(first) +
                  " makes this a recipe of sound, which steps of pictures do not mix with";
  return unknown;
}

}  // namespace

recipe::Steps sound_steps() {
  static const std::vector<recipe::Step> all = [] {
    std::vector<recipe::Step> steps;
    for (const recipe::Steps part :
         {sound_signal_steps(), sound_spectrum_steps(), recipe::Steps(kDeliverySteps)})
      steps.insert(steps.end(), part.begin(), part.end());
    return steps;
  }();
  return all;
}

bool is_of_sound(const recipe::RecipeText& recipe) { return !first_of_sound(recipe).empty(); }

Result<Sound> read_sound(std::string_view text, const recipe::RecipeText& recipe) {
  Sound sound;
  FrontEnd& f = sound.front_end;
  const recipe::Step* last = nullptr;
  for (const recipe::StepText& one : recipe.steps) {
    Arguments arguments(text, one);
    if (const auto* const whole = named(one.name)) {
      if (one.number != 1)
        return arguments.error(one.at, "a named front end is all steps at once: put it first");
      f = whole->front_end;
      EP_CHECK(arguments.finish());
      continue;
    }
    const recipe::Step* const known = recipe::find_step(sound_steps(), one.name);
    if (!known) return unknown_in_sound(arguments, one, first_of_sound(recipe));
    EP_CHECK(recipe::follows(arguments, *known, last));
    last = known;
    if (f.is_waveform() && known->name != "frame" &&
        recipe::find_step(sound_spectrum_steps(), one.name))
      return arguments.error(
          one.at, std::string(one.name) + " works on frames: put frame(win=…, hop=…) before it");
    EP_CHECK(recipe::read_step(arguments, *known, &f));
  }
  if (auto good = audio::check(f); !good)
    return Error{ErrorKind::kUsage, "recipe: " + good.error().what};
  return sound;
}

std::vector<Spelled> spelled_sound(const FrontEnd& f) {
  std::vector<Spelled> out;
  for (const recipe::Steps part :
       {sound_signal_steps(), f.is_waveform() ? recipe::Steps{} : sound_spectrum_steps(),
        recipe::Steps(kDeliverySteps)})
    for (Spelled& one : recipe::spelled(part, &f)) out.push_back(std::move(one));
  return out;
}

}  // namespace edgeprobe::preprocess
