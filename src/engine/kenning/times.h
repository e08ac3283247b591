// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "core/bytes.h"

namespace edgeprobe::engine::kenning {

/// The engine's time for each inference, oldest first, from the answer to STATS; empty if the
/// server does not report it (0.0.2 and later do not). The list covers all clients of the server.
std::vector<std::chrono::nanoseconds> inference_times(ByteView statistics);

}  // namespace edgeprobe::engine::kenning
