// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "core/bytes.h"
#include "core/file.h"
#include "core/result.h"

namespace edgeprobe::model {

/// The bytes of a model file, read into memory or, if large, mapped. Moving the object does not
/// change their address.
class FileBytes {
 public:
  /// Larger files are mapped, so opening one costs neither memory nor time. If another process
  /// truncates a mapped file while it is in use, this process crashes.
  static constexpr std::size_t kMappedAbove = std::size_t{100} << 20;

  FileBytes() = default;
  FileBytes(Bytes bytes) : read_(std::move(bytes)) {}
  FileBytes(FileBytes&&) noexcept = default;
  FileBytes& operator=(FileBytes&&) noexcept = default;

  /// A regular file of at most 2 GB, the limit of both model formats. Fails like read_file().
  static Result<FileBytes> open(const std::filesystem::path& path);

  ByteView view() const { return mapped_ ? mapped_->bytes() : ByteView(read_); }
  operator ByteView() const { return view(); }
  bool is_mapped() const { return mapped_.has_value(); }

 private:
  Bytes read_;
  std::optional<MappedFile> mapped_;
};

}  // namespace edgeprobe::model
