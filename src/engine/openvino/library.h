// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/result.h"
#include "engine/native/library.h"

namespace edgeprobe::engine::openvino {

/// libopenvino.so.* itself, or the one in a folder: of a wheel, an installation, or the folder that
/// contains it. kNotFound names the places.
Result<std::filesystem::path> find_library(const std::filesystem::path& given);

/// Opens an OpenVINO library, then edgeprobe's plug-in, which takes that one. kUnsupported: not
/// OpenVINO, or no plug-in for it.
Result<native::Library> open_plugin(const std::filesystem::path& library);

}  // namespace edgeprobe::engine::openvino
