// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/result.h"
#include "task/annotation.h"

namespace edgeprobe::dataset {

/// A class for each pixel from a PNG or BMP: the numbers of its palette, or its gray values; 255
/// counts neither way. kUnsupported for pictures with colours.
Result<task::TrueMask> read_mask(const std::filesystem::path& file);

}  // namespace edgeprobe::dataset
