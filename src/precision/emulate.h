// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/control.h"
#include "precision/steps.h"

namespace edgeprobe::precision {

/// Numeric outputs of each frame, in the order of Graph::outputs, with every step under `scheme`.
/// kUnsupported for an output that no step makes.
Result<std::vector<std::vector<Tensor>>> emulate(StepRunner& runner, const layers::ModelFile& model,
                                                 std::vector<Values> inputs, Scheme scheme,
                                                 const Control& control);

/// Steps whose float32 inputs and outputs were recorded, and how many of them lie, root mean
/// square, no farther from their float32 results on the recorded inputs than three times what the
/// scheme moves these by, and one unit in the last place. Values that are not finite are the same
/// ones for 99 of 100.
struct Fit {
  std::size_t steps = 0, explained = 0;
};
Result<Fit> fit(StepRunner& runner, const std::vector<Values>& recorded, Scheme scheme,
                const Control& control);

}  // namespace edgeprobe::precision
