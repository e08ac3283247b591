// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/load.h"
#include "bench/plan.h"
#include "core/control.h"

namespace edgeprobe::bench {

/// Times each kernel with a second session that records them, in blocks that take turns with blocks
/// of the plain `session` (who goes first changes): the same minutes of the machine for both, so
/// that their ratio is what recording costs.
Result<Profile> profiled(const Model& model, const engine::SessionOptions& options,
                         engine::Session& plain, const Inputs& inputs, const Plan& plan,
                         const Control& control);

}  // namespace edgeprobe::bench
