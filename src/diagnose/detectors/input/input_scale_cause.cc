// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/input/input_scale_cause.h"

#include "core/text.h"
#include "diagnose/preprocessing/search/explanation.h"

namespace edgeprobe::diagnose {

namespace {

// If at least this fraction of values is cut off, the report states it; else it states the step
// width.
constexpr double kWorthSaying = 0.01;
// With so few codes left, their number is more telling than the values cut off.
constexpr std::size_t kFewCodes = 8;
// Fraction of the output distance that must vanish when the reference is fed through the same
// codes.
constexpr double kReproduced = 0.3;

std::string span(double low, double high) { return number(low, 3) + ".." + number(high, 3); }

std::string sentence(const InputScale& s, bool guessed) {
  const std::string calibrated = guessed
                                     ? "; that recipe was guessed: what was the model trained with?"
                                     : "; was the model calibrated with other pre-processing?";
  if (s.cut >= kWorthSaying && s.left > kFewCodes)
    return "the input's scale covers " + span(s.low, s.high) + " only, the recipe makes " +
           span(s.least, s.most) + ": " + percent(s.cut) + " of the values are cut off" +
           calibrated;
  return "the input's scale covers " + span(s.low, s.high) + " in steps of " + number(s.step, 3) +
         ", the recipe makes " + span(s.least, s.most) + ": only " + std::to_string(s.left) +
         (s.left == 1 ? " code is" : " codes are") + " left for all values" +
         (s.cut >= kWorthSaying ? ", " + percent(s.cut) + " of which lie beyond the range" : "") +
         calibrated;
}

}  // namespace

Cause input_scale_cause(const InputScale& scale, const Study& study, const Replays& replays,
                        double floor) {
  const compare::OutputDistance kind = study.agreement.output_distance_kind;
  Cause cause;
  cause.kind = CauseKind::kInputScale;
  cause.stage = CauseStage::kModel;
  cause.status = CauseStatus::kPartial;
  const bool guessed =
      study.known.reference_pipeline && study.known.reference_pipeline->default_recipe;
  cause.detail = sentence(scale, guessed);
  cause.restored_unavailable = Unavailable{UnavailableKind::kOnlyQuantisingAgain};
  Evidence loses{EvidenceKind::kCodesLose, {{"lost", scale.lost}}};
  if (scale.lost_steps) {
    loses.values.emplace("lost_steps", *scale.lost_steps);
    loses.values.emplace("decoder_limit", kDecoder);
  }
  cause.evidence.push_back(std::move(loses));
  cause.evidence.push_back(
      {guessed ? EvidenceKind::kGiveTrainingRecipe : EvidenceKind::kQuantiseAgain});
  const auto gap = mean_distance(kind, replays.reference, replays.target);
  std::optional<double> left;
  if (replays.through_codes) left = mean_distance(kind, *replays.through_codes, replays.target);
  if (!gap || !left) {
    cause.evidence.push_back({EvidenceKind::kCodesNotReplayed});
    return cause;
  }
  cause.evidence.push_back({EvidenceKind::kThroughCodes,
                            {{"distance", *left}, {"without", *gap}, {"kind", name(kind)}}});
  if (*gap <= floor) cause.status = CauseStatus::kNote;
  else if (*left <= (1 - kReproduced) * *gap && !guessed) cause.status = CauseStatus::kConfirmed;
  return cause;
}

}  // namespace edgeprobe::diagnose
