// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/result.h"

namespace edgeprobe::engine {

/// kUsage for a plug-in's name that cannot stand in traces, and for that of a built-in engine.
Status check_plugin_name(const std::string& name, const std::filesystem::path& plugin);

}  // namespace edgeprobe::engine
