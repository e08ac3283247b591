// SPDX-License-Identifier: Apache-2.0
#include "protocol/logs.h"

#include <algorithm>

#include "core/text.h"

namespace edgeprobe::protocol {
namespace {

constexpr std::size_t kLongest = 255;

}  // namespace

Bytes write_logs(std::string_view text) {
  Bytes payload;
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, kLongest);
    payload.push_back(static_cast<std::byte>(entry.size()));
    for (const char c : entry)
      payload.push_back(static_cast<unsigned char>(c) < 128 ? static_cast<std::byte>(c)
                                                            : std::byte{'?'});
    text.remove_prefix(entry.size());
  }
  return payload;
}

std::vector<std::string> read_logs(ByteView payload) {
  std::vector<std::string> entries;
  while (!payload.empty()) {
    std::size_t size = std::to_integer<std::size_t>(payload.data[0]);
    payload = payload.sub(1, payload.size - 1);
    if (size == kLongest && payload.size == kLongest + 1) ++size;
    size = std::min(size, payload.size);
    entries.push_back(sanitized(payload.sub(0, size).text(), kLongest + 1));
    payload = payload.sub(size, payload.size - size);
  }
  return entries;
}

}  // namespace edgeprobe::protocol
