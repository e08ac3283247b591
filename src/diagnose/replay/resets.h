// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "diagnose/replay/counterfactual.h"
#include "diagnose/study.h"
#include "pipeline/spec.h"

namespace edgeprobe::diagnose {

/// The answers of a model that keeps a state of its own, over these frames in their order, on the
/// target's recorded inputs; its state goes back to the beginning in front of `resets` and of the
/// first. Nothing where the recorded inputs do not fit. The session is at a beginning afterwards.
Result<std::optional<Answers>> with_resets(pipeline::Pipeline& model, const Study& study,
                                           const std::vector<std::uint32_t>& frames,
                                           const std::set<std::uint32_t>& resets,
                                           const Control& control);

}  // namespace edgeprobe::diagnose
