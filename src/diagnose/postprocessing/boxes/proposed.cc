// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "core/text.h"
#include "diagnose/postprocessing/boxes/changes.h"
#include "search/numbers.h"

namespace edgeprobe::diagnose::boxes {
namespace {

using postprocess::detection::Numbers;
using postprocess::detection::Scale;

// Lowest score in a search for a threshold.
constexpr double kLeastScore = 0.01;
// Number of boxes examined beyond the longest answer.
constexpr std::size_t kBehind = 5;
// Largest residual of a fitted factor, in pixels.
constexpr double kFactorResidual = 0.1, kWholeResidual = 1.01;
// Cost of two fitted factors: 15 bits each.
constexpr double kFactorBits = 30;

// Number of repeated classes required to propose a separate table.
constexpr std::size_t kLeastRepeats = 3;

// Predicted boxes of a frame, each with the rank of the app's box.
std::vector<std::pair<Said, std::size_t>> paired(Predictions& predictions, const Recipe& recipe,
                                                 std::size_t frame) {
  const Observed& seen = predictions.observed(frame);
  std::vector<std::pair<Said, std::size_t>> out;
  const auto said = predictions.said(recipe, frame);
  for (std::size_t rank = 0; rank < std::min(said.size(), seen.boxes.size()); ++rank)
    if (predictions.is_same_box(said[rank], seen, rank)) out.emplace_back(said[rank], rank);
  return out;
}

std::size_t longest_answer(const Predictions& predictions) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < predictions.frames(); ++i)
    longest = std::max(longest, predictions.observed(i).boxes.size());
  return longest;
}

void add_most(const Predictions& predictions, std::vector<Change>& out) {
  const std::size_t longest = longest_answer(predictions);
  std::size_t frames = 0;
  for (std::size_t i = 0; i < predictions.frames(); ++i)
    frames += predictions.observed(i).boxes.size() == longest;
  if (frames < 2 || longest == 0) return;
  Change change;
  change.sets = kMost;
  change.weight = 1.1;
  change.words = "reports at most " + std::to_string(longest) + (longest == 1 ? " box" : " boxes");
  change.apply = [longest](Recipe& r) { r.suppression.most = longest; };
  out.push_back(std::move(change));
}

// Proposes thresholds that fit the answers: above the best dropped score, up to the lowest kept
// one. A low threshold never changes suppression above it, so suppression runs once.
void add_threshold(Predictions& predictions, const Recipe& recipe, std::vector<Change>& out) {
  const std::size_t longest = longest_answer(predictions);
  Recipe open = recipe;
  open.threshold = std::min(recipe.threshold, kLeastScore);
  open.suppression.most = std::max(recipe.suppression.most, longest + kBehind);
  double low = -HUGE_VAL, high = HUGE_VAL;
  for (std::size_t i = 0; i < predictions.frames(); ++i) {
    const auto* const boxes = predictions.kept(open, i);
    if (!boxes) return;
    std::vector<double> scores;
    for (const auto& one : *boxes) scores.push_back(one.score);
    std::sort(scores.begin(), scores.end(), std::greater<>());
    const std::size_t count = predictions.observed(i).boxes.size();
    if (count < scores.size() && count < recipe.suppression.most)
      low = std::max(low, scores[count]);
    if (count > 0 && count <= scores.size()) high = std::min(high, scores[count - 1]);
  }
  if (low < recipe.threshold && recipe.threshold <= high) return;
  double value = 0;
  if (low >= high) return;
  if (std::isinf(low)) {
    if (high >= recipe.threshold) return;
    low = 0;
  }
  value = search::shortest_between(low, std::isinf(high) ? std::max(1.0, 2 * low) : high);
  Change change;
  change.sets = kThreshold;
  change.weight = 1;
  change.words = "keeps boxes from a score of " + number(value, 3) + " on";
  change.apply = [value](Recipe& r) { r.threshold = value; };
  out.push_back(std::move(change));
}

// Proposes one factor per axis for all pictures, by least squares through 0: the app assumes
// another input size than the model's.
void add_factor(Predictions& predictions, const Recipe& recipe, std::vector<Change>& out) {
  if (recipe.placement.scale == Scale::kMeasured) return;
  Recipe shares = recipe;
  shares.placement.scale = Scale::kShares;
  shares.placement.is_cut = false;
  std::vector<std::pair<Numbers, Numbers>> pairs;
  for (std::size_t i = 0; i < predictions.frames(); ++i) {
    const auto said = predictions.said(shares, i);
    const auto& seen = predictions.observed(i).boxes;
    for (std::size_t k = 0; k < std::min(said.size(), seen.size()); ++k)
      pairs.emplace_back(said[k].box, seen[k]);
  }
  if (pairs.size() < 2) return;
  const std::size_t x_at = is_x_first(recipe.report) ? 0 : 1;
  double factor[2] = {}, worst = 0;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
    const std::size_t at = axis == 0 ? x_at : 1 - x_at;
    double both = 0, own = 0;
    for (const auto& [from, to] : pairs)
      for (const std::size_t i : {at, at + 2}) both += from[i] * to[i], own += from[i] * from[i];
    factor[axis] = std::round(100 * both / std::max(own, 1e-12)) / 100;
    for (const auto& [from, to] : pairs)
      for (const std::size_t i : {at, at + 2})
        worst = std::max(worst, std::fabs(from[i] * factor[axis] - to[i]));
  }
  const double allowed = predictions.is_whole() ? kWholeResidual : kFactorResidual;
  if (!(std::min(factor[0], factor[1]) >= 1.5) || !(worst <= allowed)) return;
  Change change;
  change.sets = kScale;
  change.weight = 1.5;
  change.words = "scales boxes by " + number(factor[0], 6) + " x " + number(factor[1], 6) +
                 " in every picture";
  change.free_bits = kFactorBits;
  change.apply = [x = factor[0], y = factor[1]](Recipe& r) {
    r.placement.scale = Scale::kMeasured, r.placement.factor = {x, y};
  };
  out.push_back(std::move(change));
}

// Proposes a separate table if each class always gets the same label, different from the others'.
void add_own_table(Predictions& predictions, const Recipe& recipe, std::vector<Change>& out) {
  if (predictions.judged() != Judged::kNames || recipe.own_labels) return;
  std::map<int, int> labels;
  std::size_t repeats = 0;
  for (std::size_t i = 0; i < predictions.frames(); ++i) {
    const Observed& seen = predictions.observed(i);
    for (const auto& [one, rank] : paired(predictions, recipe, i)) {
      if (seen.labels[rank] == kNoLabel) continue;
      const auto [at, is_new] = labels.emplace(one.id + recipe.labels->shift, seen.labels[rank]);
      if (at->second != seen.labels[rank]) return;
      repeats += is_new ? 0 : 1;
    }
  }
  std::set<int> distinct;
  postprocessing::OwnTable own;
  for (const auto& [line, label] : labels) {
    distinct.insert(label);
    own.emplace(line, predictions.name(label));
  }
  if (repeats < kLeastRepeats || distinct.size() != labels.size()) return;
  Change change;
  change.sets = kTable;
  change.weight = 3;
  change.words = postprocessing::own_table_words(own, predictions.names());
  change.apply = [table = std::make_shared<const postprocessing::OwnTable>(std::move(own))](
                     Recipe& r) { r.own_labels = table; };
  out.push_back(std::move(change));
}

}  // namespace

std::vector<Change> proposed(Predictions& predictions, const Recipe& recipe) {
  std::vector<Change> out;
  add_most(predictions, out);
  add_threshold(predictions, recipe, out);
  add_factor(predictions, recipe, out);
  add_own_table(predictions, recipe, out);
  return out;
}

}  // namespace edgeprobe::diagnose::boxes
