// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/engine.h"
#include "engine/litert/api.h"

namespace edgeprobe::engine::litert {

/// Turns the runtime's profiler events into operator times, in microseconds. `op_count` is the
/// number of operators of the main graph.
std::vector<OpTime> op_times(const std::vector<ProfilerEvent>& events, int op_count);

}  // namespace edgeprobe::engine::litert
