// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/text.h"
#include "diagnose/postprocessing/points/changes.h"
#include "search/numbers.h"

namespace edgeprobe::diagnose::points {
namespace {

using postprocess::detection::Scale;

// Largest residual of a fitted factor, in pixels.
constexpr double kFactorResidual = 0.1, kWholeResidual = 1.01;
// Cost of two fitted factors: 15 bits each.
constexpr double kFactorBits = 30;

// Proposes thresholds that fit the answers: above the best hidden score, up to the lowest shown
// one.
void add_threshold(Predictions& predictions, const Recipe& recipe, std::vector<Change>& out) {
  if (recipe.numbers.find('s') == std::string::npos) return;
  double low = -HUGE_VAL, high = HUGE_VAL;
  for (std::size_t i = 0; i < predictions.frames(); ++i) {
    const auto said = predictions.said(recipe, i);
    const auto& seen = predictions.observed(i);
    if (said.size() != seen.size()) return;
    for (std::size_t k = 0; k < said.size(); ++k)
      (seen[k].is_shown ? high : low) =
          seen[k].is_shown ? std::min(high, said[k].score) : std::max(low, said[k].score);
  }
  // Without a hidden point, the threshold is unknown.
  if (!(low < high) || std::isinf(low)) return;
  if (recipe.threshold && low < *recipe.threshold && *recipe.threshold <= high) return;
  const double value =
      search::shortest_between(low, std::isinf(high) ? std::max(1.0, 2 * std::fabs(low)) : high);
  out.push_back({kThreshold, 1, "shows points from a score of " + number(value, 3) + " on",
                 [value](Recipe& r) { r.threshold = value; }, 0});
}

// Matches a recorded point with a predicted one: the only one with its score, which misplacement
// does not change, else the nearest; nothing if it is hidden and has no unique score.
std::optional<std::size_t> predicted_of(const Predictions& predictions, const Observed& seen,
                                        const std::vector<Said>& said) {
  std::optional<std::size_t> by_score;
  std::size_t alike = 0;
  if (predictions.has_scores() && !std::isnan(seen.score))
    for (std::size_t j = 0; j < said.size(); ++j)
      if (std::fabs(said[j].score - seen.score) <= predictions.score_tolerance(seen.score))
        by_score = j, ++alike;
  if (alike == 1) return by_score;
  if (!seen.is_shown) return std::nullopt;
  std::optional<std::size_t> nearest;
  double least = HUGE_VAL;
  for (std::size_t j = 0; j < said.size(); ++j) {
    const double off =
        std::max(std::fabs(said[j].first - seen.first), std::fabs(said[j].second - seen.second));
    if (off < least) least = off, nearest = j;
  }
  return nearest;
}

// Proposes an order: which predicted point each recorded one is, by majority of the frames.
void add_order(Predictions& predictions, const Recipe& recipe, std::vector<Change>& out) {
  if (!recipe.order.empty()) return;
  const std::size_t count = predictions.points(recipe, 0).size();
  if (count < 2 || count > 500) return;
  std::vector<std::vector<std::size_t>> votes(count, std::vector<std::size_t>(count, 0));
  for (std::size_t i = 0; i < predictions.frames(); ++i) {
    const auto said = predictions.said(recipe, i);
    const auto& seen = predictions.observed(i);
    if (said.size() != count || seen.size() != count) return;
    for (std::size_t k = 0; k < count; ++k)
      if (const auto which = predicted_of(predictions, seen[k], said)) ++votes[k][*which];
  }
  std::vector<std::size_t> order(count, count);
  std::vector<bool> is_taken(count, false);
  for (std::size_t k = 0; k < count; ++k) {
    const auto most = std::max_element(votes[k].begin(), votes[k].end());
    if (*most == 0) continue;
    order[k] = static_cast<std::size_t>(most - votes[k].begin());
    if (is_taken[order[k]]) return;
    is_taken[order[k]] = true;
  }
  // Points hidden in all frames keep the remaining order.
  std::size_t free = 0;
  for (std::size_t& one : order) {
    if (one != count) continue;
    while (is_taken[free]) ++free;
    one = free;
    is_taken[free] = true;
  }
  std::vector<std::size_t> plain(count), reversed(count);
  std::iota(plain.begin(), plain.end(), std::size_t{0});
  std::iota(reversed.rbegin(), reversed.rend(), std::size_t{0});
  if (order == plain || order == reversed || order == sides_exchanged(recipe, count)) return;
  const auto name = [&recipe](std::size_t i) {
    return recipe.labels && i < recipe.labels->table.names.size()
               ? sanitized(recipe.labels->table.names[i], 40)
               : "point " + std::to_string(i);
  };
  std::size_t first = 0, moved = 0;
  for (std::size_t k = count; k-- > 0;)
    if (order[k] != k) first = k, ++moved;
  out.push_back({kOrder, 1.3,
                 "hands on points in another order: " + name(order[first]) + " as " + name(first) +
                     (moved > 1 ? " and " + std::to_string(moved - 1) + " more" : ""),
                 [order](Recipe& r) { r.order = order; },
                 std::lgamma(static_cast<double>(count) + 1) / std::log(2.0)});
}

// Proposes one factor per axis for all pictures, by least squares through 0: the app assumes
// another input size than the model's.
void add_factor(Predictions& predictions, const Recipe& recipe, std::vector<Change>& out) {
  if (recipe.placement.scale == Scale::kMeasured) return;
  Recipe shares = recipe;
  shares.placement.scale = Scale::kShares;
  shares.placement.is_cut = false;
  double both[2] = {}, own[2] = {}, factor[2] = {}, worst = 0;
  const auto each = [&](auto visit) {
    for (std::size_t i = 0; i < predictions.frames(); ++i) {
      const auto said = predictions.said(shares, i);
      const auto& seen = predictions.observed(i);
      for (std::size_t k = 0; k < std::min(said.size(), seen.size()); ++k) {
        if (!seen[k].is_shown) continue;
        visit(recipe.is_y_first ? 1 : 0, said[k].first, seen[k].first);
        visit(recipe.is_y_first ? 0 : 1, said[k].second, seen[k].second);
      }
    }
  };
  each(
      [&](int axis, double from, double to) { both[axis] += from * to, own[axis] += from * from; });
  for (int axis = 0; axis < 2; ++axis)
    factor[axis] = std::round(100 * both[axis] / std::max(own[axis], 1e-12)) / 100;
  each([&](int axis, double from, double to) {
    worst = std::max(worst, std::fabs(from * factor[axis] - to));
  });
  const double allowed = predictions.is_whole() ? kWholeResidual : kFactorResidual;
  if (!(std::min(factor[0], factor[1]) >= 1.5) || !(worst <= allowed)) return;
  out.push_back({kScale, 1.5,
                 "scales points by " + number(factor[0], 6) + " x " + number(factor[1], 6) +
                     " in every picture",
                 [x = factor[0], y = factor[1]](Recipe& r) {
                   r.placement.scale = Scale::kMeasured, r.placement.factor = {x, y};
                 },
                 kFactorBits});
}

}  // namespace

std::vector<Change> proposed(Predictions& predictions, const Recipe& recipe) {
  std::vector<Change> out;
  add_threshold(predictions, recipe, out);
  add_order(predictions, recipe, out);
  add_factor(predictions, recipe, out);
  return out;
}

}  // namespace edgeprobe::diagnose::points
