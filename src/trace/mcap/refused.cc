// SPDX-License-Identifier: Apache-2.0
#include "trace/mcap/refused.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "core/text.h"
#include "trace/mcap/mcap.h"

namespace edgeprobe::trace {
namespace {

constexpr std::uint64_t kVersion = 1;

}  // namespace

std::optional<Error> refused_start(ByteView file, const std::string& label) {
  constexpr std::size_t kVersionAt = 5;  // index in the magic of MCAP's major version, '0'
  const std::string_view magic(reinterpret_cast<const char*>(mcap::kMagic), sizeof mcap::kMagic);
  const std::string_view text = file.sub(0, std::min<std::size_t>(file.size, 64)).text();
  if (text.substr(0, magic.size()) == magic) return std::nullopt;
  if (text.size() > magic.size() && text.substr(0, kVersionAt) == magic.substr(0, kVersionAt) &&
      text.substr(kVersionAt + 1, 2) == magic.substr(kVersionAt + 1))
    return Error{ErrorKind::kUnsupported, label + " is of MCAP major version '" +
                                              sanitized(text.substr(kVersionAt, 1)) +
                                              "'; this program reads version '0'"};
  std::string why = "the first 8 bytes are not the magic of an MCAP file";
  if (file.empty()) why = "the file is empty";
  if (text.rfind("version https://git-lfs", 0) == 0)
    why = "it is a Git LFS pointer; fetch the file itself";
  return Error{ErrorKind::kCorrupt, label + " is not a trace: " + why};
}

std::optional<Error> refused_version(const std::string& label, const std::string& version) {
  std::uint64_t number = 0;
  const auto [end, failure] =
      std::from_chars(version.data(), version.data() + version.size(), number);
  if (failure == std::errc{} && end == version.data() + version.size() && number >= 1 &&
      number <= kVersion)
    return std::nullopt;
  return Error{ErrorKind::kUnsupported,
               label + " is of trace format version '" + sanitized(version, 20) +
                   "'; this program reads version " + std::to_string(kVersion)};
}

}  // namespace edgeprobe::trace
