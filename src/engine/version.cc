// SPDX-License-Identifier: Apache-2.0
#include "engine/version.h"

#include <array>
#include <charconv>

#include "core/text.h"

namespace edgeprobe::engine {

Version version_of(std::string_view text) {
  Version version;
  const char* at = text.data();
  const char* const end = at + text.size();
  const std::array<int*, 3> numbers{&version.major, &version.minor, &version.patch};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto read = std::from_chars(at, end, *numbers[i]);
    if (read.ec != std::errc{}) return i < 2 ? Version{} : version;
    if (read.ptr == end || *read.ptr != '.') return i == 0 ? Version{} : version;
    at = read.ptr + 1;
  }
  return version;
}

std::string version_text(const Version& version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor) +
         (version.patch ? "." + std::to_string(version.patch) : "");
}

std::string packaged_version(const std::filesystem::path& library, std::string_view package,
                             std::string_view distribution) {
  constexpr std::string_view kEnd = ".dist-info";
  const std::string start = std::string(distribution) + "-";
  std::filesystem::path folder = library.parent_path();
  while (folder.has_relative_path() && folder.filename() != package) folder = folder.parent_path();
  if (!folder.has_relative_path()) return "";
  std::string found;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder.parent_path(), failed), end;
       !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(start) || !name.ends_with(kEnd)) continue;
    if (!found.empty()) return "";  // A second version is left over from an interrupted update.
    found = sanitized(name.substr(start.size(), name.size() - start.size() - kEnd.size()), 60);
  }
  return found;
}

std::string version_text(const TriedVersions& tried) {
  return tried.oldest == tried.newest
             ? version_text(tried.oldest)
             : version_text(tried.oldest) + " to " + version_text(tried.newest);
}

}  // namespace edgeprobe::engine
