// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/result.h"
#include "engine/engine.h"

namespace edgeprobe::engine {

/// The engine of another machine, run by 'edgeprobe serve' at choice.address. After a lost
/// connection, its sessions reconnect and load their model again. A session whose model keeps a
/// state from one inference to the next fails instead, because the state would be lost silently.
Result<std::unique_ptr<Engine>> open_remote(const EngineChoice& choice);

}  // namespace edgeprobe::engine
