#include "trace/output.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "core/text.h"

namespace edgeprobe::trace {
namespace {

constexpr std::uint64_t kReserveFrom = std::uint64_t{8} << 20;  // small files need no reservation
constexpr std::uint64_t kLeastStep = std::uint64_t{4} << 20, kMostStep = std::uint64_t{64} << 20;

Error refused(const std::filesystem::path& path, const std::string& why, Fault fault = Fault::kUsage) {
  return {fault, "'" + printable(path.string()) + "': " + why};
}

// Where the file system of `path` is mounted.
std::filesystem::path mount_point(const std::filesystem::path& path) {
  std::error_code failure;
  std::filesystem::path at = std::filesystem::absolute(path, failure).parent_path();
  struct stat own {}, above {};
  if (failure || ::stat(at.c_str(), &own) != 0) return path.parent_path();
  while (at.has_relative_path() && ::stat(at.parent_path().c_str(), &above) == 0 && above.st_dev == own.st_dev) at = at.parent_path();
  return at;
}

// What happened, on which disk, and what to do about it.
std::string reason(const std::filesystem::path& path, int code) {
  const std::filesystem::path mount = mount_point(path);
  const std::string disk = "the disk at '" + printable(mount.string()) + "'";
  switch (code) {
    case ENOSPC: {
      struct statvfs space {};
      std::string size;
      if (::statvfs(mount.c_str(), &space) == 0)
        size = " (" + bytes_text(static_cast<double>(space.f_blocks) * static_cast<double>(space.f_frsize)) + " in all, " +
               bytes_text(static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize)) + " free" +
               (space.f_files && space.f_favail == 0 ? ", no more files" : "") + ")";
      return disk + " is full" + size + "; free some space, or write to another disk";
    }
    case EDQUOT: return "your quota on " + disk + " is used up; free some of it, or write to another disk";
    case EFBIG: return "the file would be larger than its file system or 'ulimit -f' allows; write less, or raise the limit";
    case EROFS: return disk + " is mounted read-only; write to another one";
    case EIO: return disk + " reports an input/output error; it may be failing, write to another one";
    default: return std::strerror(code);
  }
}

Fault fault_of(int code, Fault otherwise) {
  if (code == ENOSPC || code == EDQUOT || code == EFBIG) return Fault::kLimit;
  return code == EROFS || code == EIO ? Fault::kTarget : otherwise;
}

Error cannot_create(const std::filesystem::path& path, int code) {
  if (code == EEXIST) return refused(path, "something is there already and is not overwritten; name another file, or remove that one first");
  return refused(path, "cannot create: " + reason(path, code), code == ENOENT ? Fault::kNotFound : fault_of(code, Fault::kUsage));
}

// Whether an Output is open on the file. Its lock goes with its descriptor; where there are no locks, nobody is.
bool is_being_written(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  const bool locked = ::flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(fd);
  return locked;
}

constexpr const char* kBeingWritten = "another recording is writing it at this moment; it is not replaced";

}  // namespace

Result<Output> Output::create(const std::filesystem::path& path, bool replace) {
  if (path.native().find('\0') != std::string::npos) return refused(path, "a path cannot hold a NUL byte");
  if (!replace) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return cannot_create(path, errno);
    return Output(fd, path, {}, false);
  }
  return create_hidden(path, true);
}

Result<Output> Output::create_hidden(const std::filesystem::path& path, bool replace) {
  if (path.native().find('\0') != std::string::npos) return refused(path, "a path cannot hold a NUL byte");
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0) {
    if (!replace) return cannot_create(path, EEXIST);
    if (!S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode))
      return refused(path, "it is neither a regular file nor a link; it is not replaced");
    if (is_being_written(path)) return refused(path, kBeingWritten);
  }
  std::string pattern = path.string() + ".XXXXXX";
  const int fd = ::mkostemp(pattern.data(), O_CLOEXEC);  // mode 0600
  if (fd < 0) return cannot_create(path, errno);
  return Output(fd, path, pattern, replace);
}

Output::Output(int fd, std::filesystem::path path, std::filesystem::path temporary, bool replace)
    : fd_(fd), path_(std::move(path)), temporary_(std::move(temporary)), replace_(replace) {
  (void)::flock(fd_, LOCK_EX | LOCK_NB);
}

Output::Output(Output&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      replace_(other.replace_),
      size_(other.size_),
      reserved_(other.reserved_),
      reserve_most_(other.reserve_most_),
      can_reserve_(other.can_reserve_),
      failed_(other.failed_),
      failed_with_(other.failed_with_),
      fitted_(other.fitted_),
      error_(std::move(other.error_)) {}

Output::~Output() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status Output::place() {
  if (temporary_.empty()) return {};
  if (replace_) {
    if (is_being_written(path_)) {
      failed_ = true;
      return error_ = refused(path_, kBeingWritten);
    }
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) return failure("cannot put in place", errno);
  } else if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) != 0) {
    // Some file systems cannot rename without overwriting; a hard link never overwrites.
    if (errno == EEXIST || ::link(temporary_.c_str(), path_.c_str()) != 0) return failure("cannot put in place", errno);
    ::unlink(temporary_.c_str());
  }
  temporary_.clear();
  return {};
}

void Output::discard() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  ::unlink(temporary_.empty() ? path_.c_str() : temporary_.c_str());
  temporary_.clear();
}

Error Output::failure(const char* step, int code) {
  failed_ = true;
  std::string why = std::string(step) + " at offset " + std::to_string(size_) + ": " + reason(path_, code);
  // A file that has its name is a trace: the others are of no use before they are whole.
  if (temporary_.empty() && size_)
    why += ". The first " + bytes_text(static_cast<double>(size_)) + " are kept; 'edgeprobe trace recover' makes a finished trace of them";
  error_ = refused(path_, why, fault_of(code, Fault::kTarget));
  return error_;
}

// Blocks that are reserved in large steps are written half as fast again. The size of the file does not
// change, so nobody sees the reservation; a file system that cannot do it is asked once. A killed program cannot give it back:
// it is an eighth of the file.
void Output::reserve_ahead(std::uint64_t end) {
  if (!can_reserve_ || end <= reserved_ || end < kReserveFrom) return;
  const std::uint64_t until = std::min(end + std::clamp(end / 8, kLeastStep, kMostStep), reserve_most_);
  if (until <= end) return;
  const std::uint64_t from = std::max(reserved_, size_);
  if (::fallocate(fd_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from), static_cast<off_t>(until - from)) == 0)
    reserved_ = until;
  else
    can_reserve_ = false;
}

std::pair<std::uint64_t, int> Output::put(const std::vector<ByteView>& parts) {
  std::vector<iovec> left;
  std::uint64_t total = 0, done = 0;
  for (const ByteView part : parts) {
    if (part.empty()) continue;
    left.push_back({const_cast<std::byte*>(part.data), part.size});
    total += part.size;
  }
  for (std::size_t next = 0; done < total;) {
    const ssize_t put = ::pwritev(fd_, left.data() + next, static_cast<int>(std::min<std::size_t>(left.size() - next, IOV_MAX)),
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

void Output::cut_back() {
  if (::ftruncate(fd_, static_cast<off_t>(size_)) != 0) {
    // The cut record stays; without a footer behind it no reader takes the file for whole.
  }
}

Status Output::append(const std::vector<ByteView>& parts) {
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

bool Output::append_what_fits(const std::vector<ByteView>& parts) {
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

Status Output::rewrite(std::uint64_t offset, ByteView bytes) {
  if (failed_) return error_;
  for (std::size_t done = 0; done < bytes.size;) {
    const ssize_t put = ::pwrite(fd_, bytes.data + done, bytes.size - done, static_cast<off_t>(offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return failure("cannot rewrite", put < 0 ? errno : ENOSPC);
    done += static_cast<std::size_t>(put);
  }
  return {};
}

Status Output::sync() {
  if (failed_) return error_;
  while (::fdatasync(fd_) != 0) {
    if (errno == EINVAL || errno == ENOSYS) return {};  // a file system without
    if (errno != EINTR) return failure("cannot write", errno);
  }
  return {};
}

Status Output::close() {
  if (fd_ < 0) return {};
  const bool cut = reserved_ > size_ && ::ftruncate(fd_, static_cast<off_t>(size_)) != 0;
  const int cut_code = errno;
  if (::close(std::exchange(fd_, -1)) != 0 && !failed_) return failure("cannot close", errno);
  if (failed_) return error_;
  if (cut) return failure("cannot give back reserved space", cut_code);
  return {};
}

}  // namespace edgeprobe::trace
