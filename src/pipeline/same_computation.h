// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pipeline/spec.h"

namespace edgeprobe::pipeline {

/// True if both run one model file on one engine with equal settings and no state, so that the same
/// model input gives the same outputs, unless the engine is not deterministic. How they make the
/// input does not count.
bool are_same_computation(const Pipeline& a, const Pipeline& b);

}  // namespace edgeprobe::pipeline
