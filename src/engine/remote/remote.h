// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/result.h"
#include "engine/engine.h"

namespace edgeprobe::engine {

/// The engine of another machine, run by 'edgeprobe serve' at choice.address. Its sessions survive
/// a lost connection: they reconnect and load again, except those whose model keeps a state from
/// one inference to the next, which would be lost silently.
Result<std::unique_ptr<Engine>> open_remote(const EngineChoice& choice);

}  // namespace edgeprobe::engine
