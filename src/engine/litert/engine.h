// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"

namespace edgeprobe::engine::litert {

/// Opens a libLiteRt.so. kUnsupported when it is none, or when its hash is not that of a version
/// that was tried and `force_version` is not set.
Result<std::unique_ptr<Engine>> open(const std::filesystem::path& library, bool force_version);

}  // namespace edgeprobe::engine::litert
