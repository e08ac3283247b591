// SPDX-License-Identifier: Apache-2.0
#include "trace/record/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "core/file.h"
#include "core/text.h"
#include "trace/record/recovery_advice.h"

namespace edgeprobe::trace {
namespace {

constexpr std::uint64_t kReserveFrom = std::uint64_t{8} << 20;  // smaller files need no reservation
constexpr std::uint64_t kLeastStep = std::uint64_t{4} << 20, kMostStep = std::uint64_t{64} << 20;

Error refused(const std::filesystem::path& path, const std::string& why,
              ErrorKind kind = ErrorKind::kUsage) {
  return {kind, "'" + sanitized(path.string()) + "': " + why};
}

Error cannot_create(const std::filesystem::path& path, int code) {
  if (code == EEXIST)
    return refused(
        path,
        "this file exists and is not overwritten; name another file, or remove this one first");
  return refused(path, "cannot create: " + disk_problem(path, code),
                 code == ENOENT ? ErrorKind::kNotFound : disk_error_kind(code, ErrorKind::kUsage));
}

// True if an Output has the file open. The lock is released with its descriptor; on file systems
// without locks, always false.
bool is_being_written(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  const bool locked = ::flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(fd);
  return locked;
}

std::string own_path(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

constexpr const char* kBeingWritten =
    "another recording is writing it at this moment; it is not replaced";

}  // namespace

Result<OutputFile> OutputFile::create(const std::filesystem::path& path, bool replace) {
  if (path.native().find('\0') != std::string::npos)
    return refused(path, "a path cannot hold a NUL byte");
  if (!replace) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return cannot_create(path, errno);
    return OutputFile(fd, path, {}, false);
  }
  return create_hidden(path, true);
}

Result<OutputFile> OutputFile::create_hidden(const std::filesystem::path& path, bool replace) {
  if (path.native().find('\0') != std::string::npos)
    return refused(path, "a path cannot hold a NUL byte");
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0) {
    if (!replace) return cannot_create(path, EEXIST);
    if (S_ISLNK(there.st_mode))
      return refused(path,
                     "it is a symbolic link, and a link is not replaced; name the file itself, or "
                     "another one");
    if (!S_ISREG(there.st_mode))
      return refused(path, "it is not a regular file, so it is not replaced");
    if (is_being_written(path)) return refused(path, kBeingWritten);
  }
  const std::filesystem::path folder =
      path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); fd >= 0) {
    // put_name() will use this path.
    if (::access(own_path(fd).c_str(), F_OK) == 0) return OutputFile(fd, path, {}, replace, true);
    ::close(fd);
  }
  std::string pattern = path.string() + ".XXXXXX";
  const int fd = ::mkostemp(pattern.data(), O_CLOEXEC);  // mode 0600
  if (fd < 0) return cannot_create(path, errno);
  return OutputFile(fd, path, pattern, replace);
}

OutputFile::OutputFile(int fd, std::filesystem::path path, std::filesystem::path temporary,
                       bool replace, bool nameless)
    : fd_(fd),
      path_(std::move(path)),
      temporary_(std::move(temporary)),
      replace_(replace),
      nameless_(nameless) {
  (void)::flock(fd_, LOCK_EX | LOCK_NB);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      replace_(other.replace_),
      nameless_(std::exchange(other.nameless_, false)),
      closed_(other.closed_),
      size_(other.size_),
      reserved_(other.reserved_),
      reserve_most_(other.reserve_most_),
      can_reserve_(other.can_reserve_),
      failed_(other.failed_),
      failed_with_(other.failed_with_),
      fitted_(other.fitted_),
      error_(std::move(other.error_)) {}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status OutputFile::place() {
  if (has_its_name()) return {};
  if (replace_ && is_being_written(path_)) {
    failed_ = true;
    return error_ = refused(path_, kBeingWritten);
  }
  if (nameless_)
    if (auto named = put_name(); !named || has_its_name()) return named;
  if (replace_) {
    if (::rename(temporary_.c_str(), path_.c_str()) != 0)
      return failure("cannot put in place", errno);
  } else if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) !=
             0) {
    // Some file systems cannot rename without overwriting; a hard link never overwrites.
    if (errno == EEXIST || ::link(temporary_.c_str(), path_.c_str()) != 0)
      return failure("cannot put in place", errno);
    ::unlink(temporary_.c_str());
  }
  temporary_.clear();
  return {};
}

// A link never overwrites: a file to be replaced is renamed over, so that its name always refers to
// one of the two.
Status OutputFile::put_name() {
  const std::string self = own_path(fd_);
  std::string name = path_.string();
  int code =
      ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
  for (int tries = 0; replace_ && code == EEXIST && tries < 100; ++tries) {
    static std::atomic<unsigned> count{0};
    name = path_.string() + "." + std::to_string(::getpid()) + "-" + std::to_string(++count);
    code = ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0
                                                                                            : errno;
  }
  if (code) return failure("cannot put in place", code);
  nameless_ = false;
  if (closed_) ::close(std::exchange(fd_, -1));
  if (name == path_.string()) return {};
  temporary_ = name;
  return {};
}

void OutputFile::discard() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  if (!std::exchange(nameless_, false))
    ::unlink(temporary_.empty() ? path_.c_str() : temporary_.c_str());
  temporary_.clear();
}

Error OutputFile::failure(const char* step, int code) {
  failed_ = true;
  std::string why =
      std::string(step) + " at offset " + std::to_string(size_) + ": " + disk_problem(path_, code);
  // Only a file with its name is a usable trace; others are useless before they are complete.
  if (has_its_name() && size_) why += recovery_advice(size_);
  error_ = refused(path_, why, disk_error_kind(code, ErrorKind::kTarget));
  return error_;
}

// Writing is 1.5 times as fast if blocks are reserved in large steps. The size of the file does not
// change, so the reservation is invisible; a file system that cannot do it is tried once. If the
// program is killed, the reservation stays: an eighth of the file.
void OutputFile::reserve_ahead(std::uint64_t end) {
  if (!can_reserve_ || end <= reserved_ || end < kReserveFrom) return;
  const std::uint64_t until =
      std::min(end + std::clamp(end / 8, kLeastStep, kMostStep), reserve_most_);
  if (until <= end) return;
  const std::uint64_t from = std::max(reserved_, size_);
  if (::fallocate(fd_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                  static_cast<off_t>(until - from)) == 0)
    reserved_ = until;
  else can_reserve_ = false;
}

std::pair<std::uint64_t, int> OutputFile::put(const std::vector<ByteView>& parts) {
  std::vector<iovec> left;
  std::uint64_t total = 0, done = 0;
  for (const ByteView part : parts) {
    if (part.empty()) continue;
    left.push_back({const_cast<std::byte*>(part.data), part.size});
    total += part.size;
  }
  for (std::size_t next = 0; done < total;) {
    const ssize_t put =
        ::pwritev(fd_, left.data() + next,
                  static_cast<int>(std::min<std::size_t>(left.size() - next, IOV_MAX)),
                  static_cast<off_t>(size_ + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return {done, put < 0 ? errno : ENOSPC};
    done += static_cast<std::uint64_t>(put);
    std::size_t gone = static_cast<std::size_t>(put);
    while (next < left.size() && gone >= left[next].iov_len) gone -= left[next++].iov_len;
    if (gone) {
      left[next].iov_base = static_cast<char*>(left[next].iov_base) + gone;
      left[next].iov_len -= gone;
    }
  }
  return {done, 0};
}

void OutputFile::cut_back() {
  if (::ftruncate(fd_, static_cast<off_t>(size_)) != 0) {
    // The truncated record stays; without a footer, no reader takes the file for complete.
  }
}

Status OutputFile::append(const std::vector<ByteView>& parts) {
  if (failed_) return error_;
  std::uint64_t total = 0;
  for (const ByteView part : parts) total += part.size;
  reserve_ahead(size_ + total);
  const auto [done, code] = put(parts);
  if (code) {
    cut_back();
    if (code == ENOSPC || code == EDQUOT || code == EFBIG) fitted_ = done;
    failed_with_ = code;
    return failure("cannot write", code);
  }
  size_ += total;
  return {};
}

bool OutputFile::append_what_fits(const std::vector<ByteView>& parts) {
  std::uint64_t total = 0;
  for (const ByteView part : parts) total += part.size;
  if (total > std::exchange(fitted_, 0)) return false;
  if (put(parts).second) {
    cut_back();
    return false;
  }
  size_ += total;
  (void)failure("cannot write", failed_with_);
  return true;
}

Status OutputFile::rewrite(std::uint64_t offset, ByteView bytes) {
  if (failed_) return error_;
  for (std::size_t done = 0; done < bytes.size;) {
    const ssize_t put =
        ::pwrite(fd_, bytes.data + done, bytes.size - done, static_cast<off_t>(offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return failure("cannot rewrite", put < 0 ? errno : ENOSPC);
    done += static_cast<std::size_t>(put);
  }
  return {};
}

Status OutputFile::sync() {
  if (failed_) return error_;
  while (::fdatasync(fd_) != 0) {
    if (errno == EINVAL || errno == ENOSYS) return {};  // the file system does not support this
    if (errno != EINTR) return failure("cannot write", errno);
  }
  return {};
}

Status OutputFile::close() {
  if (fd_ < 0 || closed_) return {};
  const bool cut = reserved_ > size_ && ::ftruncate(fd_, static_cast<off_t>(size_)) != 0;
  const int cut_code = errno;
  closed_ = true;
  if (!nameless_ && ::close(std::exchange(fd_, -1)) != 0 && !failed_)
    return failure("cannot close", errno);
  if (failed_) return error_;
  if (cut) return failure("cannot give back reserved space", cut_code);
  return {};
}

}  // namespace edgeprobe::trace
