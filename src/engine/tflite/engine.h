// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"

namespace edgeprobe::engine::tflite {

/// Opens a library. kUnsupported if it lacks the TFLite C interface.
Result<std::unique_ptr<Engine>> open(const std::filesystem::path& library);

}  // namespace edgeprobe::engine::tflite
