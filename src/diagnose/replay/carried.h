// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diagnose/replay/counterfactual.h"
#include "diagnose/study.h"
#include "pipeline/spec.h"

namespace edgeprobe::diagnose {

/// The answers of a model in these frames with its states fed back as meant, over all frames of the
/// target in their order: on the target's recorded inputs, or on the reference's. Nothing where the
/// recorded inputs do not fit the model, or where it keeps a state of its own.
Result<std::optional<Answers>> with_states_carried(pipeline::Pipeline& model, const Study& study,
                                                   const std::vector<std::uint32_t>& frames,
                                                   bool reference_inputs, const Control& control);

}  // namespace edgeprobe::diagnose
