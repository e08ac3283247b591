// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "core/bytes.h"
#include "core/file.h"
#include "core/result.h"

namespace edgeprobe::model {

/// The bytes of a model file: read into memory, or mapped when there are many. They stay where they
/// are when the object is moved.
class FileBytes {
 public:
  /// Files above this size are mapped, so that opening one costs no memory and no time. A mapped
  /// file that somebody else cuts short while it is in use ends the process.
  static constexpr std::size_t kMappedAbove = std::size_t{100} << 20;

  FileBytes() = default;
  FileBytes(Bytes bytes) : read_(std::move(bytes)) {}
  FileBytes(FileBytes&&) noexcept = default;
  FileBytes& operator=(FileBytes&&) noexcept = default;

  /// A regular file of at most 2 GB, the limit of both model formats. Fails as read_file() does.
  static Result<FileBytes> open(const std::filesystem::path& path);

  ByteView view() const { return mapped_ ? mapped_->bytes() : ByteView(read_); }
  operator ByteView() const { return view(); }
  bool is_mapped() const { return mapped_.has_value(); }

 private:
  Bytes read_;
  std::optional<MappedFile> mapped_;
};

}  // namespace edgeprobe::model
