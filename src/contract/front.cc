// SPDX-License-Identifier: Apache-2.0
#include "contract/front.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "contract/text_front.h"
#include "core/evenly_spaced.h"
#include "core/text.h"
#include "diagnose/input/extent.h"
#include "diagnose/input/search/search_input.h"
#include "pipeline/inputs/picture.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::contract {
namespace {

// The input made by the recipe; null if there are several candidates.
const trace::ReadChannel* made_input(const trace::Reader& trace) {
  const auto stated = trace.declared("recipe_input");
  const trace::ReadChannel* only = nullptr;
  for (const trace::ReadChannel& read : trace.channels()) {
    if (read.channel.stage != trace::Stage::kModelInput || read.messages == 0) continue;
    if (stated && read.channel.spec.name == *stated) return &read;
    if (only) return nullptr;
    only = &read;
  }
  return only;
}

/// A frame's recorded input, and the one that the recipe makes.
struct Replayed {
  std::size_t sample = 0;  // Index into raw.samples.
  std::uint32_t frame = 0;
  double squares = 0;
  std::size_t values = 0;
  double steps(double unit) const {
    return unit > 0 && values > 0 ? std::sqrt(squares / static_cast<double>(values)) / unit : 0;
  }
};

struct Replays {
  std::vector<Replayed> frames;
  // Range of the recipe's values.
  double least = std::numeric_limits<double>::infinity(), most = -least;
  bool equal = true;
  std::string reason;  // Reason why the first such frame could not be replayed.
  double unit() const { return most > least ? (most - least) / 255 : 0; }
};

Result<std::optional<Tensor>> recorded_input(const trace::Reader& trace, std::uint32_t frame,
                                             const trace::ReadChannel& input) {
  EP_TRY(const auto message, trace.read(frame, input.id));
  if (!message) return std::optional<Tensor>();
  return std::optional<Tensor>(message->copy());
}

Status add(Replays& replays, const Tensor& recorded, const Tensor& made, std::size_t sample,
           std::uint32_t frame) {
  const auto given = to_float(recorded), wanted = to_float(made);
  if (!given) return given.error();
  if (!wanted) return wanted.error();
  Replayed one{sample, frame, 0, given->size()};
  for (std::size_t i = 0; i < std::min(given->size(), wanted->size()); ++i) {
    const double right = (*wanted)[i], difference = (*given)[i] - right;
    replays.least = std::min(replays.least, right);
    replays.most = std::max(replays.most, right);
    one.squares += std::isfinite(difference) ? difference * difference : 1e12;
  }
  replays.equal = replays.equal && one.squares == 0;
  replays.frames.push_back(one);
  return {};
}

Result<Replays> replay(const trace::Reader& trace, const trace::ReadChannel& input,
                       const pipeline::TraceSamples& raw, const preprocess::Recipe& recipe,
                       const Control& control) {
  Replays replays;
  for (const std::size_t i : evenly_spaced(raw.samples.size(), kReplayedFrames)) {
    if (control.stopped()) return interrupted();
    EP_TRY(auto recorded, recorded_input(trace, raw.frames[i], input));
    if (!recorded) continue;
    const auto loaded = raw.samples[i].load();
    if (!loaded) return Error(loaded.error());
    const auto made = pipeline::model_input(recipe, loaded->input, input.channel.spec);
    if (!made) {
      if (replays.reason.empty()) replays.reason = made.error().what;
      continue;
    }
    EP_CHECK(add(replays, *recorded, *made, i, raw.frames[i]));
  }
  return replays;
}

// Searches these frames for the app's deviations.
Result<std::optional<diagnose::SearchedInput>> search(const trace::Reader& trace,
                                                      const trace::ReadChannel& input,
                                                      const pipeline::TraceSamples& raw,
                                                      const kinds::FrontEnd& front_end,
                                                      const std::vector<Replayed>& among,
                                                      double unit, const Control& control) {
  std::vector<std::size_t> samples;
  for (const std::size_t k : evenly_spaced(among.size(), kSearchedFrames))
    samples.push_back(among[k].sample);
  EP_TRY(const auto observed, diagnose::observed_inputs(trace, input, raw, samples));
  const TensorSpec& spec = input.channel.spec;
  return diagnose::search_input({front_end, spec, spec, unit}, observed, control);
}

FrontReplay cannot_tell(std::string reason) {
  FrontReplay out;
  out.reason = std::move(reason);
  return out;
}

/// Replays the only input made by a recipe, comparing values with a tolerance.
Result<FrontReplay> replay_values(const trace::Reader& trace, const pipeline::TraceSamples& raw,
                                  const preprocess::Recipe& recipe,
                                  const kinds::FrontEnd& front_end, const Control& control) {
  const trace::ReadChannel* const input = made_input(trace);
  if (!input)
    return cannot_tell(
        "the trace has no model input that the recipe makes, or several; record the input, and "
        "name "
        "it by the recipe");
  if (raw.samples.empty())
    return cannot_tell(raw.without_raw.empty() ? "the trace has no frames"
                                               : "the trace holds no pictures or recordings; give "
                                                 "their folder with --data DIR, or record them");
  EP_TRY(auto replays, replay(trace, *input, raw, recipe, control));
  if (replays.frames.empty())
    return cannot_tell(replays.reason.empty() ? "no frame has both its picture and its model input"
                                              : replays.reason);
  FrontReplay out;
  out.frames = replays.frames.size();
  const double unit = replays.unit(),
               same = unit > 0 ? diagnose::same_input_steps(*input, unit) : 0;
  std::vector<Replayed> differing;
  for (const Replayed& one : replays.frames) {
    if (one.steps(unit) > same) differing.push_back(one);
    if (one.steps(unit) <= out.worst) continue;
    out.worst = one.steps(unit);
    out.worst_frame = one.frame;
    out.worst_sample = raw.samples[one.sample].name;
  }
  out.distance = number(out.worst, 3) + " gray steps";
  out.differing = differing.size();
  if (replays.equal) {
    out.state = FrontReplay::State::kSame;
    return out;
  }
  EP_TRY(auto found, search(trace, *input, raw, front_end,
                            differing.empty() ? replays.frames : differing, unit, control));
  if (!found)
    return cannot_tell(
        "what differs in the model inputs cannot be searched for: their frames have no picture");
  using Found = diagnose::InputDiagnosis::Status;
  out.diagnosis = std::move(found->diagnosis);
  const bool some =
      out.diagnosis->status == Found::kFound || out.diagnosis->status == Found::kPartial;
  if (out.diagnosis->status == Found::kEqual && differing.empty()) {
    out.state = FrontReplay::State::kSame;
  } else if (some || !differing.empty()) {
    out.state = FrontReplay::State::kDiffers;
    if (differing.empty())
      out.differing = out.frames;  // A small difference that shows only over all frames together.
  } else {
    out.reason = out.diagnosis->reason;
  }
  return out;
}

/// Visitor for the kinds of inputs that a recipe can make.
struct Replay {
  const trace::Reader& trace;
  const pipeline::TraceSamples& raw;
  const preprocess::Recipe& recipe;
  pipeline::Tokenizer* tokenizer;
  const Control& control;

  Result<FrontReplay> operator()(const text::FrontEnd* front_end) const {
    return replay_text(trace, raw, *front_end, tokenizer, control);
  }
  template <class FrontEnd>
  Result<FrontReplay> operator()(const FrontEnd* front_end) const {
    return replay_values(trace, raw, recipe, front_end, control);
  }
};

}  // namespace

Result<FrontReplay> replay_front(const trace::Reader& trace, const pipeline::TraceSamples& raw,
                                 const std::string& text, pipeline::Tokenizer* tokenizer,
                                 const Control& control) {
  const auto recipe = preprocess::parse_recipe(text);
  if (!recipe) return Error(recipe.error()).during("recipe");
  return std::visit(Replay{trace, raw, *recipe, tokenizer, control}, kinds::front_end_of(*recipe));
}

}  // namespace edgeprobe::contract
