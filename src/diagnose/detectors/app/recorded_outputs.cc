// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/app/recorded_outputs.h"

#include <algorithm>

#include "core/text.h"
#include "diagnose/examination/examination.h"
#include "diagnose/input/recorded_pairs.h"
#include "diagnose/tensors/changes.h"
#include "diagnose/tensors/where.h"

namespace edgeprobe::diagnose {
namespace {

/// Frames that show an order of frames, at the least.
constexpr std::size_t kFewestFrames = 4;

bool has_cause(const std::vector<Cause>& causes) {
  return std::any_of(causes.begin(), causes.end(),
                     [](const Cause& cause) { return cause.status == CauseStatus::kConfirmed; });
}

// All inputs were recorded on both sides, and are equal bit for bit.
bool are_inputs_equal(const Study& study) {
  bool any = false;
  for (const compare::LayerAgreement& layer : study.agreement.layers) {
    if (layer.stage != trace::Stage::kModelInput) continue;
    if (!layer.distances.exact) return false;
    any = true;
  }
  return any;
}

std::optional<tensors::Change> change_of(const tensors::Pairs& pairs) {
  if (pairs.differs.size() < kFewestFrames) return std::nullopt;
  for (const auto find : {tensors::other_frame, tensors::other_bytes, tensors::other_axes,
                          tensors::other_order, tensors::other_line, tensors::other_curve})
    if (auto change = find(pairs)) return change;
  return std::nullopt;
}

// Kinds of inputs by those of outputs.
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
          : "a last layer with other weights, or another operator behind it");
  cause.restored_unavailable = Unavailable{UnavailableKind::kComparedAsTheyAre};
  return cause;
}

}  // namespace

Result<Findings> find_recorded_outputs(const Examination& examined, const Control& control) {
  Findings found;
  const Study& study = examined.study;
  if (examined.exchanged || has_cause(examined.suspected_layers) || !are_inputs_equal(study) ||
      study.agreement.output_distance.value_or(0) <= examined.floor)
    return found;
  for (const trace::ReadChannel* target : output_channels(*study.known.target))
    for (const trace::ReadChannel* reference : output_channels(*study.known.reference)) {
      if (target->channel.spec.name != reference->channel.spec.name) continue;
      EP_TRY(const auto pairs, recorded_pairs(study, target, reference, control));
      if (const auto change = change_of(pairs))
        found.causes.push_back(cause_of(*change, pairs, reference->channel.spec.name));
    }
  return found;
}

}  // namespace edgeprobe::diagnose
