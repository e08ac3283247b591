// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "core/bytes.h"

namespace edgeprobe::engine::kenning {

/// What the engine took for each inference, oldest first, in the answer to STATS; empty where the
/// server does not say (those of 0.0.2 and later do not). A server counts for all its clients.
std::vector<std::chrono::nanoseconds> inference_times(ByteView statistics);

}  // namespace edgeprobe::engine::kenning
