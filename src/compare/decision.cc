// SPDX-License-Identifier: Apache-2.0
#include "compare/decision.h"

#include <algorithm>

#include "core/text.h"
#include "stats/significance.h"

namespace edgeprobe::compare {
namespace {

// Floors of integer models are above this.
constexpr double kLeastIntegerFloor = 0.05;
// Fraction of an output's range: on equal inputs, real numbers of one model are much closer
// everywhere, and the overall distance hides a few values, such as a detector's scores.
constexpr double kFarValue = 0.25;

bool are_integers(const Agreement& agreement) {
  return std::any_of(agreement.layers.begin(), agreement.layers.end(),
                     [](const LayerAgreement& layer) {
                       return layer.stage != trace::Stage::kIntermediate && layer.in_codes;
                     });
}

// Non-finite values on only one side are a difference at any floor.
bool has_broken_values(const Agreement& agreement) {
  return std::any_of(agreement.layers.begin(), agreement.layers.end(),
                     [](const LayerAgreement& layer) {
                       return layer.moments.non_finite_mismatch + layer.moments.overflow > 0;
                     });
}

// Number of frames in which some tensor is missing; it was compared only in the others.
std::size_t frames_without_tensor(const Agreement& agreement) {
  std::size_t fewest = agreement.frames.size();
  for (const LayerAgreement& layer : agreement.layers)
    fewest = std::min<std::size_t>(fewest, layer.frames + layer.unlike);
  return agreement.frames.size() - fewest;
}

std::optional<double> largest_distance(const Agreement& agreement) {
  std::optional<double> largest;
  for (const LayerAgreement& layer : agreement.layers)
    largest = std::max(largest, layer.distances.relative_l2);
  return largest;
}

Decision because(Decision decision, Reason reason, Outcome outcome) {
  decision.reason = reason;
  decision.outcome = outcome;
  return decision;
}

// Decides by recorded answers, which take precedence over tensors: the outputs may be equal
// although the app's answers differ.
std::optional<Decision> decide_by_answers(const Agreement& agreement, const Decision& decision) {
  const auto& answers = agreement.answers;
  if (!answers) return std::nullopt;
  if (answers->evaluation && answers->evaluation->is_loss())
    return because(decision, Reason::kEvaluationLost, Outcome::kDiffers);
  if (answers->differs()) return because(decision, Reason::kAnswers, Outcome::kDiffers);
  if (!agreement.layers.empty() || answers->compared == 0) return std::nullopt;
  return because(decision, Reason::kAnswers,
                 decision.is_of_few_frames ? Outcome::kUndecided : Outcome::kAgrees);
}

Decision decide_by_tensors(const Agreement& agreement, Decision decision) {
  if (agreement.layers.empty())
    return because(decision, Reason::kNothingPaired, Outcome::kUndecided);
  const auto mistake = std::find_if(agreement.swapped.begin(), agreement.swapped.end(),
                                    [](const SwappedOutputs& one) { return one.mistake; });
  if (mistake != agreement.swapped.end()) {
    decision.swapped = static_cast<std::size_t>(mistake - agreement.swapped.begin());
    return because(decision, Reason::kSwapped, Outcome::kDiffers);
  }
  const Outcome unless_few = decision.is_of_few_frames ? Outcome::kUndecided : Outcome::kAgrees;
  if (agreement.exact) {
    decision.frames_without_tensor = frames_without_tensor(agreement);
    return because(decision, Reason::kEqual,
                   decision.frames_without_tensor > 0 ? Outcome::kUndecided : unless_few);
  }
  if (unlike_output(agreement)) return because(decision, Reason::kShapes, Outcome::kDiffers);
  if (has_broken_values(agreement)) return because(decision, Reason::kNotFinite, Outcome::kDiffers);
  const auto& task = agreement.task;
  if (task && stats::is_loss(task->test.p_value, task->target.sum, task->reference.sum))
    return because(decision, Reason::kAccuracyLost, Outcome::kDiffers);
  const bool is_far = !decision.distance || *decision.distance > decision.floor;
  return because(decision, Reason::kDistance, is_far ? Outcome::kDiffers : unless_few);
}

}  // namespace

std::string far_values(const Agreement& agreement, double floor) {
  if (floor >= kLeastIntegerFloor) return "";
  std::string text;
  bool is_fed = false;
  for (const LayerAgreement& layer : agreement.layers) {
    const Moments& m = layer.moments;
    if (layer.stage == trace::Stage::kModelInput && m.max_abs_d != 0) return "";
    is_fed = is_fed || layer.stage == trace::Stage::kModelInput;
    const double range = m.max_r - m.min_r;
    if (layer.stage == trace::Stage::kModelOutput && range > 0 && m.max_abs_d > kFarValue * range)
      text = "values of output " + in_quotes(layer.name, 60) + " lie up to " +
             percent(m.max_abs_d / range, 0) +
             " of its range apart; the distance over all values hides it";
  }
  return is_fed ? text : "";
}

Decision decision_of(const Agreement& agreement, std::optional<double> floor) {
  Decision decision;
  decision.floor = floor.value_or(output_floor(are_integers(agreement), agreement.frames.size()));
  decision.is_of_outputs = agreement.output_distance.has_value();
  decision.distance =
      decision.is_of_outputs ? agreement.output_distance : largest_distance(agreement);
  decision.is_of_few_frames =
      2 * agreement.frames.size() < std::min(agreement.frames_reference, agreement.frames_target);
  if (agreement.interrupted) return decision;
  if (agreement.joined_by == JoinedBy::kNothing)
    return because(decision, Reason::kNothingJoined, Outcome::kUndecided);
  if (agreement.metric && agreement.metric->is_loss())
    return because(decision, Reason::kMetricLost, Outcome::kDiffers);
  if (auto answers = decide_by_answers(agreement, decision)) return *answers;
  decision = decide_by_tensors(agreement, decision);
  // A floor set by the user defines what counts as near.
  const bool hides = decision.reason == Reason::kDistance && decision.outcome == Outcome::kAgrees &&
                     !floor && !far_values(agreement, decision.floor).empty();
  return hides ? because(decision, Reason::kFarValues, Outcome::kUndecided) : decision;
}

const LayerAgreement* unlike_output(const Agreement& agreement) {
  for (const LayerAgreement& layer : agreement.layers)
    if (layer.stage == trace::Stage::kModelOutput && layer.unlike > 0) return &layer;
  return nullptr;
}

std::string shapes_text(const LayerAgreement& output, std::size_t frames) {
  const bool is_input = output.stage == trace::Stage::kModelInput;
  return (is_input ? "the model input '" : "the output '") + sanitized(output.name, 60) + "' is " +
         to_text(output.unlike_target) + " and the reference's " +
         to_text(output.unlike_reference) + " in frame " + std::to_string(output.unlike_frame) +
         "; it has another shape on both sides in " + std::to_string(output.unlike) + " of " +
         counted(frames, "frame");
}

const LayerAgreement* first_stage(const Agreement& agreement) {
  const auto of_input = [](const LayerAgreement& l) {
    return l.stage == trace::Stage::kIntermediate || l.stage == trace::Stage::kModelInput;
  };
  const auto named = [](const LayerAgreement& l) { return l.stage == trace::Stage::kIntermediate; };
  if (std::none_of(agreement.layers.begin(), agreement.layers.end(), named)) return nullptr;
  for (const LayerAgreement& layer : agreement.layers) {
    if (!of_input(layer)) continue;
    const auto& d = layer.distances;
    const bool rounding = d.exact || (d.rmse_over_range && *d.rmse_over_range * 255 < 1);
    if (!rounding || (named(layer) && layer.frames < agreement.frames.size())) return &layer;
  }
  return nullptr;
}

}  // namespace edgeprobe::compare
