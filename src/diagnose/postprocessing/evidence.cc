// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/evidence.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace edgeprobe::diagnose::postprocessing {
namespace {

// A lucky fit of a change with that many bits to spare has a chance of 1 in 256.
constexpr double kMargin = 8;
// Cuts are fitted to the very answers; what is counted is predicted from the other frames.
constexpr double kCutNeeds = 6;
constexpr double kMostBits = 11;

// Values that activations and readings saturate at.
constexpr double kUsual[] = {0, 1, 0.5, 100, 50, 255, 127, -128};

double score_bits(double score, double tolerance, std::size_t classes) {
  double apart = std::fabs(score - 1 / static_cast<double>(std::max<std::size_t>(classes, 1)));
  for (const double usual : kUsual) apart = std::min(apart, std::fabs(score - usual));
  return std::clamp(std::log2(std::max(apart, 1e-12) / (2 * tolerance)), 0.0, kMostBits);
}

bool is_near(double a, double b, double tolerance) { return std::fabs(a - b) <= 2 * tolerance; }

struct Gathered {
  std::vector<double> scores;            ///< Distinct ones.
  std::set<std::pair<int, int>> labels;  ///< Class and its label.
  double score_bits = 0;
  int repeats = 0;  ///< Labels of classes that were seen before.
};

void gather(Predictions& predictions, const Hypothesis& with_it, const Hypothesis& without_it,
            std::size_t frame, Gathered& out) {
  const Ranked& said = predictions.ranked(with_it.recipe, frame);
  const Ranked& other = predictions.ranked(without_it.recipe, frame);
  const Observed& seen = predictions.observed(frame);
  const auto places = predictions.reported(with_it.recipe, said);
  const auto others =
      other.fits ? predictions.reported(without_it.recipe, other) : std::vector<std::size_t>{};
  for (std::size_t rank = 0; rank < std::min(places.size(), seen.count); ++rank) {
    const bool there = rank < others.size();
    if (rank < seen.scores.size()) {
      const double score = seen.scores[rank], tolerance = predictions.tolerance(score);
      const bool same =
          there &&
          std::fabs(predictions.score(without_it, other, rank, others[rank]) - score) <= tolerance;
      const bool known = std::any_of(out.scores.begin(), out.scores.end(),
                                     [&](double one) { return is_near(one, score, tolerance); });
      if (!same && !known && std::isfinite(score)) {
        out.scores.push_back(score);
        out.score_bits += score_bits(score, tolerance, predictions.classes());
      }
    }
    if (rank < seen.labels.size()) {
      const std::size_t at = places[rank];
      const int label = predictions.label_at(with_it, said, rank, at);
      if (label != seen.labels[rank] || predictions.ties(with_it, said, at) > 1) continue;
      if (there && (predictions.label_at(without_it, other, rank, others[rank]) == label ||
                    predictions.is_tied(without_it, other, others[rank], label)))
        continue;
      if (!out.labels.emplace(said.ids[at], label).second) ++out.repeats;
    }
  }
}

// How surprising it is that a frame's number of answers is what the others' thresholds allow.
double threshold_bits(Predictions& predictions, const Hypothesis& with_it,
                      std::span<const std::size_t> frames) {
  postprocess::Classification open = with_it.recipe;
  open.threshold.reset();
  struct Cut {
    std::vector<double> scores;
    std::size_t count = 0;
  };
  std::vector<Cut> cuts;
  for (const std::size_t frame : frames) {
    Cut cut;
    const Ranked& said = predictions.ranked(open, frame);
    for (const std::size_t at : predictions.reported(open, said))
      cut.scores.push_back(said.scores[at]);
    std::sort(cut.scores.begin(), cut.scores.end(), std::greater<>());
    cut.count = std::min(predictions.observed(frame).count, cut.scores.size());
    cuts.push_back(std::move(cut));
  }
  // Without a kept score, or a dropped one, the answers only say that there is a limit somewhere.
  const bool kept = std::any_of(cuts.begin(), cuts.end(), [](const Cut& c) { return c.count > 0; });
  const bool dropped =
      std::any_of(cuts.begin(), cuts.end(), [](const Cut& c) { return c.count < c.scores.size(); });
  if (!kept || (with_it.recipe.threshold && !dropped)) return 0;
  double bits = 0;
  for (std::size_t left = 0; left < cuts.size(); ++left) {
    double low = -HUGE_VAL, high = HUGE_VAL;
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      if (i == left) continue;
      const auto& [scores, count] = cuts[i];
      if (count < scores.size()) low = std::max(low, scores[count]);
      if (count > 0) high = std::min(high, scores[count - 1]);
    }
    const auto& scores = cuts[left].scores;
    std::size_t possible = 0;
    for (std::size_t count = 0; count <= scores.size(); ++count) {
      const double lowest = count < scores.size() ? std::max(low, scores[count]) : low;
      const double highest = count > 0 ? std::min(high, scores[count - 1]) : high;
      possible += lowest < highest;
    }
    if (possible > 0)
      bits += std::log2(static_cast<double>(scores.size() + 1) / static_cast<double>(possible));
  }
  return bits;
}

// Frames whose answer ends at the limit, but for the first, which fixes it.
double most_bits(Predictions& predictions, const Hypothesis& with_it, const Hypothesis& without_it,
                 std::span<const std::size_t> frames) {
  double bits = 0;
  bool first = true;
  for (const std::size_t frame : frames) {
    const std::size_t count = predictions.observed(frame).count;
    const std::size_t before =
        predictions.reported(without_it.recipe, predictions.ranked(without_it.recipe, frame))
            .size();
    if (count == before || (with_it.recipe.most && count != *with_it.recipe.most)) continue;
    if (!first) bits += std::log2(static_cast<double>(std::max<std::size_t>(before, count) + 1));
    first = false;
  }
  return bits;
}

}  // namespace

double bits_needed(const Predictions& predictions, const Change& change, std::size_t proposed,
                   std::size_t together) {
  const unsigned of_values = kActivation | kReading | kThreshold | kPercent;
  if (!predictions.has_scores() && (change.sets & of_values)) return HUGE_VAL;
  if (change.sets & (kMost | kThreshold)) return kCutNeeds;
  return kMargin + static_cast<double>(together) *
                       std::log2(static_cast<double>(std::max<std::size_t>(proposed, 2)));
}

double bits_for(Predictions& predictions, const Hypothesis& with_it, const Hypothesis& without_it,
                const Change& change, std::span<const std::size_t> frames) {
  if (change.sets == kThreshold) return threshold_bits(predictions, with_it, frames);
  if (change.sets == kMost) return most_bits(predictions, with_it, without_it, frames);
  Gathered found;
  for (const std::size_t frame : frames) gather(predictions, with_it, without_it, frame, found);
  const double a_label =
      std::log2(static_cast<double>(std::max<std::size_t>(predictions.classes(), 2)));
  const TableEdit* const edit = change.sets & kTable ? with_it.edit.get() : nullptr;
  if (edit && edit->kind == TableEdit::Kind::kMap) return found.repeats * a_label;
  double bits = found.score_bits + a_label * static_cast<double>(found.labels.size());
  if (edit) bits -= a_label;  // The line is a free number.
  return bits;
}

}  // namespace edgeprobe::diagnose::postprocessing
