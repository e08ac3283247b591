// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/app/recorded_outputs.h"

#include <algorithm>

#include "core/text.h"
#include "diagnose/examination/decide.h"
#include "diagnose/examination/examination.h"
#include "diagnose/input/recorded_pairs.h"
#include "diagnose/tensors/changes.h"
#include "diagnose/tensors/where.h"

namespace edgeprobe::diagnose {
namespace {

/// Minimum number of frames that can show a wrong order of frames.
constexpr std::size_t kFewestFrames = 4;

bool has_cause(const std::vector<Cause>& causes) {
  return std::any_of(causes.begin(), causes.end(),
                     [](const Cause& cause) { return cause.status == CauseStatus::kConfirmed; });
}

std::optional<tensors::Change> change_of(const tensors::Pairs& pairs) {
  if (pairs.differs.size() < kFewestFrames) return std::nullopt;
  for (const auto find : {tensors::other_frame, tensors::other_bytes, tensors::other_axes,
                          tensors::other_order, tensors::other_line, tensors::other_curve,
                          tensors::other_rows, tensors::lines_by_part, tensors::not_written})
    if (auto change = find(pairs)) return change;
  return std::nullopt;
}

// Kind of cause for outputs that corresponds to a kind found for inputs.
CauseKind kind_of(const tensors::Change& change) {
  switch (change.kind) {
    case CauseKind::kAxisOrder: return CauseKind::kOutputOrder;
    case CauseKind::kInputQuantization: return CauseKind::kQuantization;
    default: return change.kind;
  }
}

Cause cause_of(const tensors::Change& change, const tensors::Pairs& pairs,
               const std::string& name) {
  Cause cause;
  cause.kind = kind_of(change);
  cause.status = CauseStatus::kConfirmed;
  cause.stage = CauseStage::kOutputs;
  cause.detail = "on equal inputs output " + in_quotes(name, 80) + tensors::in_frames(pairs) + " " +
                 change.detail;
  cause.alternatives = change.alternatives;
  cause.alternatives.push_back(
      change.kind == CauseKind::kOtherFrame
          ? "outputs that are read before the inference has ended"
          : "a last layer with other weights, or another operator after it");
  cause.restored_unavailable = Unavailable{UnavailableKind::kComparedAsTheyAre};
  return cause;
}

// Cause that states where an output differs if no change reproduces it; nothing if every value
// differs.
std::optional<Cause> placed(const Examination& examined, const tensors::Pairs& pairs,
                            const std::string& name) {
  const tensors::Where where = tensors::where_of(pairs);
  if (where.frames == 0 || (where.equal == 0 && where.frames == where.of_frames))
    return std::nullopt;
  const compare::Agreement& agreement = examined.study.agreement;
  Cause cause;
  cause.kind = CauseKind::kUnknown;
  cause.status = CauseStatus::kPartial;
  cause.stage = CauseStage::kModel;
  cause.detail = "the outputs differ" +
                 by_distance(*agreement.output_distance,
                             compare::name(agreement.output_distance_kind), examined.floor) +
                 "; the model input is the same; output " + in_quotes(name, 80) + " differs " +
                 tensors::worded(where);
  return cause;
}

}  // namespace

Result<Findings> find_recorded_outputs(const Examination& examined, const Control& control) {
  Findings found;
  const Study& study = examined.study;
  if (examined.exchanged || has_cause(examined.suspected_layers) ||
      !has_equal_inputs(study.agreement) ||
      study.agreement.output_distance.value_or(0) <= examined.floor)
    return found;
  std::vector<Cause> places;
  for (const trace::ReadChannel* target : output_channels(*study.known.target))
    for (const trace::ReadChannel* reference : output_channels(*study.known.reference)) {
      if (target->channel.spec.name != reference->channel.spec.name) continue;
      EP_TRY(const auto pairs, recorded_pairs(study, target, reference, control));
      const std::string& name = reference->channel.spec.name;
      if (const auto change = change_of(pairs))
        found.causes.push_back(cause_of(*change, pairs, name));
      else if (auto cause = placed(examined, pairs, name)) places.push_back(*std::move(cause));
    }
  if (found.causes.empty() && examined.suspected_layers.empty() && !places.empty())
    found.causes.push_back(std::move(places.front()));
  return found;
}

}  // namespace edgeprobe::diagnose
