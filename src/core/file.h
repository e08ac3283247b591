// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe {

/// Reads a whole regular file of at most `limit` bytes.
/// Fails with kNotFound, kLimit, or kCorrupt (a folder, a device, a file that shrinks meanwhile).
Result<Bytes> read_file(const std::filesystem::path& path,
                        std::size_t limit = std::size_t{1} << 31);

/// Writes the whole file or nothing: a temporary file (mode 0600) next to it, then a rename.
/// Replaces only regular files; see check_writable() for the rest.
Status write_file(const std::filesystem::path& path, ByteView bytes);

/// A file mapped read-only. Reading it after someone else truncated it raises SIGBUS, so callers
/// check sizes first and use files that only they write to.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);
  /// A "file" that consists of these bytes in memory.
  static MappedFile holding(Bytes bytes);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  ByteView bytes() const { return {data_, size_}; }
  /// Tells the kernel that [offset, offset + length) is not needed for now (whole 2 MiB blocks
  /// only).
  void release(std::size_t offset, std::size_t length) const;

 private:
  MappedFile(const std::byte* data, std::size_t size) : data_(data), size_(size) {}
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  Bytes own_;  ///< Used instead of a map; empty if there is one.
};

/// SHA-256 (FIPS 180-4) as 64 lower-case hex digits.
std::string sha256(ByteView bytes);
/// SHA-256 of a whole file. Pages are released as they are hashed, so that they do not count in
/// this process's peak memory.
std::string sha256(const MappedFile& file);

/// Fails if write_file() may not write to `path`. Allowed: a new or regular file, what is already
/// stdout or stderr, a pipe with a reader, a character device (written through). Refused: a link to
/// a regular file or to nothing, a folder, a disk. Call it before long work.
Status check_writable(const std::filesystem::path& path);

/// Explains an errno of writing to `path`: what happened, on which disk, and what to do about it.
std::string disk_problem(const std::filesystem::path& path, int code);
/// kLimit if the disk is full, kTarget if it cannot be written, else `otherwise`.
ErrorKind disk_error_kind(int code, ErrorKind otherwise);

}  // namespace edgeprobe
