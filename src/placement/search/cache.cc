// SPDX-License-Identifier: Apache-2.0
#include "placement/search/cache.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "core/cache_folder.h"
#include "core/file.h"
#include "core/text.h"
#include "stretch/plan.h"

namespace edgeprobe::placement {
namespace {

namespace fs = std::filesystem;
constexpr auto kLookEvery = std::chrono::milliseconds(50);
constexpr std::size_t kLongest = 4096;

/// Separate from the timings of pieces.
constexpr const char* kAnswers = "answers";
constexpr std::size_t kLongestAnswer = stretch::kMostPlanBytes;

fs::path file_of(const fs::path& folder, const std::string& key, const char* extension = ".json") {
  return folder / (sha256(view_of(key)) + extension);
}

}  // namespace

Result<Cache> Cache::open(const Control& control, const std::function<void()>& waits) {
  EP_TRY(auto cache, private_cache_folder("set XDG_CACHE_HOME to a folder of your own"));
  const fs::path folder = cache / "stretch";
  std::error_code failed;
  fs::create_directories(folder / kAnswers, failed);
  if (failed)
    return Error{ErrorKind::kTarget, "cannot make the folder '" + sanitized(folder.string(), 300) +
                                         "': " + failed.message()};
  Descriptor lock(
      ::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.get() < 0)
    return Error{ErrorKind::kTarget, "cannot open '" + sanitized((folder / "lock").string(), 300) +
                                         "': " + std::strerror(errno)};
  bool told = false;
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (control.stopped()) return interrupted();
    if (!told) waits();
    told = true;
    std::this_thread::sleep_for(kLookEvery);
  }
  return Cache(folder, std::move(lock));
}

std::optional<Timing> Cache::find(const std::string& key) const {
  const auto text = read_file(file_of(folder_, key), kLongest);
  return text ? timing_from_json(ByteView(*text).text()) : std::nullopt;
}

void Cache::keep(const std::string& key, const Timing& timing) const {
  static_cast<void>(write_file(file_of(folder_, key), view_of(to_json(timing))));
}

std::optional<std::string> Cache::answer(const std::string& key) const {
  const auto text = read_file(file_of(folder_ / kAnswers, key, ""), kLongestAnswer);
  return text ? std::optional(std::string(ByteView(*text).text())) : std::nullopt;
}

void Cache::keep_answer(const std::string& key, const std::string& text) const {
  static_cast<void>(write_file(file_of(folder_ / kAnswers, key, ""), view_of(text)));
}

}  // namespace edgeprobe::placement
