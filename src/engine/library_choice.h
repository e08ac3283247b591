// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/result.h"
#include "engine/engine.h"

namespace edgeprobe::engine {

/// The library file that a choice means: the one it names, or the first default that exists.
/// kNotFound says what to install.
Result<std::filesystem::path> library_of(const EngineChoice& choice);

}  // namespace edgeprobe::engine
