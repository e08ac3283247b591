// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/result.h"
#include "engine/engine.h"
#include "engine/target.h"

namespace edgeprobe::engine {

/// The engine of a foreign server. The server does not name it, so its identity has the kind that
/// reads the models of `choice`. Engine options cannot be sent; those that would change results are
/// refused. A session is a DeviceTimes.
Result<std::unique_ptr<Engine>> open_kenning(const EngineChoice& choice, const TargetUri& target);

}  // namespace edgeprobe::engine
