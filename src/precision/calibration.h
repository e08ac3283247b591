// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/control.h"
#include "precision/steps.h"

namespace edgeprobe::precision {

/// The ranges of all tensors over these frames, in float32.
Result<Ranges> ranges_of(StepRunner& runner, std::vector<Values> frames, RangeRule rule,
                         const Control& control);

}  // namespace edgeprobe::precision
