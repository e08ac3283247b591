// SPDX-License-Identifier: Apache-2.0
#include "diagnose/examination/output_order.h"

#include "compare/compare_traces.h"
#include "core/text.h"

namespace edgeprobe::diagnose {

Result<std::optional<OutputOrder>> examine_output_order(const Study& study, double floor,
                                                        const Control& control) {
  compare::CompareOptions options;
  options.outputs_only = true;
  std::string pairs;
  for (const compare::SwappedOutputs& swapped : study.agreement.swapped) {
    if (!swapped.mistake || swapped.first == swapped.second ||
        swapped.first_target == swapped.second_target)
      continue;
    options.mapping.emplace_back(swapped.first, swapped.first_target);
    options.mapping.emplace_back(swapped.second, swapped.second_target);
    pairs += (pairs.empty() ? "'" : ", '") + sanitized(swapped.first, 60) + "' and '" +
             sanitized(swapped.second, 60) + "'";
  }
  if (options.mapping.empty()) return std::optional<OutputOrder>();
  auto exchanged = compare::compare_traces(*study.known.reference, *study.known.target, options,
                                           {control.stop, {}});
  if (!exchanged) return std::move(exchanged.error()).during("outputs exchanged");
  if (exchanged->interrupted) return interrupted();
  const auto &before = study.agreement.output_distance, &after = exchanged->output_distance;
  OutputOrder found;
  found.rest = after;
  Cause& cause = found.cause;
  cause.kind = CauseKind::kOutputOrder;
  cause.stage = CauseStage::kOutputs;
  cause.status = after && *after <= floor ? CauseStatus::kConfirmed : CauseStatus::kPartial;
  cause.detail = "the outputs " + pairs + " stand in each other's place in the target";
  if (before && after && *before <= floor) {
    cause.evidence.push_back({EvidenceKind::kEachIsTheOther, {{"distance", *after}}});
    cause.restored_unavailable = Unavailable{UnavailableKind::kComparedAsTheyAre};
  } else if (before && after) {
    cause.evidence.push_back({EvidenceKind::kOutputsExchanged,
                              {{"before", *before}, {"after", *after}, {"floor", floor}}});
    if (*before > 0) {
      cause.restored = 1 - *after / *before;
      cause.restored_unit = RestoredUnit::kOutputDistance;
    }
  }
  if (!cause.restored && !cause.restored_unavailable)
    cause.restored_unavailable = Unavailable{UnavailableKind::kNoOutputDistance};
  cause.fix_code["numpy"] =
      "first, second = second, first  # or read the outputs by name, not by place";
  return std::optional(std::move(found));
}

}  // namespace edgeprobe::diagnose
