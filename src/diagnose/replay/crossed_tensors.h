// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/control.h"
#include "diagnose/replay/counterfactual.h"
#include "diagnose/study.h"
#include "pipeline/spec.h"

namespace edgeprobe::diagnose {

/// The recorded model inputs of one frame as these specs take them, each by its name; nothing where
/// one is missing or does not fit. Inputs at the places `states` may be missing, and are zeros
/// then: a state that was not recorded, or holds NaN.
Result<std::optional<std::vector<Tensor>>> recorded_inputs(
    const trace::Reader& reader, std::uint32_t frame, const std::vector<TensorSpec>& wanted,
    const std::vector<std::size_t>& states = {});

/// Runs a session on what a trace recorded, by the names of its inputs. No answers where the inputs
/// do not fit.
Result<Answers> on_recorded(engine::Session& session, const trace::Reader& reader,
                            const std::vector<std::uint32_t>& frames, const std::string& title,
                            const Control& control);

/// The reference on its own inputs, but for those of these names, which are the target's.
Result<Answers> reference_with(const Study& study, const std::set<std::string>& of_target,
                               const std::vector<std::uint32_t>& frames, const Control& control);

}  // namespace edgeprobe::diagnose
