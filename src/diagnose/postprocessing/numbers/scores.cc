// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/numbers/scores.h"

#include <algorithm>
#include <cmath>

#include "postprocess/anomaly/score.h"

namespace edgeprobe::diagnose::numbers {
namespace {

// Relative difference of equal scores: float32 sums of several hundred squares against float64.
constexpr double kSameScore = 1e-4;
constexpr double kCoarsestScore = 0.5;
}  // namespace

Scores::Scores(std::span<const RecordedFrame> frames, const Recipe& reference)
    : frames_(frames), reference_(reference) {
  std::vector<double> all;
  for (const RecordedFrame& frame : frames) {
    has_scores_ = has_scores_ && frame.answer.score.has_value();
    has_alarms_ = has_alarms_ && frame.answer.alarm.has_value();
    if (frame.answer.score) all.push_back(*frame.answer.score);
  }
  precision_ = precision_of(all, kCoarsestScore);
}

const Scores::Measured& Scores::measured(const Recipe& recipe, std::size_t frame) {
  const Key key{recipe.output, recipe.input.value_or(~std::size_t{0}), recipe.reading,
                recipe.measure, frame};
  const auto [at, is_new] = measured_.try_emplace(key);
  if (!is_new) return at->second;
  const RecordedFrame& given = frames_[frame];
  const std::vector<TensorView> inputs(given.inputs.begin(), given.inputs.end()),
      outputs(given.outputs.begin(), given.outputs.end());
  auto windows = postprocess::anomaly::window_scores(recipe, inputs, outputs);
  if (windows) at->second.windows = *std::move(windows);
  else at->second.error = windows.error().what;
  return at->second;
}

std::optional<double> Scores::score(const Recipe& recipe, std::size_t frame) {
  const Measured& one = measured(recipe, frame);
  if (!one.error.empty()) return std::nullopt;
  return postprocess::anomaly::score_of(recipe.windows, one.windows);
}

std::string Scores::why_not() {
  for (std::size_t i = 0; i < frames_.size(); ++i)
    if (const std::string& error = measured(reference_, i).error; !error.empty()) return error;
  return "";
}

bool Scores::has_windows() const {
  return std::any_of(frames_.begin(), frames_.end(), [&](const RecordedFrame& frame) {
    if (reference_.output >= frame.outputs.size()) return false;
    const Shape& shape = frame.outputs[reference_.output].spec.shape;
    return shape.size() > 1 && shape.front() > 1;
  });
}

bool Scores::is_same(double said, double seen) const {
  if (std::isnan(said) || std::isnan(seen)) return std::isnan(said) == std::isnan(seen);
  // Any number would be within a relative tolerance of infinity.
  if (std::isinf(said) || std::isinf(seen)) return said == seen;
  return std::fabs(said - seen) <= kSameScore * std::fabs(seen) + precision_.slack(seen);
}

double Scores::distance(const Recipe& recipe, std::size_t frame) {
  const auto said = score(recipe, frame);
  if (!said) return 2;
  const trace::Answer& answer = frames_[frame].answer;
  double sum = 0;
  if (answer.score && !is_same(*said, *answer.score)) {
    const double off = std::fabs(*said - *answer.score) / (std::fabs(*answer.score) + 1e-30);
    sum += std::isnan(off) ? 1 : std::min(1.0, 0.05 + off);
  }
  if (answer.alarm && recipe.threshold) {
    const double away = std::fabs(*said - *recipe.threshold);
    const bool is_near = away <= kSameScore * std::fabs(*recipe.threshold);
    if (!is_near && *answer.alarm != postprocess::anomaly::is_alarm(recipe, *said)) sum += 0.2;
  }
  return sum;
}

double Scores::bits(const Recipe& with_it, const Recipe& without_it,
                    const search::Change<Recipe>& change, std::span<const std::size_t> frames) {
  // Counts how few orderings of alarms a threshold could produce.
  if (change.sets & (kThreshold | kAlarmSide)) {
    std::size_t alarms = 0;
    for (const std::size_t frame : frames) alarms += *frames_[frame].answer.alarm ? 1 : 0;
    return search::bits_of_choice(frames.size(), alarms);
  }
  Factors factors;
  for (const std::size_t frame : frames) {
    const auto& seen = frames_[frame].answer.score;
    const auto with = score(with_it, frame), without = score(without_it, frame);
    if (!seen || !with || *seen == 0 || !std::isfinite(*seen)) continue;
    const double size = std::fabs(static_cast<double>(*seen));
    factors.add(without ? *without / *seen : 0,
                (2 * std::fabs(*with - *seen) + precision_.slack(*seen)) / size);
  }
  return factors.bits();
}

double Scores::bits_needed(const search::Change<Recipe>& change, std::size_t proposed,
                           std::size_t) const {
  // Alarms without scores cannot distinguish a score from a monotone function of it.
  if (!has_scores_) return HUGE_VAL;
  if (change.sets & (kThreshold | kAlarmSide)) return search::kBitsOfCuts;
  return search::bits_needed(proposed);
}

}  // namespace edgeprobe::diagnose::numbers
