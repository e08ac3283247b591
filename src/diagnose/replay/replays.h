// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diagnose/case/counterfactual.h"
#include "diagnose/input/input_evidence.h"
#include "layers/analysis.h"

namespace edgeprobe::diagnose {

/// Answers of the target's model with the analysis' findings repaired step by step: first faulty
/// kernels replaced by the host's, if any, then each layer whose repair restored the logits,
/// cumulatively. For `frames`: on their pictures raw.samples[which[i]] with every input fault
/// repaired, or on the recorded inputs if these have no fault.
Result<std::vector<Answers>> repaired_answers(const Study& study, const InputEvidence& input,
                                              const layers::Analysis& analysis,
                                              const std::vector<std::uint32_t>& frames,
                                              const std::vector<std::size_t>& which,
                                              const Control& control);

/// Replays that confirm causes and measure how much fixes restore.
struct Replays {
  Answers reference, target;  ///< Recorded answers of the replayed frames.
  /// Answers of the target's model with every fix; empty without a replay.
  Answers fixed;
  std::vector<Answers> after;  ///< After fix 1, after fixes 1 and 2, …
  /// The first `together` fixes have no entry in `after`: they are applied with the next fix.
  std::size_t together = 0;
  /// Distance of the target's recorded answers from its model on the reconstructed input.
  std::optional<double> reproduced;
  /// Answers of the reference's model on the recorded inputs; set if no fault was found.
  std::optional<Answers> same_input;
  /// Answers of the reference on its own inputs after rounding to the target's codes.
  std::optional<Answers> through_codes;
  /// Answers of the reference's model, replayed with the faults.
  std::optional<Answers> faulty_reference;
  /// The same without the faults, if `reference` was not recorded by that model on this machine.
  std::optional<Answers> own_reference;
  /// Answers of the target's model with causes inside it repaired too; each entry repairs one more
  /// cause.
  std::vector<Answers> repaired_steps;
  /// Reason if `repaired_steps` is empty although a cause is inside the model.
  std::optional<Unavailable> not_repaired;
  std::optional<Unavailable> unavailable;  ///< Reason if there is no replay.
};
/// `inside`: findings in the model to repair as well; null if there are none.
Result<Replays> replay_fixes(const Study& study, const InputEvidence& input,
                             const layers::Analysis* inside, const Control& control);

}  // namespace edgeprobe::diagnose
