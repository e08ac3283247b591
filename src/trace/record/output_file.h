// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::trace {

/// A new append-only file. Mode 0600. Move-only; the destructor closes it as it is.
class OutputFile {
 public:
  /// Fails with kUsage if `path` exists and `replace` is off, or if it is not a regular file. With
  /// `replace`, the existing file stays until place(); a symbolic link is refused, neither replaced
  /// nor followed. A file that another Output has open, in this process or another, is not
  /// replaced: kUsage.
  static Result<OutputFile> create(const std::filesystem::path& path, bool replace);
  /// The same, but the file has no name until place() (or a temporary one if the file system lacks
  /// nameless files), even without `replace`: for files that are useless before they are complete.
  /// place() then still refuses to overwrite.
  static Result<OutputFile> create_hidden(const std::filesystem::path& path, bool replace);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// Gives a file opened with `replace` its name; until then, the destructor removes it.
  Status place();
  /// Appends the parts in order. After a failure the file holds only its contents from before this
  /// call, and every further call fails with the same error.
  Status append(const std::vector<ByteView>& parts);
  /// Bytes of the failed append that the disk took, if it failed because the disk is full; else 0.
  std::uint64_t fitted() const { return fitted_; }
  /// Call once after such a failure: appends `parts`, at most fitted() bytes. The failure remains;
  /// true if they are in the file.
  bool append_what_fits(const std::vector<ByteView>& parts);
  /// Disk space is reserved ahead; for a file of at most `bytes` bytes, never beyond them.
  void reserve_at_most(std::uint64_t bytes) { reserve_most_ = bytes; }
  const Error& error() const { return error_; }
  const std::filesystem::path& path() const { return path_; }
  /// Overwrites bytes that were appended before.
  Status rewrite(std::uint64_t offset, ByteView bytes);
  std::uint64_t size() const { return size_; }
  /// Waits until appended bytes are on the disk, not only in its cache.
  Status sync();
  /// Releases reserved space and closes the file.
  Status close();
  /// Removes the file; for failures before it holds anything useful.
  void discard();

 private:
  OutputFile(int fd, std::filesystem::path path, std::filesystem::path temporary, bool replace,
             bool nameless = false);
  bool has_its_name() const { return temporary_.empty() && !nameless_; }
  Status put_name();
  void reserve_ahead(std::uint64_t end);
  Error failure(const char* step, int code);
  /// Bytes written after the file's end, and errno if they are fewer than the parts.
  std::pair<std::uint64_t, int> put(const std::vector<ByteView>& parts);
  void cut_back();

  int fd_ = -1;
  std::filesystem::path path_, temporary_;  ///< temporary_ is empty once the file has its name.
  bool replace_ = false;
  bool nameless_ = false;  ///< Disappears if the program is killed.
  /// A nameless file exists only through its descriptor, so it is closed after it gets its name.
  bool closed_ = false;
  std::uint64_t size_ = 0;
  std::uint64_t reserved_ = 0, reserve_most_ = ~std::uint64_t{0};
  bool can_reserve_ = true;
  bool failed_ = false;
  int failed_with_ = 0;
  std::uint64_t fitted_ = 0;
  Error error_;
};

}  // namespace edgeprobe::trace
