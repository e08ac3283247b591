// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diagnose/case/counterfactual.h"
#include "diagnose/input/input_evidence.h"
#include "layers/analysis.h"

namespace edgeprobe::diagnose {

/// The target's answers with what the analysis found repaired: first its kernels replaced by the
/// host's, when some are faulty, then each layer whose repair brought the logits back, on top of
/// all before it. For `frames`: on their pictures, raw.samples[which[i]], with every fault of the
/// input repaired, or on the recorded inputs when the input has none.
Result<std::vector<Answers>> repaired_answers(const Study& study, const InputEvidence& input,
                                              const layers::Analysis& analysis,
                                              const std::vector<std::uint32_t>& frames,
                                              const std::vector<std::size_t>& which,
                                              const Control& control);

/// Replays that were made to confirm causes and to measure what is restored.
struct Replays {
  Answers reference, target;  ///< Recorded answers of the replayed frames.
  /// The target's model with every fix applied; empty when not replayed.
  Answers fixed;
  std::vector<Answers> after;  ///< After fix 1, 1+2, …
  /// The first so many fixes have no entry there: they are made together with the next.
  std::size_t together = 0;
  /// Distance of the recorded target from its model on the reconstructed input.
  std::optional<double> reproduced;
  /// The reference's model on the recorded inputs; when no fault was found.
  std::optional<Answers> same_input;
  /// The reference, fed with its own inputs through the codes of the target's.
  std::optional<Answers> through_codes;
  std::optional<Answers> faulty_reference;  ///< The reference model, replayed with the faults.
  /// The same without them, when `reference` was not recorded by that model on this machine.
  std::optional<Answers> own_reference;
  /// The target's model with causes inside it repaired too, one after the other.
  std::vector<Answers> repaired_steps;
  /// Why there are no `repaired_steps` although a cause is inside the model.
  std::optional<Unavailable> not_repaired;
  std::optional<Unavailable> unavailable;  ///< Why there is no replay.
};
/// `inside`: also with what was found in the model repaired; null when nothing is.
Result<Replays> replay_fixes(const Study& study, const InputEvidence& input,
                             const layers::Analysis* inside, const Control& control);

}  // namespace edgeprobe::diagnose
