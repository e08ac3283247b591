// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace edgeprobe::trace {

/// The end of a sentence about a failed recording: what remains of it, and how to make a finished
/// trace from it.
std::string recovery_advice(std::uint64_t bytes);
/// `what` without this ending, for a trace that is removed with its folder.
std::string without_recovery_advice(std::string what);

}  // namespace edgeprobe::trace
