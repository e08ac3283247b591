// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace edgeprobe::trace {

/// The end of a sentence about a recording that failed: what is kept of it, and how to make a
/// finished trace of that.
std::string recovery_advice(std::uint64_t bytes);
/// `what` without such an end, for a trace that goes with its folder.
std::string without_recovery_advice(std::string what);

}  // namespace edgeprobe::trace
