// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <vector>

#include "core/control.h"
#include "precision/steps.h"

namespace edgeprobe::precision {

/// Numeric outputs of each frame, in the order of Graph::outputs, with every step under `scheme`
/// but those in `exact`, which are computed in float32. kUnsupported for an output that no step
/// makes.
Result<std::vector<std::vector<Tensor>>> emulate(StepRunner& runner, const layers::ModelFile& model,
                                                 std::vector<Values> inputs, Scheme scheme,
                                                 const std::set<std::size_t>& exact,
                                                 const Control& control);

}  // namespace edgeprobe::precision
