// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/dtype.h"
#include "core/result.h"
#include "engine/openvino/plugin/plugin_abi.h"
#include "engine/shared_library.h"

namespace edgeprobe::engine::openvino {

/// libopenvino.so.* itself, or the one in a folder: of a wheel, an installation, or the folder that
/// contains it. kNotFound names the places.
Result<std::filesystem::path> find_library(const std::filesystem::path& given);

/// An OpenVINO library and edgeprobe's plug-in for it.
struct Runtime {
  SharedLibrary library;
  SharedLibrary plugin;
  const EpOvTable* table;
  EpOvCore* core;
  /// The library's version without its branch name: "2026.4.1-22982".
  std::string version;

  Runtime(SharedLibrary opened, SharedLibrary own, const EpOvTable* bound, EpOvCore* started,
          std::string says);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime() { table->close(core); }
};

/// Opens the library and the plug-in. kUnsupported: not OpenVINO, or no plug-in for it.
Result<std::shared_ptr<Runtime>> open_runtime(const std::filesystem::path& library);

/// Why OpenVINO refused something, without the positions in its sources.
std::string reason(const char* message);

/// The element type with this OpenVINO name ("f32", "u8", "boolean"); kOther for types that
/// edgeprobe neither feeds nor records ("string", "u4", "nf4", …).
DType dtype_of(std::string_view type);

}  // namespace edgeprobe::engine::openvino
