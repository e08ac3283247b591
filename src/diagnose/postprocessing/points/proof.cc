// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>

#include "diagnose/postprocessing/points/changes.h"
#include "search/limits.h"
#include "search/proof.h"

namespace edgeprobe::diagnose::points {
namespace {

using search::kBitsOfUsualNumber;

/// Facts already counted.
struct Counted {
  search::Facts numbers, scores;
};

double number_bits(const Predictions& predictions, std::size_t frame, double value) {
  const double tolerance = predictions.tolerance(frame);
  const Size picture = predictions.picture(frame);
  for (const double usual : {0.0, 1.0, picture.width, picture.height})
    if (std::fabs(value - usual) <= tolerance) return kBitsOfUsualNumber;
  return search::bits_of_number(predictions.largest(frame), tolerance);
}

double score_bits(const Predictions& predictions, double score) {
  double apart = HUGE_VAL;
  for (const double usual : {0.0, 0.5, 1.0, 100.0})
    apart = std::min(apart, std::fabs(score - usual));
  return search::bits_of_number(std::max(apart, 1e-12), predictions.score_tolerance(score));
}

double matched_bits(Predictions& predictions, const Recipe& with_it, const Recipe& without_it,
                    std::size_t frame, Counted& counted) {
  const auto with = predictions.said(with_it, frame), without = predictions.said(without_it, frame);
  const auto& seen = predictions.observed(frame);
  if (with.size() != seen.size() || without.size() != seen.size()) return 0;
  const double tolerance = predictions.tolerance(frame);
  double bits = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const auto number = [&](double own, double other, double recorded) {
      if (!(std::fabs(own - recorded) <= tolerance) || std::fabs(other - recorded) <= tolerance)
        return;
      if (counted.numbers.is_new(recorded, tolerance))
        bits += number_bits(predictions, frame, recorded);
    };
    if (seen[i].is_shown) {
      number(with[i].first, without[i].first, seen[i].first);
      number(with[i].second, without[i].second, seen[i].second);
    }
    if (!predictions.has_scores() || std::isnan(seen[i].score)) continue;
    const double same = predictions.score_tolerance(seen[i].score);
    if (std::fabs(with[i].score - seen[i].score) <= same &&
        !(std::fabs(without[i].score - seen[i].score) <= same) &&
        counted.scores.is_new(seen[i].score, same))
      bits += score_bits(predictions, seen[i].score);
  }
  return bits;
}

// Bits from the points each frame hides, given the threshold range that the other frames allow.
double threshold_bits(Predictions& predictions, const Recipe& with_it,
                      std::span<const std::size_t> frames) {
  std::vector<search::Cut> cuts;
  for (const std::size_t frame : frames) {
    search::Cut one;
    const auto said = predictions.said(with_it, frame);
    const auto& seen = predictions.observed(frame);
    for (std::size_t i = 0; i < std::min(said.size(), seen.size()); ++i) {
      one.scores.push_back(said[i].score);
      if (seen[i].is_shown) one.high = std::min(one.high, said[i].score);
      else one.low = std::max(one.low, said[i].score);
    }
    std::sort(one.scores.begin(), one.scores.end(), std::greater<>());
    cuts.push_back(std::move(one));
  }
  // Fully hidden frames prove nothing: any fault can cause them.
  if (std::all_of(cuts.begin(), cuts.end(),
                  [](const search::Cut& one) { return std::isinf(one.high); }))
    return 0;
  return search::bits_of_cuts(cuts);
}

}  // namespace

double bits_for(Predictions& predictions, const Recipe& with_it, const Recipe& without_it,
                const Change& change, std::span<const std::size_t> frames) {
  if (change.sets == kThreshold && with_it.threshold)
    return threshold_bits(predictions, with_it, frames);
  Counted counted;
  double bits = -change.free_bits;
  // A missing threshold shows in visible points with scores below it.
  if (change.sets == kThreshold) {
    for (const std::size_t frame : frames) {
      const auto without = predictions.said(without_it, frame);
      for (std::size_t i = 0; i < without.size(); ++i)
        if (!without[i].is_shown && predictions.observed(frame)[i].is_shown) bits += 1;
    }
    return bits;
  }
  for (const std::size_t frame : frames)
    bits += matched_bits(predictions, with_it, without_it, frame, counted);
  return bits;
}

}  // namespace edgeprobe::diagnose::points
