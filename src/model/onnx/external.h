// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/bytes.h"
#include "core/result.h"

/// Values that an ONNX model keeps in files beside its own.
namespace edgeprobe::model::onnx {

/// The size of the file `location` (a path relative to the model's folder). kUnsupported when the
/// path is absolute, has a "..", or leads out of the folder through a link; kNotFound when there is
/// no such file; kUsage when it is no regular file.
Result<std::size_t> external_size(const std::filesystem::path& folder, std::string_view location);

/// `size` bytes from `offset`; as external_size(), and kCorrupt when the file has fewer.
Result<Bytes> read_external(const std::filesystem::path& folder, std::string_view location,
                            std::size_t offset, std::size_t size);

/// The hash of the whole file; as external_size().
Result<std::string> external_sha256(const std::filesystem::path& folder, std::string_view location);

}  // namespace edgeprobe::model::onnx
