// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/app/recorded_outputs.h"

#include <algorithm>

#include "core/text.h"
#include "diagnose/examination/examination.h"
#include "diagnose/input/recorded_pairs.h"
#include "diagnose/tensors/changes.h"

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

struct Told {
  tensors::Change change;
  bool is_late = false;  ///< It is another frame's.
};
std::optional<Told> told(const tensors::Pairs& pairs) {
  if (pairs.differs.size() < kFewestFrames) return std::nullopt;
  if (auto change = tensors::other_frame(pairs)) return Told{*std::move(change), true};
  for (const auto find : {tensors::other_bytes, tensors::other_axes, tensors::other_order,
                          tensors::other_line, tensors::other_curve})
    if (auto change = find(pairs)) return Told{*std::move(change)};
  return std::nullopt;
}

// Kinds of inputs by those of outputs.
CauseKind kind_of(const Told& told) {
  switch (told.change.kind) {
    case CauseKind::kAxisOrder: return CauseKind::kOutputOrder;
    case CauseKind::kInputQuantization: return CauseKind::kQuantization;
    default: return told.change.kind;
  }
}

std::string in_frames(const tensors::Pairs& pairs) {
  if (pairs.differs.size() == pairs.all.size()) return " ";
  return " in " + std::to_string(pairs.differs.size()) + " of " +
         counted(pairs.all.size(), "frame") + " (first at frame " +
         std::to_string(pairs.all[pairs.differs.front()].frame) + ") ";
}

Cause cause_of(const Told& told, const tensors::Pairs& pairs, const std::string& name) {
  Cause cause;
  cause.kind = kind_of(told);
  cause.status = CauseStatus::kConfirmed;
  cause.stage = CauseStage::kOutputs;
  cause.detail = "on equal inputs output '" + sanitized(name, 80) + "'" + in_frames(pairs) +
                 told.change.detail;
  cause.alternatives = told.change.alternatives;
  cause.alternatives.push_back(
      told.is_late ? "outputs that are read before the inference has ended"
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
      if (const auto change = told(pairs))
        found.causes.push_back(cause_of(*change, pairs, reference->channel.spec.name));
    }
  return found;
}

}  // namespace edgeprobe::diagnose
