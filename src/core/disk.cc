// SPDX-License-Identifier: Apache-2.0
#include "core/file.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>

#include "core/text.h"

namespace edgeprobe {
namespace {

// Mount point of the file system that holds `path`.
std::filesystem::path mount_point(const std::filesystem::path& path) {
  std::error_code failure;
  std::filesystem::path at = std::filesystem::absolute(path, failure).parent_path();
  struct stat own {
  }, above{};
  if (failure || ::stat(at.c_str(), &own) != 0) return path.parent_path();
  while (at.has_relative_path() && ::stat(at.parent_path().c_str(), &above) == 0 &&
         above.st_dev == own.st_dev)
    at = at.parent_path();
  return at;
}

}  // namespace

std::string disk_problem(const std::filesystem::path& path, int code) {
  const std::filesystem::path mount = mount_point(path);
  const std::string disk = "the disk at '" + sanitized(mount.string()) + "'";
  switch (code) {
    case ENOSPC: {
      struct statvfs space {};
      std::string size;
      if (::statvfs(mount.c_str(), &space) == 0)
        size =
            " (" +
            bytes_text(static_cast<double>(space.f_blocks) * static_cast<double>(space.f_frsize)) +
            " in all, " +
            bytes_text(static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize)) +
            " free" + (space.f_files && space.f_favail == 0 ? ", no more files" : "") + ")";
      return disk + " is full" + size + "; free some space, or write to another disk";
    }
    case EDQUOT:
      return "your quota on " + disk + " is used up; free some of it, or write to another disk";
    case EFBIG:
      return "the file would be larger than its file system or 'ulimit -f' allows; write less, or "
             "raise the limit";
    case EROFS: return disk + " is mounted read-only; write to another one";
    case EIO:
      return disk + " reports an input/output error; it may be failing, write to another one";
    default: return std::strerror(code);
  }
}

ErrorKind disk_error_kind(int code, ErrorKind otherwise) {
  if (code == ENOSPC || code == EDQUOT || code == EFBIG) return ErrorKind::kLimit;
  return code == EROFS || code == EIO ? ErrorKind::kTarget : otherwise;
}

}  // namespace edgeprobe
