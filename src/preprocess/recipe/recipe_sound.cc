// SPDX-License-Identifier: Apache-2.0
#include "preprocess/recipe/recipe_sound.h"

#include <algorithm>
#include <cmath>

#include "audio/named.h"
#include "audio/spectrum.h"
#include "audio/synthesis.h"
#include "preprocess/recipe/recipe_taker.h"
#include "preprocess/recipe/sound_words.h"

namespace edgeprobe::preprocess {
namespace {

using audio::FrontEnd;
constexpr int kMostLength = 1 << 24;
constexpr double kMostHz = 1'000'000;

void read_bytes(Taker& take, FrontEnd& f) {
  static constexpr std::array kEndian{Word<bool>{"little", false}, Word<bool>{"big", true}};
  take.word("endian", kEndian, f.big_endian);
  int bits = f.bits;
  take.whole("bits", 8, 16, bits);
  if (bits != 8 && bits != 16)
    take.keep(take.arguments().error(take.arguments().at(), "bits is 8 or 16"));
  f.bits = bits;
}

void read_resample(Taker& take, FrontEnd& f) {
  take.needed_real("a rate in Hz", 100, kMostHz, f.rate);
  take.next_word(kSoundKernelWords, f.kernel);
  take.real("from", 100, kMostHz, f.believed);
}

void read_position(Taker& take, FrontEnd& f) {
  take.whole("skip", -kMostLength, kMostLength, f.skip);
  take.whole("roll", -kMostLength, kMostLength, f.roll);
  take.whole("lost_at", 0, kMostLength, f.lost_at);
  take.whole("lost", 0, kMostLength, f.lost);
}

void read_level(Taker& take, FrontEnd& f) {
  static constexpr std::array kClip{Word<bool>{"off", false}, Word<bool>{"on", true}};
  take.real("gain", 1e-6, 1e6, f.gain);
  take.real("dc", -32768, 32768, f.dc);
  take.word("clip", kClip, f.clipped);
}

void read_pad(Taker& take, FrontEnd& f) {
  take.needed_whole("a number of samples", 1, kMostLength, f.length);
  take.next_word(kPadWords, f.pad_at);
}

void read_sound_scale(Taker& take, FrontEnd& f) {
  const auto given = take.needed("1/32768, 1, max or absmax");
  if (!given) return;
  f.scale_by = given->value == "max"      ? audio::ScaleBy::kMax
               : given->value == "absmax" ? audio::ScaleBy::kAbsMax
                                          : audio::ScaleBy::kFactor;
  if (f.scale_by != audio::ScaleBy::kFactor) return;
  const bool inverse = given->value.substr(0, 2) == "1/";
  Argument value = *given;
  if (inverse) value.value.remove_prefix(2);
  take.read_real(value, 1e-9, 1e9, f.scale);
  if (inverse) f.scale = 1 / f.scale;
}

void read_preemphasis(Taker& take, FrontEnd& f) {
  take.needed_real("a factor like 0.97", -1, 1, f.preemphasis);
  take.next_word(kPreWords, f.pre_at);
}

void read_frame(Taker& take, FrontEnd& f) {
  if (f.is_waveform()) f.win = f.hop = -1;
  take.whole("win", 2, 16384, f.win);
  take.whole("hop", 1, 16384, f.hop);
  if (f.win < 0 || f.hop < 0)
    take.keep(
        take.arguments().error(take.arguments().at(), "frame needs win= and hop=, in samples"));
  take.word("center", kCenterWords, f.center);
  take.word("last", kLastWords, f.last);
  take.word("dc", kFrameDcWords, f.frame_dc);
}

void read_fft(Taker& take, FrontEnd& f) {
  int length = f.nfft;
  take.needed_whole("a length", 2, 16384, length);
  if (length != f.nfft && !audio::is_fft_length(length))
    take.keep(take.arguments().error(
        take.arguments().at(), "an FFT of that length is not made: its factors are 2, 3, 5 and 7"));
  f.nfft = length;
  take.word("place", kPlaceInFftWords, f.middle);
}

void read_power(Taker& take, FrontEnd& f) {
  take.needed_whole("1 (magnitude) or 2 (power)", 1, 2, f.power);
  take.word("norm", kSpectrumNormWords, f.spectrum_norm);
}

void read_mel(Taker& take, FrontEnd& f) {
  take.needed_whole("a number of filters", 1, 1024, f.mels);
  const auto range = take.needed("edges in Hz like 20..8000");
  if (!range) return;
  const std::size_t dots = range->value.find("..");
  if (dots == std::string_view::npos) {
    take.keep(take.arguments().error(range->at, "expected edges in Hz like 20..8000"));
    return;
  }
  take.read_real({{}, range->value.substr(0, dots), range->at}, 0, kMostHz, f.fmin);
  take.read_real({{}, range->value.substr(dots + 2), range->at}, 0, kMostHz, f.fmax);
  take.next_word(kMelScaleWords, f.mel_scale);
  take.word("triangles", kTriangleWords, f.triangles);
  take.word("norm", kMelNormWords, f.mel_norm);
  take.word("order", kMelOrderWords, f.mels_reversed);
}

void read_log(Taker& take, FrontEnd& f) {
  take.next_word(kLogWords, f.log);
  double add = -1, most = -1;
  take.real("add", 0, 1e9, add);
  take.real("max", 1e-300, 1e9, most);
  if (add >= 0 && most >= 0)
    take.keep(take.arguments().error(take.arguments().at(),
                                     "add= and max= are two ways to keep off 0: give one"));
  if (add >= 0 || most >= 0) {
    f.floor_by = add >= 0 ? audio::FloorBy::kAdd : audio::FloorBy::kMax;
    f.floor = std::max(add, most);
  }
  take.real("range", 0, 1e6, f.range);
}

void read_dct(Taker& take, FrontEnd& f) {
  take.needed_whole("a number of coefficients", 1, 1024, f.coefficients);
  if (f.dct == audio::Dct::kNone) f.dct = audio::Dct::kOrtho;
  take.next_word(kDctWords, f.dct);
  take.word("c0", kC0Words, f.c0);
}

void read_sound_normalize(Taker& take, FrontEnd& f) {
  take.real("mean", -1e9, 1e9, f.mean);
  take.real("std", 1e-12, 1e9, f.std);
  take.word("utterance", kUtteranceWords, f.utterance);
}

void read_frames(Taker& take, FrontEnd& f) {
  take.needed_whole("a number of frames", 1, 1 << 20, f.frames);
  take.real("fill", -1e9, 1e9, f.fill);
  take.word("at", kFillWords, f.fill_in_front);
  if (const auto of = take.arguments().take("of")) {
    if (of->value == "recording") f.audio_end = 0;
    else take.read_whole(*of, 1, kMostLength, f.audio_end);
  }
}

void read_sound_quantize(Taker& take, FrontEnd& f) {
  static constexpr std::array kModel{Word<bool>{"model", true}};
  f.quantize = true;
  bool of_model = false;
  take.next_word(kModel, of_model);
  if (of_model) {
    f.code_scale.reset();
    f.code_zero.reset();
  }
  double scale = -1;
  int zero = -40000;
  take.real("scale", 1e-30, 1e30, scale);
  take.whole("zero_point", -32768, 65535, zero);
  if (scale > 0) f.code_scale = scale;
  if (zero > -40000) f.code_zero = zero;
  take.word("round", kCodesWords, f.codes);
  take.word("sign", kSignWords, f.sign_flipped);
}

struct SoundStep {
  std::string_view name;
  bool of_sound_alone;
  void (*read)(Taker&, FrontEnd&);
};
/// In the order in which they run.
constexpr std::array<SoundStep, 20> kSoundSteps{{
    {"bytes", true, read_bytes},
    {"mono", true, [](Taker& take, FrontEnd& f) { take.next_word(kMonoWords, f.mono); }},
    {"resample", true, read_resample},
    {"position", true, read_position},
    {"level", true, read_level},
    {"band", true,
     [](Taker& take, FrontEnd& f) { take.needed_real("a rate in Hz", 100, kMostHz, f.band); }},
    {"pad", true, read_pad},
    {"scale", false, read_sound_scale},
    {"preemphasis", true, read_preemphasis},
    {"frame", true, read_frame},
    {"window", true, [](Taker& take, FrontEnd& f) { take.next_word(kWindowWords, f.window); }},
    {"fft", true, read_fft},
    {"power", true, read_power},
    {"mel", true, read_mel},
    {"log", true, read_log},
    {"dct", true, read_dct},
    {"lifter", true,
     [](Taker& take, FrontEnd& f) {
       take.needed_real("a number of coefficients", 0, 1000, f.lifter);
     }},
    {"normalize", false, read_sound_normalize},
    {"frames", true, read_frames},
    {"layout", false,
     [](Taker& take, FrontEnd& f) { take.next_word(kSoundLayoutWords, f.frequency_first); }},
}};
constexpr SoundStep kLastStep{"quantize", false, read_sound_quantize};

const audio::NamedFrontEnd* named(std::string_view name) {
  for (const audio::NamedFrontEnd& one : audio::named_front_ends())
    if (name == one.name) return &one;
  return nullptr;
}

std::string_view first_of_sound(const RecipeText& recipe) {
  for (const StepText& step : recipe.steps) {
    if (named(step.name)) return step.name;
    for (const SoundStep& known : kSoundSteps)
      if (known.of_sound_alone && step.name == known.name) return step.name;
  }
  return {};
}

int rank_of(std::string_view name) {
  for (std::size_t i = 0; i < kSoundSteps.size(); ++i)
    if (name == kSoundSteps[i].name) return static_cast<int>(i);
  return name == kLastStep.name ? static_cast<int>(kSoundSteps.size()) : -1;
}

}  // namespace

std::vector<std::string> sound_step_names() {
  std::vector<std::string> names;
  for (const SoundStep& step : kSoundSteps) names.emplace_back(step.name);
  names.emplace_back(kLastStep.name);
  for (const audio::NamedFrontEnd& one : audio::named_front_ends()) names.emplace_back(one.name);
  return names;
}

bool is_of_sound(const RecipeText& recipe) { return !first_of_sound(recipe).empty(); }

Result<Sound> read_sound(std::string_view text, const RecipeText& recipe) {
  Sound sound;
  FrontEnd& f = sound.front_end;
  int last = -1;
  std::string_view last_name;
  const int first_of_frames = rank_of("window"), last_of_frames = rank_of("lifter");
  for (const StepText& step : recipe.steps) {
    Arguments arguments(text, step);
    if (const auto* const whole = named(step.name)) {
      if (step.number != 1)
        return arguments.error(step.at, "a named front end is all steps at once: put it first");
      f = whole->front_end;
      if (auto done = arguments.finish(); !done) return std::move(done).error();
      continue;
    }
    const int rank = rank_of(step.name);
    if (rank < 0) {
      const std::vector<std::string> known = sound_step_names();
      Error unknown = arguments.unknown({{}, step.name, step.at}, known);
      unknown.what += "; " + std::string(first_of_sound(recipe)) +
                      " makes this a recipe of sound, which steps of pictures do not mix with";
      return unknown;
    }
    if (rank <= last)
      return arguments.error(step.at, rank == last ? std::string(step.name) + " is given twice"
                                                   : std::string(step.name) + " runs before " +
                                                         std::string(last_name) + ": put it there");
    last = rank;
    last_name = step.name;
    if (f.is_waveform() && rank >= first_of_frames && rank <= last_of_frames)
      return arguments.error(
          step.at, std::string(step.name) + " works on frames: put frame(win=…, hop=…) before it");
    Taker take(arguments);
    (rank == static_cast<int>(kSoundSteps.size()) ? kLastStep
                                                  : kSoundSteps[static_cast<std::size_t>(rank)])
        .read(take, f);
    if (auto done = take.done(); !done) return std::move(done).error();
    if (auto done = arguments.finish(); !done) return std::move(done).error();
  }
  if (auto good = audio::check(f); !good)
    return Error{ErrorKind::kUsage, "recipe: " + good.error().what};
  return sound;
}

}  // namespace edgeprobe::preprocess
