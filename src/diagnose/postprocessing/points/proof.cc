// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "diagnose/postprocessing/points/changes.h"

namespace edgeprobe::diagnose::points {
namespace {

// A lucky fit of a change with that many bits to spare has a chance of 1 in 256.
constexpr double kSpareBits = 8;
// A threshold is fitted to the very answers; what is counted is predicted from the other frames.
constexpr double kBitsOfThreshold = 6;
// Of one number, however large the picture is; of one that cutting gives anyway.
constexpr double kBitsOfNumber = 11, kBitsOfUsualNumber = 1;

/// What was counted already.
struct Counted {
  std::vector<double> numbers, scores;
};

bool is_counted(std::vector<double>& known, double value, double tolerance) {
  for (const double one : known)
    if (std::fabs(one - value) <= 2 * tolerance) return true;
  known.push_back(value);
  return false;
}

double number_bits(const Predictions& predictions, std::size_t frame, double value) {
  const double tolerance = predictions.tolerance(frame);
  const Size picture = predictions.picture(frame);
  for (const double usual : {0.0, 1.0, picture.width, picture.height})
    if (std::fabs(value - usual) <= tolerance) return kBitsOfUsualNumber;
  return std::clamp(std::log2(predictions.largest(frame) / (2 * tolerance)), 0.0, kBitsOfNumber);
}

double score_bits(const Predictions& predictions, double score) {
  double apart = HUGE_VAL;
  for (const double usual : {0.0, 0.5, 1.0, 100.0})
    apart = std::min(apart, std::fabs(score - usual));
  return std::clamp(std::log2(std::max(apart, 1e-12) / (2 * predictions.score_tolerance(score))),
                    0.0, kBitsOfNumber);
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
      if (!is_counted(counted.numbers, recorded, tolerance))
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
        !is_counted(counted.scores, seen[i].score, same))
      bits += score_bits(predictions, seen[i].score);
  }
  return bits;
}

// How surprising it is that a frame hides the points that the others' thresholds allow.
double threshold_bits(Predictions& predictions, const Recipe& with_it,
                      std::span<const std::size_t> frames) {
  struct Limits {
    double hidden = -HUGE_VAL, shown = HUGE_VAL;
    std::vector<double> scores;
  };
  std::vector<Limits> all;
  for (const std::size_t frame : frames) {
    Limits one;
    const auto said = predictions.said(with_it, frame);
    const auto& seen = predictions.observed(frame);
    for (std::size_t i = 0; i < std::min(said.size(), seen.size()); ++i) {
      one.scores.push_back(said[i].score);
      if (seen[i].is_shown) one.shown = std::min(one.shown, said[i].score);
      else one.hidden = std::max(one.hidden, said[i].score);
    }
    all.push_back(std::move(one));
  }
  // Any fault may hide all points.
  if (std::all_of(all.begin(), all.end(), [](const Limits& one) { return std::isinf(one.shown); }))
    return 0;
  double bits = 0;
  for (std::size_t left = 0; left < all.size(); ++left) {
    double low = -HUGE_VAL, high = HUGE_VAL;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i != left) low = std::max(low, all[i].hidden), high = std::min(high, all[i].shown);
    // Cuts between this frame's scores that the others allow.
    std::vector<double> scores = all[left].scores;
    std::sort(scores.begin(), scores.end());
    std::size_t possible = 0;
    for (std::size_t cut = 0; cut <= scores.size(); ++cut)
      possible += (cut > 0 ? std::max(low, scores[cut - 1]) : low) <
                  (cut < scores.size() ? std::min(high, scores[cut]) : high);
    if (possible > 0)
      bits += std::log2(static_cast<double>(scores.size() + 1) / static_cast<double>(possible));
  }
  return bits;
}

}  // namespace

double bits_needed(const Change& change, std::size_t changes) {
  if (change.sets == kThreshold) return kBitsOfThreshold;
  return kSpareBits + std::log2(static_cast<double>(std::max<std::size_t>(changes, 2)));
}

double bits_for(Predictions& predictions, const Recipe& with_it, const Recipe& without_it,
                const Change& change, std::span<const std::size_t> frames) {
  if (change.sets == kThreshold && with_it.threshold)
    return threshold_bits(predictions, with_it, frames);
  Counted counted;
  double bits = -change.free_bits;
  // A threshold that the app has not is seen in points that it shows below it, with their places.
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
