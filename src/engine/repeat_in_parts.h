// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "engine/engine.h"

namespace edgeprobe::engine {

/// Duration of one part: the interval between checks for a stop by the user.
inline constexpr std::chrono::milliseconds kRepeatPart{250};

/// Implements Session::repeat() for an engine in another process: requests parts of kRepeatPart and
/// joins them. `run` processes one part and returns at least one iteration, or an error.
Result<Iterations> repeat_in_parts(
    const RepeatOptions& options, const Control& control,
    const std::function<Result<Iterations>(const RepeatOptions&)>& run);

}  // namespace edgeprobe::engine
