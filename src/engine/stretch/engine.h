// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "core/result.h"
#include "engine/engine.h"

namespace edgeprobe::engine::stretch {

/// Reads a plan (docs/reference/plan.md) and opens every engine that it names in this process.
/// kUsage if it is not a plan, and for CPUs that this process does not have.
Result<std::unique_ptr<Engine>> open(const std::filesystem::path& plan);

}  // namespace edgeprobe::engine::stretch
