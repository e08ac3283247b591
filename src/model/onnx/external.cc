// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/external.h"

#include <algorithm>
#include <string>

#include "core/file.h"
#include "core/text.h"

namespace edgeprobe::model::onnx {
namespace {

namespace fs = std::filesystem;

std::string in_another_file(std::string_view location) {
  return "values in another file, '" + sanitized(location) + "'";
}

// The file's real path, with every link resolved, after checking that it is inside the folder.
Result<fs::path> locate(const fs::path& folder, std::string_view location) {
  const fs::path relative(location);
  const auto outside = [&](const char* how) {
    return Error{ErrorKind::kUnsupported, in_another_file(location) + ": the path " + how +
                                              "; only files inside of the model's folder are read"};
  };
  if (location.empty() || location.find('\0') != std::string_view::npos)
    return outside("is empty or contains a NUL byte");
  if (relative.is_absolute()) return outside("is absolute");
  if (std::find(relative.begin(), relative.end(), "..") != relative.end())
    return outside("goes up with '..'");
  std::error_code failure;
  const fs::path home = fs::canonical(folder, failure);
  if (failure)
    return Error{ErrorKind::kNotFound,
                 in_another_file(location) + ": the model's folder: " + failure.message()};
  const fs::path real = fs::canonical(home / relative, failure);
  if (failure)
    return Error{ErrorKind::kNotFound, in_another_file(location) + ": " + failure.message()};
  const auto [in_home, in_real] = std::mismatch(home.begin(), home.end(), real.begin(), real.end());
  if (in_home != home.end()) return outside("leads out of it through a link");
  return real;
}

}  // namespace

Result<std::size_t> external_size(const fs::path& folder, std::string_view location) {
  EP_TRY(const auto path, locate(folder, location));
  std::error_code failure;
  if (!fs::is_regular_file(path, failure))
    return Error{ErrorKind::kUsage, in_another_file(location) + ": it is not a regular file"};
  const auto size = fs::file_size(path, failure);
  if (failure)
    return Error{ErrorKind::kUsage, in_another_file(location) + ": " + failure.message()};
  return static_cast<std::size_t>(size);
}

Result<Bytes> read_external(const fs::path& folder, std::string_view location, std::size_t offset,
                            std::size_t size) {
  EP_TRY(const auto path, locate(folder, location));
  EP_TRY(const auto mapped, MappedFile::open(path));
  const ByteView bytes = mapped.bytes();
  if (offset > bytes.size || size > bytes.size - offset)
    return Error{ErrorKind::kCorrupt, in_another_file(location) + ": " + std::to_string(size) +
                                          " bytes at offset " + std::to_string(offset) +
                                          " pass its end (" + std::to_string(bytes.size) +
                                          " bytes)"};
  return bytes.sub(offset, size).copy();
}

Result<std::string> external_sha256(const fs::path& folder, std::string_view location) {
  EP_TRY(const auto path, locate(folder, location));
  EP_TRY(const auto mapped, MappedFile::open(path));
  return sha256(mapped.bytes());
}

}  // namespace edgeprobe::model::onnx
