// SPDX-License-Identifier: Apache-2.0
#include "engine/library_hash.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "core/cache_folder.h"
#include "core/descriptor.h"
#include "core/file.h"
#include "core/sha256.h"
#include "core/text.h"

namespace edgeprobe::engine {
namespace {

namespace fs = std::filesystem;

/// Below this a hash is faster than its look-up.
constexpr off_t kSmall = 1 << 20;
/// File systems state times in steps of up to two seconds, and clocks of servers differ.
constexpr std::chrono::seconds kSettled{10};
constexpr std::size_t kHexDigits = 64;

Error failed(const fs::path& path, const std::string& step, int code) {
  return {code == ENOENT || code == ENOTDIR ? ErrorKind::kNotFound : ErrorKind::kTarget,
          "'" + sanitized(path.string(), 300) + "': " + step + ": " + disk_problem(path, code)};
}

std::chrono::nanoseconds since_epoch(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Everything that changes if the file does.
std::string key_of(const fs::path& path, const struct stat& info) {
  std::string key = "edgeprobe library hash 1\n" + path.string() + "\n";
  for (const auto number :
       {static_cast<std::int64_t>(info.st_dev), static_cast<std::int64_t>(info.st_ino),
        static_cast<std::int64_t>(info.st_size),
        static_cast<std::int64_t>(since_epoch(info.st_mtim).count()),
        static_cast<std::int64_t>(since_epoch(info.st_ctim).count())})
    key += std::to_string(number) + " ";
  return key + "\n";
}

bool is_settled(const struct stat& info, std::chrono::system_clock::time_point now) {
  return now.time_since_epoch() - since_epoch(info.st_ctim) >= kSettled;
}

/// hashes/NAME in the cache folder; nullopt if there is no folder that is the user's own.
std::optional<fs::path> place_of(const fs::path& library) {
  const auto folder = private_cache_folder("");
  if (!folder) return std::nullopt;
  const fs::path hashes = *folder / "hashes";
  if (::mkdir(hashes.c_str(), 0700) != 0 && errno != EEXIST) return std::nullopt;
  if (!check_private(hashes, "")) return std::nullopt;
  return hashes / sha256(view_of(library.string()));
}

/// The stored hash, if it is that of `key`.
std::optional<std::string> stored(const fs::path& place, const std::string& key) {
  const auto file = MappedFile::open(place);
  if (!file || file->bytes().size != key.size() + kHexDigits) return std::nullopt;
  const std::string text(reinterpret_cast<const char*>(file->bytes().data), file->bytes().size);
  const std::string hash = text.substr(key.size());
  if (text.compare(0, key.size(), key) != 0 ||
      hash.find_first_not_of("0123456789abcdef") != std::string::npos)
    return std::nullopt;
  return hash;
}

Result<std::string> hash_of(const Descriptor& file, const fs::path& path) {
  Sha256 hash;
  Bytes piece(1 << 18);
  while (true) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(path, "cannot read it", errno);
    if (got == 0) return hash.hex();
    hash.add({piece.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace

Result<std::string> library_sha256(const fs::path& library,
                                   std::chrono::system_clock::time_point now) {
  const Descriptor file(::open(library.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat before {
  }, after{};
  if (file.get() < 0 || ::fstat(file.get(), &before) != 0)
    return failed(library, "cannot open it", errno);
  if (!S_ISREG(before.st_mode))
    return Error{ErrorKind::kUsage, "'" + sanitized(library.string(), 300) + "' is no file"};
  std::error_code unknown;
  const fs::path absolute = fs::absolute(library, unknown);
  const auto place = before.st_size < kSmall || unknown || !is_settled(before, now)
                         ? std::nullopt
                         : place_of(absolute);
  const std::string key = key_of(absolute, before);
  if (place)
    if (auto known = stored(*place, key)) return *std::move(known);
  EP_TRY(std::string hash, hash_of(file, library));
  // A hash that cannot be stored is computed again.
  if (place && ::fstat(file.get(), &after) == 0 && key_of(absolute, after) == key)
    (void)write_file(*place, view_of(key + hash));
  return hash;
}

}  // namespace edgeprobe::engine
