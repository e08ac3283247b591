// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/bytes.h"
#include "core/result.h"

/// External data of an ONNX model.
namespace edgeprobe::model::onnx {

/// The size of the file `location` (a path relative to the model's folder). kUnsupported if the
/// path is absolute, contains "..", or leads out of the folder through a link; kNotFound if the
/// file does not exist; kUsage if it is not a regular file.
Result<std::size_t> external_size(const std::filesystem::path& folder, std::string_view location);

/// `size` bytes from `offset`; fails like external_size(), and with kCorrupt if the file has fewer.
Result<Bytes> read_external(const std::filesystem::path& folder, std::string_view location,
                            std::size_t offset, std::size_t size);

/// The hash of the whole file; fails like external_size().
Result<std::string> external_sha256(const std::filesystem::path& folder, std::string_view location);

}  // namespace edgeprobe::model::onnx
