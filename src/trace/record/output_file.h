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

/// A new file that is only appended to. Mode 0600. Move-only; the destructor closes it as it is.
class OutputFile {
 public:
  /// Fails with kUsage when something is at `path` and `replace` is off, or when it is no regular
  /// file. With `replace`, what is there stays until place(); a symbolic link is refused, neither
  /// replaced nor followed. A file that another Output is open on, in this process or any other, is
  /// not replaced: kUsage.
  static Result<OutputFile> create(const std::filesystem::path& path, bool replace);
  /// The same, but the file has no name until place(), or a temporary one where the file system has
  /// no files without, also without `replace`: for files that are of no use before they are whole.
  /// place() then still refuses to overwrite.
  static Result<OutputFile> create_hidden(const std::filesystem::path& path, bool replace);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// Puts a file opened with `replace` at its name; until then, the destructor removes it.
  Status place();
  /// Appends the parts in order. After a failure the file holds only what was there before this
  /// call, and every further call fails with the same error.
  Status append(const std::vector<ByteView>& parts);
  /// How many bytes of the append that failed the disk had taken, when it failed for want of room;
  /// else 0.
  std::uint64_t fitted() const { return fitted_; }
  /// Once after such a failure: appends `parts`, at most fitted() bytes. The failure stays; true
  /// when they are in the file.
  bool append_what_fits(const std::vector<ByteView>& parts);
  /// Disk space is reserved ahead of what is appended; of a file that will have at most so many
  /// bytes none beyond them.
  void reserve_at_most(std::uint64_t bytes) { reserve_most_ = bytes; }
  const Error& error() const { return error_; }
  const std::filesystem::path& path() const { return path_; }
  /// Overwrites bytes that were appended before.
  Status rewrite(std::uint64_t offset, ByteView bytes);
  std::uint64_t size() const { return size_; }
  /// Waits until what was appended is on the disk, not only in its cache.
  Status sync();
  /// Gives back what was reserved ahead, and closes.
  Status close();
  /// Removes the file; for a failure before anything useful was in it.
  void discard();

 private:
  OutputFile(int fd, std::filesystem::path path, std::filesystem::path temporary, bool replace,
             bool nameless = false);
  bool has_its_name() const { return temporary_.empty() && !nameless_; }
  Status put_name();
  void reserve_ahead(std::uint64_t end);
  Error failure(const char* step, int code);
  /// Bytes written behind the file's end, and errno where they are fewer than the parts have.
  std::pair<std::uint64_t, int> put(const std::vector<ByteView>& parts);
  void cut_back();

  int fd_ = -1;
  std::filesystem::path path_, temporary_;  ///< temporary_ is empty once the file has its name.
  bool replace_ = false;
  bool nameless_ = false;  ///< Nothing stays of it when the program is killed.
  /// Its descriptor is all that a file without a name has: it is closed when it has one.
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
