// SPDX-License-Identifier: Apache-2.0
#include "layers/search/finding.h"

#include "layers/capture/logits.h"

namespace edgeprobe::layers {

Result<std::optional<ReferenceFault>> fault_of_reference(const SearchInput& input,
                                                         const Control& control) {
  const Workspace& workspace = input.workspace;
  if (!workspace.target.graph || !rounds_to_codes(*workspace.reference.graph))
    return std::optional<ReferenceFault>{};
  Workspace changed = workspace_of(
      workspace.reference_host, workspace.target, workspace.reference,
      pair_up(*workspace.target.graph, *workspace.reference.graph, &input.target, &input.reference),
      &input.reference);
  changed.reference_host = workspace.host;
  const std::vector<int> logits = logits_of(*changed.reference.graph);
  EP_TRY(const auto sums, accumulate(*changed.reference.graph, changed.pairing, logits,
                                     input.target, input.reference, {control.stop, {}}));
  const double logit_nrmse = logit_nrmse_of(sums);
  if (logit_nrmse <= input.limits.severe) return std::optional<ReferenceFault>{};
  EP_TRY(const auto found,
         search({changed, logits, input.target, input.reference, sums, logit_nrmse,
                 input.error_gain_floor, input.limits, false, false, input.budget},
                control));
  for (const Finding& finding : found.findings)
    if (finding.restores && finding.after && !finding.repairs.empty() &&
        finding.suspicion == Suspicion::kActivation)
      return std::optional(ReferenceFault{changed.pairing.ops[finding.pair].target_layer,
                                          finding.figures, finding.before, *finding.after});
  return std::optional<ReferenceFault>{};
}

}  // namespace edgeprobe::layers
