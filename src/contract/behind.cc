// SPDX-License-Identifier: Apache-2.0
#include "contract/behind.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.h"
#include "diagnose/case/counterfactual.h"
#include "pipeline/recipe_answers.h"
#include "preprocess/recipe/recipe.h"
#include "trace/read/answers.h"

namespace edgeprobe::contract {
namespace {

constexpr double kTie = 1e-5, kSame = 1e-3, kHalfPixel = 0.5, kOtherPixels = 0.01;

bool same(double a, double b, double least = 0) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  // Any number would be within a relative tolerance of infinity.
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <=
         std::max(least, kSame * std::max(1.0, std::max(std::abs(a), std::abs(b))));
}

std::string text_of(double value) { return number(value, 5); }
std::string text_of(const std::string& value) { return sanitized(value, 40); }
std::string text_of(std::int64_t value) { return std::to_string(value); }

// First differing entries of two lists of one kind; `alike(i)` compares the i-th entries.
template <class List, class Alike>
AnswerDifference unlike(const char* what, const std::optional<List>& given,
                        const std::optional<List>& made, const Alike& alike) {
  if (!given || !made) return {};  // A part missing on one side is not compared.
  if (given->size() != made->size())
    return {std::to_string(given->size()) + " " + what, std::to_string(made->size()) + " " + what};
  for (std::size_t i = 0; i < given->size(); ++i)
    if (!alike(i)) {
      const std::string place = std::string(what) + "[" + std::to_string(i) + "] ";
      if constexpr (std::is_same_v<List, std::vector<std::string>> ||
                    std::is_same_v<List, std::vector<std::int64_t>> ||
                    std::is_same_v<List, std::vector<float>>)
        return {place + text_of((*given)[i]), place + text_of((*made)[i])};
      else
        return {place + text_of((*given)[i][0]) + ", " + text_of((*given)[i][1]) + ", …",
                place + text_of((*made)[i][0]) + ", " + text_of((*made)[i][1]) + ", …"};
    }
  return {};
}

// True if the i-th score equals a neighbour's: their order is then arbitrary.
bool ties(const trace::Answer& made, std::size_t i) {
  if (!made.scores || i >= made.scores->size()) return false;
  const auto& scores = *made.scores;
  return (i > 0 && std::abs(scores[i] - scores[i - 1]) <= kTie) ||
         (i + 1 < scores.size() && std::abs(scores[i] - scores[i + 1]) <= kTie);
}

template <class List>
AnswerDifference unlike_places(const char* what, const std::optional<List>& given,
                               const std::optional<List>& made) {
  // Places are in pixels unless all are in 0..1.
  bool in_pixels = false;
  if (made)
    for (const auto& one : *made)
      for (std::size_t d = 0; d < 2; ++d) in_pixels = in_pixels || std::abs(one[d]) > 2;
  return unlike(what, given, made, [&](std::size_t i) {
    for (std::size_t d = 0; d < (*given)[i].size(); ++d)
      if (!same((*given)[i][d], (*made)[i][d], in_pixels ? kHalfPixel : 0)) return false;
    return true;
  });
}

AnswerDifference unlike_masks(const trace::Mask& given, const trace::Mask& made) {
  const auto size = [](const trace::Mask& mask) {
    return "mask " + std::to_string(mask.height) + "x" + std::to_string(mask.width);
  };
  if (given.height != made.height || given.width != made.width) return {size(given), size(made)};
  std::size_t others = 0;
  for (std::size_t i = 0; i < std::min(given.classes.size(), made.classes.size()); ++i)
    others += given.classes[i] != made.classes[i];
  const double share = given.classes.empty() ? 0
                                             : static_cast<double>(others) /
                                                   static_cast<double>(given.classes.size());
  if (share <= kOtherPixels) return {};
  return {"mask with " + percent(share) + " other pixels", size(made)};
}

Result<std::optional<std::vector<Tensor>>> tensors_of(
    const trace::Reader& trace, std::uint32_t frame,
    const std::vector<const trace::ReadChannel*>& channels) {
  std::vector<Tensor> tensors;
  for (const trace::ReadChannel* channel : channels) {
    EP_TRY(const auto read, trace.read(frame, channel->id));
    if (!read) return std::optional<std::vector<Tensor>>();
    tensors.push_back(read->copy());
  }
  return std::optional(std::move(tensors));
}

}  // namespace

AnswerDifference difference(const trace::Answer& given, const trace::Answer& made) {
  const auto of_class = [&](const auto& a, const auto& b) {
    return [&](std::size_t i) { return (*a)[i] == (*b)[i] || ties(made, i); };
  };
  if (auto d = unlike("labels", given.labels, made.labels, of_class(given.labels, made.labels)))
    return d;
  if (auto d =
          unlike("classes", given.classes, made.classes, of_class(given.classes, made.classes)))
    return d;
  if (auto d = unlike("scores", given.scores, made.scores,
                      [&](std::size_t i) { return same((*given.scores)[i], (*made.scores)[i]); }))
    return d;
  if (auto d = unlike_places("boxes", given.boxes, made.boxes)) return d;
  if (auto d = unlike_places("points", given.points, made.points)) return d;
  if (auto d = unlike("vector", given.vector, made.vector,
                      [&](std::size_t i) { return same((*given.vector)[i], (*made.vector)[i]); }))
    return d;
  if (given.text && made.text && *given.text != *made.text)
    return {"text " + in_quotes(*given.text, 40), "text " + in_quotes(*made.text, 40)};
  if (given.mask && made.mask)
    if (auto d = unlike_masks(*given.mask, *made.mask)) return d;
  if (given.score && made.score && !same(*given.score, *made.score))
    return {"score " + number(*given.score, 5), "score " + number(*made.score, 5)};
  if (given.alarm && made.alarm && *given.alarm != *made.alarm)
    return {*given.alarm ? "an alarm" : "no alarm", *made.alarm ? "an alarm" : "no alarm"};
  return {};
}

Result<BehindReplay> replay_behind(const trace::Reader& trace, const pipeline::TraceSamples& raw,
                                   const std::string& text, const Control& control) {
  BehindReplay out;
  const auto recipe = preprocess::parse_recipe(text);
  if (!recipe) return Error(recipe.error()).during("recipe");
  std::vector<const trace::ReadChannel*> inputs;
  for (const trace::ReadChannel& channel : trace.channels())
    if (channel.channel.stage == trace::Stage::kModelInput && channel.messages > 0)
      inputs.push_back(&channel);
  const auto outputs = diagnose::output_channels(trace);
  if (outputs.empty() || inputs.empty() || trace::answer_channels(trace).empty()) {
    out.reason =
        "the trace contains no answers of the app, or no model inputs or outputs with them";
    return out;
  }
  auto steps = pipeline::AnswerSteps::load(recipe->post, inputs.front()->channel.spec);
  if (!steps) return std::move(steps.error()).during("recipe, after '||'");
  std::map<std::uint32_t, std::size_t> sample_of;
  for (std::size_t i = 0; i < raw.frames.size(); ++i) sample_of[raw.frames[i]] = i;
  for (const std::uint32_t frame : trace.frames()) {
    if (control.stopped()) return interrupted();
    EP_TRY(const auto given, trace::answer_of(trace, frame));
    EP_TRY(const auto fed, tensors_of(trace, frame, inputs));
    EP_TRY(const auto read, tensors_of(trace, frame, outputs));
    if (!given || !fed || !read) continue;
    dataset::RawInput picture;  // Only set for steps that need a picture.
    if (const auto sample = sample_of.find(frame); sample != sample_of.end()) {
      auto loaded = raw.samples[sample->second].load();
      if (loaded) picture = std::move(loaded->input);
    }
    const auto made = steps->answer(picture, *fed, *read);
    if (!made) {
      if (out.reason.empty()) out.reason = made.error().what;
      continue;
    }
    ++out.frames;
    const AnswerDifference unlike_parts = difference(*given, *made);
    if (!unlike_parts || out.differing++ > 0) continue;
    out.first = frame;
    out.given = unlike_parts.given;
    out.made = unlike_parts.made;
  }
  if (out.frames > 0) out.reason.clear();
  else if (out.reason.empty())
    out.reason = "no frame has an answer, and the outputs that it was made of";
  return out;
}

}  // namespace edgeprobe::contract
