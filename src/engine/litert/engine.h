// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"

namespace edgeprobe::engine::litert {

/// Opens a libLiteRt.so. kUnsupported if it is another library or a version that edgeprobe cannot
/// use.
Result<std::unique_ptr<Engine>> open(const std::filesystem::path& library);

}  // namespace edgeprobe::engine::litert
