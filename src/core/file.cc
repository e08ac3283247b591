// SPDX-License-Identifier: Apache-2.0
#include "core/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "core/descriptor.h"
#include "core/text.h"

namespace edgeprobe {
namespace {

Error from_errno(const std::filesystem::path& path, const char* step) {
  const int code = errno;
  // A lack of resources is not the fault of the request.
  const bool machine = code == ENOMEM || code == EMFILE || code == ENFILE;
  return {code == ENOENT || code == ENOTDIR ? ErrorKind::kNotFound
          : machine                         ? ErrorKind::kLimit
                                            : disk_error_kind(code, ErrorKind::kUsage),
          "'" + sanitized(path.string()) + "': " + step + ": " + std::strerror(code)};
}

Result<std::size_t> regular_size(int fd, const std::filesystem::path& path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return from_errno(path, "cannot read its size");
  if (!S_ISREG(info.st_mode))
    return Error{ErrorKind::kUsage, "'" + sanitized(path.string()) + "' is not a regular file"};
  // The limit of a 32-bit program.
  if (static_cast<std::uintmax_t>(info.st_size) > std::numeric_limits<std::size_t>::max() / 2)
    return Error{ErrorKind::kLimit,
                 "'" + sanitized(path.string()) + "' has " + std::to_string(info.st_size) +
                     " bytes, more than this machine can hold in its address space"};
  return static_cast<std::size_t>(info.st_size);
}

}  // namespace

Result<Bytes> read_file(const std::filesystem::path& path, std::size_t limit) {
  // O_NONBLOCK: opening a pipe by mistake must not hang.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return from_errno(path, "cannot open");
  EP_TRY(const auto size, regular_size(file.get(), path));
  if (size > limit)
    return Error{ErrorKind::kLimit, "'" + sanitized(path.string()) + "' has " +
                                        std::to_string(size) + " bytes, at most " +
                                        std::to_string(limit) + " are read"};
  Bytes bytes(size);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return from_errno(path, "cannot read");
    if (got == 0)
      return Error{ErrorKind::kCorrupt,
                   "'" + sanitized(path.string()) + "' became shorter while it was read"};
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return from_errno(path, "cannot open");
  EP_TRY(const auto size, regular_size(file.get(), path));
  if (size == 0) return MappedFile(nullptr, 0);
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) return from_errno(path, "cannot map");
  return MappedFile(static_cast<const std::byte*>(data), size);
}

MappedFile MappedFile::holding(Bytes bytes) {
  MappedFile file(bytes.data(), bytes.size());
  file.own_ = std::move(bytes);
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      own_(std::exchange(other.own_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  own_.swap(other.own_);
  return *this;
}

MappedFile::~MappedFile() {
  if (size_ && own_.empty()) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::release(std::size_t offset, std::size_t length) const {
  if (!own_.empty()) return;
  // Page tables are made 2 MiB at a time; splitting such a block costs more than it frees.
  constexpr std::size_t kBlock = std::size_t{2} << 20;
  const std::size_t first = (offset + kBlock - 1) / kBlock * kBlock;
  const std::size_t last = (offset + length) / kBlock * kBlock;
  if (first < last && last <= size_)
    ::madvise(const_cast<std::byte*>(data_ + first), last - first, MADV_DONTNEED);
}

}  // namespace edgeprobe
