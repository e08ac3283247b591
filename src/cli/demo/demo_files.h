// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// The demo's files as a ZIP archive inside the program: models/signs_*.tflite, their recipe,
/// labels and every fifth test picture.
ByteView demo_archive();

/// Unpacks the archive into an empty or missing folder. kUsage for a folder that is not empty.
Status unpack_demo(const std::filesystem::path& folder);

}  // namespace edgeprobe::cli
