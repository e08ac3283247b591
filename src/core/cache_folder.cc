// SPDX-License-Identifier: Apache-2.0
#include "core/cache_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/text.h"

namespace edgeprobe {
namespace {

namespace fs = std::filesystem;

Error refused(const fs::path& folder, const std::string& why, const std::string& otherwise) {
  return {ErrorKind::kUsage, "'" + sanitized(folder.string(), 300) +
                                 "' is not used as a cache of programs: " + why +
                                 "; set XDG_CACHE_HOME to a folder of your own, or " + otherwise};
}

/// Checks every ancestor: anyone who may write to one could replace everything below it.
Status check_ancestors(const fs::path& folder, const std::string& otherwise) {
  for (fs::path at = folder.parent_path();; at = at.parent_path()) {
    struct stat info {};
    if (::lstat(at.c_str(), &info) != 0)
      return refused(folder, "'" + sanitized(at.string(), 300) + "': " + std::strerror(errno),
                     otherwise);
    if (info.st_uid != 0 && info.st_uid != ::geteuid())
      return refused(folder, "'" + sanitized(at.string(), 300) + "' belongs to another user",
                     otherwise);
    // In a sticky folder such as /tmp only owners can replace their own files.
    if ((info.st_mode & (S_IWGRP | S_IWOTH)) && !(info.st_mode & S_ISVTX))
      return refused(folder, "others may write to '" + sanitized(at.string(), 300) + "'",
                     otherwise);
    if (!at.has_relative_path()) return {};
  }
}

}  // namespace

Status check_private(const fs::path& folder, const std::string& otherwise) {
  struct stat info {};
  if (::lstat(folder.c_str(), &info) != 0) return refused(folder, std::strerror(errno), otherwise);
  if (!S_ISDIR(info.st_mode)) return refused(folder, "it is not a folder", otherwise);
  if (info.st_uid != ::geteuid()) return refused(folder, "it belongs to another user", otherwise);
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return refused(folder, "others may write to it", otherwise);
  return {};
}

std::optional<fs::path> cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  // The XDG specification says to ignore relative paths.
  if (cache && *cache == '/') return fs::path(cache) / "edgeprobe";
  if (home && *home == '/') return fs::path(home) / ".cache" / "edgeprobe";
  return std::nullopt;
}

Result<fs::path> private_cache_folder(const std::string& otherwise) {
  const auto found = cache_folder();
  if (!found)
    return Error{ErrorKind::kUsage,
                 "neither HOME nor XDG_CACHE_HOME names a folder (an absolute path) where programs "
                 "can be kept; set one of them, or " +
                     otherwise};
  const fs::path wanted = *found;
  std::error_code failed;
  // sudo may keep HOME: a folder of root's in a user's home would be in the way of that user.
  fs::path there = wanted.parent_path();
  while (!fs::exists(there, failed) && there.has_relative_path()) there = there.parent_path();
  if (const fs::path real = fs::canonical(there, failed); !failed)
    EP_CHECK(check_ancestors(real / wanted.filename(), otherwise));
  fs::create_directories(wanted.parent_path(), failed);
  if (::mkdir(wanted.c_str(), 0700) != 0 && errno != EEXIST)
    return Error{ErrorKind::kTarget, "folder '" + sanitized(wanted.string(), 300) +
                                         "' cannot be made: " + std::strerror(errno)};
  // A link in the path could be redirected a moment later, so the path is resolved first.
  const fs::path folder = fs::canonical(wanted, failed);
  if (failed)
    return Error{ErrorKind::kTarget, "folder '" + sanitized(wanted.string(), 300) +
                                         "' cannot be reached: " + failed.message()};
  EP_CHECK(check_private(folder, otherwise));
  EP_CHECK(check_ancestors(folder, otherwise));
  return folder;
}

}  // namespace edgeprobe
