// SPDX-License-Identifier: Apache-2.0
#include "core/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "core/descriptor.h"
#include "core/text.h"

namespace edgeprobe {
namespace {

namespace fs = std::filesystem;

Error refused(const fs::path& path, const std::string& why) {
  return {ErrorKind::kUsage, "'" + sanitized(path.string(), 400) + "': " + why};
}

Error failed(const fs::path& path, const char* step, int code) {
  return {code == ENOENT || code == ENOTDIR ? ErrorKind::kNotFound
                                            : disk_error_kind(code, ErrorKind::kUsage),
          "'" + sanitized(path.string(), 400) + "': " + step + ": " + disk_problem(path, code)};
}

/// Where bytes for a path go: to a new or regular file, or through an open or openable stream.
struct Place {
  bool stream = false;
  int open = -1;  ///< The standard stream that `path` names, such as 1 for /dev/stdout.
};

Result<Place> place_of(const fs::path& path) {
  if (path.native().find('\0') != std::string::npos)
    return refused(path, "a path cannot hold a NUL byte");
  struct stat entry {
  }, there{};
  if (::lstat(path.c_str(), &entry) != 0) return Place{};
  const bool link = S_ISLNK(entry.st_mode);
  if (::stat(path.c_str(), &there) != 0) {
    if (link)
      return refused(path,
                     "it is a symbolic link to something that cannot be reached, and a link is not "
                     "replaced; name another file");
    return failed(path, "cannot examine it", errno);
  }
  for (const int standard : {STDOUT_FILENO, STDERR_FILENO})
    if (struct stat own{};
        ::fstat(standard, &own) == 0 && own.st_dev == there.st_dev && own.st_ino == there.st_ino)
      return Place{true, standard};
  if (S_ISREG(there.st_mode)) {
    // Anyone who can create links in a shared folder could choose which of the user's files is
    // replaced.
    if (link)
      return refused(path,
                     "it is a symbolic link, and a link is not replaced; name the file itself, or "
                     "another one");
    return Place{};
  }
  if (S_ISDIR(there.st_mode)) return refused(path, "it is a folder; name a file");
  if (S_ISBLK(there.st_mode))
    return refused(path, "it is a disk, and a disk is not overwritten; name a file");
  return Place{true, -1};
}

/// 0, or errno.
int put(int fd, ByteView bytes) {
  for (std::size_t done = 0; done < bytes.size;) {
    const ssize_t put = ::write(fd, bytes.data + done, bytes.size - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return put < 0 ? errno : ENOSPC;
    done += static_cast<std::size_t>(put);
  }
  return 0;
}

Status write_through(const fs::path& path, int standard, ByteView bytes) {
  // O_NONBLOCK: opening a pipe without a reader must not hang. It affects only the opening.
  const Descriptor own(
      standard >= 0 ? -1 : ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (standard < 0 && own.get() < 0) {
    if (errno == ENXIO) return refused(path, "this pipe has no reader; start it first");
    return failed(path, "cannot open", errno);
  }
  if (own.get() >= 0)
    if (const int flags = ::fcntl(own.get(), F_GETFL); flags >= 0)
      ::fcntl(own.get(), F_SETFL, flags & ~O_NONBLOCK);
  if (const int code = put(standard >= 0 ? standard : own.get(), bytes); code != 0)
    return failed(path, "cannot write", code);
  return {};
}

}  // namespace

Status check_writable(const fs::path& path) {
  const auto place = place_of(path);
  return place ? Status{} : Status{place.error()};
}

Status write_file(const fs::path& path, ByteView bytes) {
  EP_TRY(const auto place, place_of(path));
  if (place.stream) return write_through(path, place.open, bytes);
  std::string pattern = path.string() + ".XXXXXX";
  const Descriptor file(::mkostemp(pattern.data(), O_CLOEXEC));  // mode 0600
  if (file.get() < 0) return failed(path, "cannot create", errno);
  if (const int code = put(file.get(), bytes); code != 0) {
    ::unlink(pattern.c_str());
    return failed(path, "cannot write", code);
  }
  if (::rename(pattern.c_str(), path.c_str()) != 0) {
    const int code = errno;
    ::unlink(pattern.c_str());
    return failed(path, "cannot put in place", code);
  }
  return {};
}

}  // namespace edgeprobe
