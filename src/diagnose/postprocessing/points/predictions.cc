// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/points/predictions.h"

#include <algorithm>
#include <cmath>

#include "core/dtype.h"

namespace edgeprobe::diagnose::points {
namespace {

// Tolerances in pixels (exact, whole pixels, tenths), proportionally smaller for shares.
constexpr double kSamePixels = 0.02, kSameWhole = 1.01, kSameTenth = 0.101, kOfPixels = 100;
constexpr double kSameScore = 2e-4;
// Tolerance for float16: one unit in the last of eleven bits.
constexpr double kHalf = 1.0 / 1024;
// Up to this distance, rounding may put a score on either side of the threshold.
constexpr double kNearThreshold = 2e-6;

// Positions of the recipe's names in the answer; empty unless both have the same names.
std::vector<std::size_t> by_name(const Recipe& recipe, const trace::Answer& answer) {
  std::vector<std::size_t> out;
  if (!recipe.labels || !answer.labels || answer.labels->size() != answer.points->size())
    return out;
  const auto& names = recipe.labels->table.names;
  if (names.size() < answer.labels->size()) return out;
  for (std::size_t i = 0; i < answer.labels->size(); ++i) {
    const auto at = std::find(answer.labels->begin(), answer.labels->end(), names[i]);
    if (at == answer.labels->end()) return {};
    out.push_back(static_cast<std::size_t>(at - answer.labels->begin()));
  }
  return out;
}

bool is_multiple(double score, double grain) {
  // Tolerance of a decimal stored as float32.
  return std::fabs(score - std::nearbyint(score / grain) * grain) <=
         1e-6 * std::max(1.0, std::fabs(score));
}

}  // namespace

Predictions::Predictions(std::span<const RecordedFrame> frames, const Recipe& reference, Size model)
    : frames_(frames), reference_(reference), model_(model) {
  double widest = 0;
  bool is_whole = true, is_half = true, is_tenth = true;
  std::vector<double> scores;
  for (const RecordedFrame& frame : frames) {
    const auto order = by_name(reference, frame.answer);
    std::vector<Observed> seen;
    double largest = 1;
    for (std::size_t i = 0; i < frame.answer.points->size(); ++i) {
      const auto& [first, second, score] = (*frame.answer.points)[i < order.size() ? order[i] : i];
      const bool is_shown = !std::isnan(first) && !std::isnan(second);
      seen.push_back({first, second, score, is_shown});
      if (!std::isnan(score)) scores.push_back(score);
      if (!is_shown) continue;
      const double most = std::max(std::fabs(double{first}), std::fabs(double{second}));
      if (std::isfinite(most)) largest = std::max(largest, most);
      is_whole = is_whole && first == std::nearbyint(first) && second == std::nearbyint(second);
      is_tenth = is_tenth && is_multiple(first, 0.1) && is_multiple(second, 0.1);
      is_half = is_half && first == half_to_float(float_to_half(first)) &&
                second == half_to_float(float_to_half(second));
    }
    widest = std::max(widest, largest);
    observed_.push_back(std::move(seen));
    largest_.push_back(largest);
    if (reference.output < frame.outputs.size())
      is_quantised_ = !frame.outputs[reference.output].spec.quantization.empty();
  }
  is_whole_ = is_whole && widest > 2;
  is_half_ = is_half && !is_whole_;
  is_tenth_ = is_tenth && widest > 2;
  has_scores_ = reference.numbers.find('s') != std::string::npos && !scores.empty() &&
                *std::min_element(scores.begin(), scores.end()) !=
                    *std::max_element(scores.begin(), scores.end());
  for (const double grain : {1.0, 0.1, 0.01, 0.001})
    if (has_scores_ && grain_ == 0 && std::all_of(scores.begin(), scores.end(), [grain](double s) {
          return is_multiple(s, grain);
        }))
      grain_ = grain;
  // float16: one unit in the last of eleven bits of scores up to 1.
  if (has_scores_ && grain_ == 0 && std::all_of(scores.begin(), scores.end(), [](double s) {
        return s == half_to_float(float_to_half(static_cast<float>(s)));
      }))
    grain_ = 0.001;
}

double Predictions::tolerance(std::size_t frame) const {
  if (is_whole_) return kSameWhole;
  if (is_tenth_) return kSameTenth;
  return kSamePixels * std::min(1.0, largest_[frame] / kOfPixels) +
         (is_half_ ? kHalf * largest_[frame] : 0);
}

double Predictions::score_tolerance(double score) const {
  return std::max(kSameScore * std::max(1.0, std::fabs(score)), 0.5001 * grain_);
}

const std::vector<postprocess::pose::Point>& Predictions::points(const Recipe& recipe,
                                                                 std::size_t frame) {
  std::string key = std::to_string(frame) + ":" + std::to_string(static_cast<int>(recipe.reading));
  for (const auto activation : recipe.activations)
    key += "," + std::to_string(static_cast<int>(activation));
  const auto [known, is_new] = points_.try_emplace(key);
  if (is_new) {
    const auto& outputs = frames_[frame].outputs;
    const std::vector<TensorView> views(outputs.begin(), outputs.end());
    if (auto read = postprocess::pose::points_of(recipe, views, model_))
      known->second = *std::move(read);
  }
  return known->second;
}

std::vector<Said> Predictions::said(const Recipe& recipe, std::size_t frame) {
  const auto& own = points(recipe, frame);
  std::vector<Said> out;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::size_t at = i < recipe.order.size() ? recipe.order[i] : i;
    if (at >= own.size()) return {};
    const auto [first, second, score] =
        postprocess::pose::placed_point(recipe, own[at], picture(frame), model_);
    const bool is_near = recipe.threshold && std::fabs(score - *recipe.threshold) < kNearThreshold;
    out.push_back({first, second, score, !recipe.threshold || score >= *recipe.threshold, is_near});
  }
  return out;
}

Parts Predictions::differ(const Recipe& recipe, std::size_t frame) {
  const auto own = said(recipe, frame);
  const auto& seen = observed_[frame];
  Parts parts;
  if (own.size() != seen.size() || own.empty()) {
    parts.fits = own.size() == seen.size();
    return parts;
  }
  const double same = tolerance(frame), count = static_cast<double>(own.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i].is_shown != seen[i].is_shown && !own[i].is_near_threshold) parts.shown += 1 / count;
    if (seen[i].is_shown) {
      const double off = std::hypot(own[i].first - seen[i].first, own[i].second - seen[i].second);
      const bool near = std::fabs(own[i].first - seen[i].first) <= same &&
                        std::fabs(own[i].second - seen[i].second) <= same;
      if (!near)
        parts.points +=
            std::isnan(off) ? 1 / count : std::min(1.0, 0.1 + off / largest_[frame]) / count;
    }
    // A hidden point needs no score.
    if (!has_scores_ || (std::isnan(seen[i].score) && !seen[i].is_shown)) continue;
    const double gap = std::fabs(own[i].score - seen[i].score);
    if (!(std::isfinite(gap) && gap <= score_tolerance(own[i].score)))
      parts.scores += (std::isnan(gap) ? 1 : std::min(1.0, 0.2 + gap)) / count;
  }
  return parts;
}

}  // namespace edgeprobe::diagnose::points
