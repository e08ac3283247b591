// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/boxes/proof.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "search/limits.h"
#include "search/proof.h"

namespace edgeprobe::diagnose::boxes {
namespace {

using postprocess::detection::Numbers;

bool is_usual(double value, Size picture, double tolerance) {
  for (const double usual : {0.0, 1.0, picture.width, picture.height})
    if (std::fabs(value - usual) <= tolerance) return true;
  return false;
}

// Facts already counted.
struct Counted {
  std::vector<Numbers> boxes;
  search::Facts scores, points;
  std::set<std::pair<int, int>> labels;  ///< Pairs of class and label.
};

double box_bits(const Predictions& predictions, std::size_t frame, std::size_t rank,
                const Said* without, Counted& counted) {
  const Observed& seen = predictions.observed(frame);
  const double tolerance = predictions.box_tolerance(seen);
  const Numbers& box = seen.boxes[rank];
  for (const Numbers& known : counted.boxes)
    if (std::equal(box.begin(), box.end(), known.begin(),
                   [&](double a, double b) { return std::fabs(a - b) <= 2 * tolerance; }))
      return 0;
  counted.boxes.push_back(box);
  double bits = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    if (without && std::fabs(without->box[i] - box[i]) <= tolerance) continue;
    bits += is_usual(box[i], predictions.picture(frame), tolerance)
                ? search::kBitsOfUsualNumber
                : search::bits_of_number(seen.largest, tolerance);
  }
  return bits;
}

double score_bits(const Predictions& predictions, double score, Counted& counted) {
  const double tolerance = predictions.score_tolerance(score);
  if (!counted.scores.is_new(score, tolerance)) return 0;
  double apart = HUGE_VAL;
  for (const double usual : {0.0, 0.5, 1.0, 100.0})
    apart = std::min(apart, std::fabs(score - usual));
  return search::bits_of_number(std::max(apart, 1e-12), tolerance);
}

// Evidence from points that are right only with the change.
double point_bits(const Predictions& predictions, const Said& with, const Said* without,
                  std::size_t frame, std::size_t rank, Counted& counted) {
  const Observed& seen = predictions.observed(frame);
  if (!predictions.judges_points() || predictions.points_off(with, seen, rank) > 0) return 0;
  const double tolerance = predictions.point_tolerance(seen);
  const auto& points = seen.points[rank];
  double bits = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool was_there = without && i < without->points.size() &&
                           predictions.is_same_point(without->points[i], points[i], tolerance);
    if (was_there) continue;
    if (!std::isfinite(points[i][0])) {
      bits += search::kBitsOfUsualNumber;
      continue;
    }
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}})
      if (counted.points.is_new(points[i][axis], 2 * tolerance))
        bits += is_usual(points[i][axis], predictions.picture(frame), tolerance)
                    ? search::kBitsOfUsualNumber
                    : search::bits_of_number(seen.largest, tolerance);
  }
  return bits;
}

bool has_box(const Predictions& predictions, const Said& one, std::size_t frame) {
  const Observed& seen = predictions.observed(frame);
  for (std::size_t rank = 0; rank < seen.boxes.size(); ++rank)
    if (predictions.is_same_box(one, seen, rank)) return true;
  return false;
}

// A separate table has a free label for each class: only repeated classes count as evidence.
double own_table_bits(Predictions& predictions, const Recipe& with_it,
                      std::span<const std::size_t> frames) {
  std::set<int> known;
  double repeats = 0;
  for (const std::size_t frame : frames) {
    const Observed& seen = predictions.observed(frame);
    const auto said = predictions.said(with_it, frame);
    for (std::size_t rank = 0; rank < std::min(said.size(), seen.boxes.size()); ++rank)
      if (predictions.is_same_label(said[rank], seen, rank) && !known.insert(said[rank].id).second)
        ++repeats;
  }
  return repeats * std::log2(static_cast<double>(std::max<std::size_t>(predictions.classes(), 2)));
}

double matched_bits(Predictions& predictions, const Recipe& with_it, const Recipe& without_it,
                    std::size_t frame, Counted& counted) {
  const auto said = predictions.said(with_it, frame), other = predictions.said(without_it, frame);
  const Observed& seen = predictions.observed(frame);
  const double a_label =
      std::log2(static_cast<double>(std::max<std::size_t>(predictions.classes(), 2)));
  double bits = 0;
  for (std::size_t rank = 0; rank < seen.boxes.size(); ++rank) {
    // Looks up the box in both predictions, since a dropped box shifts the ranks.
    const auto of = [&](const std::vector<Said>& all) -> const Said* {
      for (const Said& one : all)
        if (predictions.is_same_box(one, seen, rank)) return &one;
      return rank < all.size() ? &all[rank] : nullptr;
    };
    const Said *const with = of(said), *const without = of(other);
    if (!with || !predictions.is_same_box(*with, seen, rank)) continue;
    const bool was_there = without && predictions.is_same_box(*without, seen, rank);
    if (!was_there) bits += box_bits(predictions, frame, rank, without, counted);
    bits += point_bits(predictions, *with, without, frame, rank, counted);
    if (rank < seen.scores.size()) {
      const double score = seen.scores[rank], tolerance = predictions.score_tolerance(score);
      if (std::fabs(with->score - score) <= tolerance &&
          !(without && std::fabs(without->score - score) <= tolerance))
        bits += score_bits(predictions, score, counted);
    }
    if (predictions.judged() != Judged::kNothing && with->label != kNoLabel &&
        predictions.is_same_label(*with, seen, rank) &&
        !(without && without->label == with->label) &&
        counted.labels.emplace(with->id, with->label).second)
      bits += a_label;
  }
  // Evidence from boxes that only the recipe without the change has: which of all were dropped.
  std::size_t gone = 0;
  for (const Said& one : other) gone += !one.is_optional && !has_box(predictions, one, frame);
  if (gone > 0 && gone < other.size() && said.size() < other.size())
    bits += search::bits_of_choice(other.size(), gone);
  return bits;
}

// Bits from each frame's number of boxes, given the threshold range that the other frames allow.
double threshold_bits(Predictions& predictions, const Recipe& with_it,
                      std::span<const std::size_t> frames) {
  Recipe open = with_it;
  open.threshold = std::min(with_it.threshold, 0.01);
  std::vector<search::Cut> cuts;
  for (const std::size_t frame : frames) {
    std::vector<double> scores;
    if (const auto* const boxes = predictions.kept(open, frame))
      for (const auto& one : *boxes) scores.push_back(one.score);
    cuts.push_back(search::cut_behind(std::move(scores), predictions.observed(frame).boxes.size()));
  }
  // Empty answers prove nothing: any fault can cause them.
  if (std::none_of(cuts.begin(), cuts.end(), [](const search::Cut& cut) { return cut.keeps; }))
    return 0;
  return search::bits_of_cuts(cuts);
}

// Bits from the number of points shown, given the range of score thresholds that the other frames
// allow.
double shown_bits(Predictions& predictions, const Recipe& with_it,
                  std::span<const std::size_t> frames) {
  std::vector<search::Cut> cuts;
  for (const std::size_t frame : frames) {
    const Observed& seen = predictions.observed(frame);
    const auto said = predictions.said(with_it, frame);
    std::vector<double> scores;
    std::size_t shown = 0;
    for (std::size_t rank = 0; rank < std::min(said.size(), seen.points.size()); ++rank)
      for (const auto& point : said[rank].points) {
        scores.push_back(point[2]);
        shown += std::isfinite(point[0]);
      }
    cuts.push_back(search::cut_behind(std::move(scores), shown));
  }
  return search::bits_of_cuts(cuts);
}

// Counts frames whose answer stops at the limit, except for the first, which determines it.
double most_bits(Predictions& predictions, const Recipe& with_it, const Recipe& without_it,
                 std::span<const std::size_t> frames) {
  double bits = 0;
  bool is_first = true;
  for (const std::size_t frame : frames) {
    const std::size_t count = predictions.observed(frame).boxes.size();
    const std::size_t before = predictions.said(without_it, frame).size();
    if (count == before || count != with_it.suppression.most) continue;
    if (!is_first) bits += std::log2(static_cast<double>(std::max(before, count) + 1));
    is_first = false;
  }
  return bits;
}

}  // namespace

double bits_for(Predictions& predictions, const Recipe& with_it, const Recipe& without_it,
                const Change& change, std::span<const std::size_t> frames) {
  if (change.sets == kThreshold) return threshold_bits(predictions, with_it, frames);
  if (change.sets == kPointShown && with_it.keypoints.shown)
    return shown_bits(predictions, with_it, frames);
  if (change.sets == kMost) return most_bits(predictions, with_it, without_it, frames);
  if (change.sets == kTable && with_it.own_labels)
    return own_table_bits(predictions, with_it, frames);
  Counted counted;
  double bits = -change.free_bits;
  for (const std::size_t frame : frames)
    bits += matched_bits(predictions, with_it, without_it, frame, counted);
  return bits;
}

}  // namespace edgeprobe::diagnose::boxes
