// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/result.h"
#include "engine/engine.h"
#include "engine/target.h"

namespace edgeprobe::engine {

/// The engine behind a foreign server. Which one it is, is not told: its identity has the kind that
/// reads the models of `choice`. Options of engines do not travel; those that would change what is
/// computed are refused. A session is a DeviceTimes.
Result<std::unique_ptr<Engine>> open_kenning(const EngineChoice& choice, const TargetUri& target);

}  // namespace edgeprobe::engine
