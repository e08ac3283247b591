// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "engine/engine.h"

namespace edgeprobe::engine {

/// Time of one part: what lies between two looks at the user's wish to stop.
inline constexpr std::chrono::milliseconds kRepeatPart{250};

/// Session::repeat() of an engine in another process: asked for in parts of kRepeatPart, put
/// together. `run` works off one part and gives at least one iteration, or an error.
Result<Iterations> repeat_in_parts(
    const RepeatOptions& options, const Control& control,
    const std::function<Result<Iterations>(const RepeatOptions&)>& run);

}  // namespace edgeprobe::engine
