// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "diagnose/postprocessing/boxes/predictions.h"

namespace edgeprobe::diagnose::boxes {
namespace {

using postprocess::detection::Detection;
using postprocess::detection::kTiedScore;

double largest_gap(const Said& said, const Observed& seen, std::size_t rank) {
  double most = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double gap = std::fabs(said.box[i] - seen.boxes[rank][i]);
    if (std::isnan(gap)) return HUGE_VAL;
    most = std::max(most, gap);
  }
  return most;
}

}  // namespace

bool Predictions::is_same_label(const Said& said, const Observed& seen, std::size_t rank) const {
  if (said.label == kAnyLabel || codes_.matches(said.label, seen.labels[rank])) return true;
  // For a class beyond its table, an app may use a word of its own.
  return said.label == kNoLabel && judged_ == Judged::kNames && !codes_.is_name(seen.labels[rank]);
}

// Compares by rank, since most faults keep the order: labels, scores and boxes are judged
// separately, so that each right change lowers one part. Equal scores may swap places; optional
// boxes may be absent.
Parts Predictions::compare(std::vector<Said> pool, const Observed& seen) const {
  const std::size_t count = seen.boxes.size();
  const auto matches = [&](const Said& one, std::size_t rank) {
    return is_same_box(one, seen, rank) &&
           (judged_ == Judged::kNothing || is_same_label(one, seen, rank));
  };
  Parts parts;
  for (std::size_t rank = 0; rank < count && rank < pool.size(); ++rank) {
    for (std::size_t j = rank; j < pool.size(); ++j) {
      if (pool[j].score < pool[rank].score - kTiedScore * std::max(1.0, std::fabs(pool[j].score)))
        break;
      if (!matches(pool[j], rank)) continue;
      std::swap(pool[rank], pool[j]);
      break;
    }
    if (pool[rank].is_optional && pool.size() > count && !matches(pool[rank], rank)) {
      pool.erase(pool.begin() + static_cast<std::ptrdiff_t>(rank));
      --rank;
      continue;
    }
    const Said& one = pool[rank];
    const double off = largest_gap(one, seen, rank);
    if (!is_same_box(one, seen, rank)) parts.boxes += std::min(1.0, 0.1 + off / seen.largest);
    if (judged_ != Judged::kNothing) parts.labels += !is_same_label(one, seen, rank);
    parts.points += points_off(one, seen, rank);
    if (!has_scores_) continue;
    const double gap = std::fabs(one.score - seen.scores[rank]);
    if (!(std::isfinite(gap) && gap <= score_tolerance(one.score)))
      parts.scores += std::isnan(gap) ? 1 : std::min(1.0, 0.2 + gap);
  }
  while (pool.size() > count && pool.back().is_optional) pool.pop_back();
  const double most = static_cast<double>(std::max(count, pool.size()));
  if (most == 0) return parts;
  parts.boxes /= most, parts.labels /= most, parts.scores /= most, parts.points /= most;
  parts.count = std::fabs(static_cast<double>(count) - static_cast<double>(pool.size())) / most;
  return parts;
}

// Among equal scores, either may suppress the others: tries the boxes that the app reported first.
Parts Predictions::compare_by_ties(const Recipe& recipe, std::size_t frame) {
  Parts none;
  none.fits = false;
  Recipe open = recipe;
  open.suppression.rivals = postprocess::detection::Rivals::kNone;
  open.suppression.most = most_;
  const auto* const all = kept(open, frame);  // Sorted by score.
  if (!all) return none;
  std::vector<Detection> ordered(all->begin(), all->end());
  bool changed = false;
  for (std::size_t begin = 0; begin < ordered.size();) {
    std::size_t end = begin + 1;
    while (end < ordered.size() && ordered[end].score >= ordered[begin].score - kTiedScore) ++end;
    if (end - begin > 1) {
      const auto is_said = [&](const Detection& one) {
        const auto words = in_words(recipe, frame, std::span(&one, 1));
        for (std::size_t rank = 0; rank < observed_[frame].boxes.size(); ++rank)
          if (is_same_box(words[0], observed_[frame], rank)) return true;
        return false;
      };
      const auto first = ordered.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = ordered.begin() + static_cast<std::ptrdiff_t>(end);
      const auto middle = std::stable_partition(first, last, is_said);
      changed = changed || (middle != first && middle != last);
      // Equalises the scores; else the later sort would undo the order.
      const double score = first->score;
      std::for_each(first, last, [&](Detection& one) { one.score = score; });
    }
    begin = end;
  }
  if (!changed) return none;
  return compare(in_words(recipe, frame, chosen(recipe, std::move(ordered))), observed_[frame]);
}

bool Predictions::is_reordered(std::size_t frame) {
  if (!has_scores_) return false;
  const Observed& seen = observed_[frame];
  std::vector<std::size_t> order(seen.boxes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return seen.scores[a] > seen.scores[b]; });
  Observed best_first;
  best_first.largest = seen.largest;
  for (const std::size_t i : order) {
    best_first.boxes.push_back(seen.boxes[i]);
    best_first.labels.push_back(seen.labels[i]);
    if (!seen.points.empty()) best_first.points.push_back(seen.points[i]);
    best_first.scores.push_back(seen.scores[i]);
  }
  std::vector<Said> own = said(reference_, frame);
  std::stable_sort(own.begin(), own.end(),
                   [](const Said& a, const Said& b) { return a.score > b.score; });
  const Parts parts = compare(std::move(own), best_first);
  return parts.fits && parts.sum() == 0;
}

}  // namespace edgeprobe::diagnose::boxes
