// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/replay/counterfactual.h"
#include "diagnose/study.h"

namespace edgeprobe::diagnose {

/// The reference's model on the model inputs that the target recorded: what is left between the two
/// is the model's doing. Empty when the recorded input does not fit the reference's.
Result<Answers> reference_on_recorded(const Study& study, const std::vector<std::uint32_t>& frames,
                                      const Control& control);

/// The target's own model on the model inputs that the reference recorded. Nothing when it is not
/// at hand, or takes another size or type.
Result<std::optional<Answers>> on_reference_input(const Study& study,
                                                  const std::vector<std::uint32_t>& frames,
                                                  const Control& control);

}  // namespace edgeprobe::diagnose
