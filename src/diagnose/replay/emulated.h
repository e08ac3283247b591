// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <vector>

#include "diagnose/case/counterfactual.h"
#include "precision/steps.h"

namespace edgeprobe::diagnose {

/// Answers of a model with every step under `scheme`, except those in `exact`; one of `inputs` for
/// each of `frames`.
Result<Answers> emulated_answers(precision::StepRunner& runner, const layers::ModelFile& model,
                                 std::vector<precision::Values> inputs,
                                 const std::vector<std::uint32_t>& frames, precision::Scheme scheme,
                                 const std::set<std::size_t>& exact, const Control& control);

}  // namespace edgeprobe::diagnose
