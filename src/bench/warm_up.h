// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/plan.h"
#include "core/control.h"
#include "core/result.h"
#include "engine/engine.h"

namespace edgeprobe::bench {

/// Runs until the median of three windows in a row lies within 2 %; a window is as many runs as
/// fill 0.1 s, at least 5.
Result<WarmUp> warm_up(engine::Session& session, const Inputs& inputs, double limit_s,
                       const Control& control);

}  // namespace edgeprobe::bench
