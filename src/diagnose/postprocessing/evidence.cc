// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/evidence.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "search/limits.h"
#include "search/proof.h"

namespace edgeprobe::diagnose::postprocessing {
namespace {

// Values at which activations and readings saturate.
constexpr double kUsual[] = {0, 1, 0.5, 100, 50, 255, 127, -128};

double score_bits(double score, double tolerance, std::size_t classes) {
  double apart = std::fabs(score - 1 / static_cast<double>(std::max<std::size_t>(classes, 1)));
  for (const double usual : kUsual) apart = std::min(apart, std::fabs(score - usual));
  return search::bits_of_number(std::max(apart, 1e-12), tolerance);
}

struct Gathered {
  search::Facts scores;
  std::set<std::pair<int, int>> labels;  ///< Pairs of class and label.
  double score_bits = 0;
  int repeats = 0;  ///< Number of labels of classes that were already observed.
  /// Classes whose recorded label matches the change, even if it also matches without it.
  std::set<int> classes;
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
      if (!same && std::isfinite(score) && out.scores.is_new(score, tolerance))
        out.score_bits += score_bits(score, tolerance, predictions.classes());
    }
    if (rank < seen.labels.size()) {
      const std::size_t at = places[rank];
      const int label = predictions.label_at(with_it, said, rank, at);
      if (!predictions.matches(label, seen.labels[rank]) || predictions.ties(with_it, said, at) > 1)
        continue;
      out.classes.insert(said.ids[at]);
      if (there && (predictions.label_at(without_it, other, rank, others[rank]) == label ||
                    predictions.is_tied(without_it, other, others[rank], label)))
        continue;
      if (!out.labels.emplace(said.ids[at], label).second) ++out.repeats;
    }
  }
}

// Bits from each frame's number of answers, given the threshold range that the other frames allow.
double threshold_bits(Predictions& predictions, const Hypothesis& with_it,
                      std::span<const std::size_t> frames) {
  postprocess::Classification open = with_it.recipe;
  open.threshold.reset();
  std::vector<search::Cut> cuts;
  for (const std::size_t frame : frames) {
    std::vector<double> scores;
    const Ranked& said = predictions.ranked(open, frame);
    for (const std::size_t at : predictions.reported(open, said)) scores.push_back(said.scores[at]);
    cuts.push_back(search::cut_behind(std::move(scores), predictions.observed(frame).count));
  }
  // Only a kept and a dropped score together show where the threshold is.
  const bool kept =
      std::any_of(cuts.begin(), cuts.end(), [](const search::Cut& cut) { return cut.keeps; });
  const bool dropped =
      std::any_of(cuts.begin(), cuts.end(), [](const search::Cut& cut) { return cut.drops; });
  if (!kept || (with_it.recipe.threshold && !dropped)) return 0;
  return search::bits_of_cuts(cuts);
}

// Counts frames whose answer stops at the limit, except for the first, which determines it.
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
  if (change.sets & (kMost | kThreshold)) return search::kBitsOfCuts;
  return search::bits_needed(proposed, together);
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
  if (edit) bits -= a_label;  // The line's position is a free parameter.
  // If the labels of all classes were observed, the table is known: with few classes no other order
  // is possible, and each further frame confirms it.
  if ((change.sets & kTable) && found.classes.size() == predictions.classes())
    bits += found.repeats * a_label;
  return bits;
}

}  // namespace edgeprobe::diagnose::postprocessing
