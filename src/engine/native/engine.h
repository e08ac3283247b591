// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "core/result.h"
#include "engine/engine.h"

/// Engines that are shared libraries of the user's own, with the C ABI of edgeprobe_plugin.h.
namespace edgeprobe::engine::native {

/// Opens "LIBRARY?OPTION=VALUE&…" in this process. Fails like SharedLibrary::open(), and with
/// kUsage for a library without this version of the ABI, and for options that it lacks.
Result<std::unique_ptr<Engine>> open(const std::filesystem::path& plugin);

}  // namespace edgeprobe::engine::native
