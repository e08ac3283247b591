// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/result.h"
#include "engine/engine.h"

namespace edgeprobe::engine {

/// The engine of another machine, behind 'edgeprobe serve'; choice.address says where. Its sessions
/// outlive a connection that was cut: they connect again and load again, except those whose model
/// keeps a state from one inference to the next, which would be lost unseen.
Result<std::unique_ptr<Engine>> open_remote(const EngineChoice& choice);

}  // namespace edgeprobe::engine
