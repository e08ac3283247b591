// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/transcripts/transcripts.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "task/metrics/edit_distance.h"

namespace edgeprobe::diagnose::transcripts {
namespace {

// Relative difference of equal confidences: a float32 mean against a float64 one.
constexpr double kSameConfidence = 1e-4, kCoarsestConfidence = 0.1;
// Evidence of one edit that a change predicts: a rule not listed here might edit the same place, so
// a character counts less than its rarity. A text counts as at most one long text.
constexpr double kBitsOfEdit = 4, kBitsOfText = 44;

// Longer texts than can be compared have nothing in common.
double edits(const std::string& truth, const std::string& text) {
  const auto counted = task::character_edits(truth, text);
  return counted ? static_cast<double>(counted->all())
                 : static_cast<double>(std::max(truth.size(), text.size()));
}

}  // namespace

Transcripts::Transcripts(std::span<const RecordedFrame> frames, const Recipe& reference)
    : frames_(frames), reference_(reference) {
  std::vector<double> all;
  for (const RecordedFrame& frame : frames) {
    const auto& scores = frame.answer.scores;
    has_confidences_ = has_confidences_ && scores && scores->size() == 1;
    if (has_confidences_) all.push_back(scores->front());
  }
  precision_ = numbers::precision_of(all, kCoarsestConfidence);
}

const Transcripts::Walked& Transcripts::walked(const Recipe& recipe, std::size_t frame) {
  const Key key{recipe.output, recipe.reading, recipe.activations, recipe.is_by_class, frame};
  const auto [at, is_new] = walked_.try_emplace(key);
  if (!is_new) return at->second;
  const std::vector<TensorView> outputs(frames_[frame].outputs.begin(),
                                        frames_[frame].outputs.end());
  auto path = postprocess::transcript::path_of(recipe, outputs);
  if (path) {
    if (const auto fits =
            postprocess::transcript::check_classes(recipe, path->classes, path->best.size());
        !fits)
      at->second.error = fits.error().what;
    at->second.path = *std::move(path);
  } else {
    at->second.error = path.error().what;
  }
  return at->second;
}

std::string Transcripts::why_not() {
  for (std::size_t i = 0; i < frames_.size(); ++i)
    if (const std::string& error = walked(reference_, i).error; !error.empty()) return error;
  return "";
}

bool Transcripts::is_same_confidence(double said, double seen) const {
  if (std::isnan(said) || std::isnan(seen)) return std::isnan(said) == std::isnan(seen);
  if (std::isinf(said) || std::isinf(seen)) return said == seen;
  return std::fabs(said - seen) <= kSameConfidence * std::fabs(seen) + precision_.slack(seen);
}

double Transcripts::distance(const Recipe& recipe, std::size_t frame) {
  const Walked& one = walked(recipe, frame);
  if (!one.error.empty()) return 3;
  const auto said = postprocess::transcript::transcribed(recipe, one.path);
  const std::string& seen = *frames_[frame].answer.text;
  double sum = 0;
  if (said.text != seen)
    sum += std::min(1.0, 0.05 + edits(seen, said.text) /
                                    static_cast<double>(std::max<std::size_t>(1, seen.size())));
  if (!has_confidences_) return sum;
  const double confidence = frames_[frame].answer.scores->front();
  if (is_same_confidence(said.confidence, confidence)) return sum;
  const double off = std::fabs(said.confidence - confidence) / (std::fabs(confidence) + 1e-30);
  return sum + (std::isnan(off) ? 1 : std::min(1.0, 0.05 + off));
}

double Transcripts::bits(const Recipe& with_it, const Recipe& without_it,
                         const search::Change<Recipe>& change,
                         std::span<const std::size_t> frames) {
  numbers::Factors factors;
  std::set<std::string> counted;
  double bits = 0;
  for (const std::size_t frame : frames) {
    const Walked &of_with = walked(with_it, frame), &of_without = walked(without_it, frame);
    if (!of_with.error.empty()) continue;
    const auto with = postprocess::transcript::transcribed(with_it, of_with.path);
    const std::string& seen = *frames_[frame].answer.text;
    if (with.text != seen) continue;
    const bool is_comparable = of_without.error.empty();
    const auto without = is_comparable
                             ? postprocess::transcript::transcribed(without_it, of_without.path)
                             : postprocess::transcript::Transcribed{};
    if (without.text != seen && counted.insert(seen).second)
      bits += std::min(kBitsOfEdit * edits(seen, without.text), kBitsOfText);
    if (!has_confidences_ || !is_comparable) continue;
    const double confidence = frames_[frame].answer.scores->front();
    if (confidence == 0 || !std::isfinite(confidence)) continue;
    factors.add(without.confidence / confidence,
                (2 * std::fabs(with.confidence - confidence) + precision_.slack(confidence)) /
                    std::fabs(confidence));
  }
  return bits + factors.bits() - change.free_bits;
}

}  // namespace edgeprobe::diagnose::transcripts
