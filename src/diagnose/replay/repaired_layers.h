// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "diagnose/input/input_evidence.h"
#include "diagnose/replay/counterfactual.h"
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

}  // namespace edgeprobe::diagnose
