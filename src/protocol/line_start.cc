// SPDX-License-Identifier: Apache-2.0
#include "protocol/line_start.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "protocol/parts.h"
#include "protocol/reply.h"
#include "protocol/serial.h"

namespace edgeprobe::protocol {
namespace {

struct Beginning {
  Generation generation;
  Bytes bytes;
};

Bytes ping_of(Generation generation, std::uint16_t flags) {
  Writing writing;
  writing.generation = generation;
  writing.checksum = true;
  auto bytes = to_bytes(ping(flags), writing);
  return bytes ? *std::move(bytes) : Bytes();
}

std::vector<Beginning> beginnings() {
  std::vector<Beginning> all;
  // Tries the longer header first: its last bytes also form a PING of g3.
  for (const Generation generation : {Generation::kG4, Generation::kG3})
    for (const std::uint16_t flags : {flag::kSuccess, flag::kFail})
      all.push_back({generation, ping_of(generation, flags)});
  Header header;
  header.type = Type::kIoSpec;
  header.number = number_of(Type::kIoSpec, Generation::kG2).value_or(0);
  header.payload = kIoSpecBytesG2;
  all.push_back({Generation::kG2, write_header(header, Generation::kG2)});
  all.push_back({Generation::kG4, view_of("EPRB").copy()});
  return all;
}

}  // namespace

LineStart find_line_start(ByteView bytes, std::optional<Generation> only) {
  static const std::vector<Beginning> known = beginnings();
  if (only == Generation::kG3Late) only = Generation::kG3;
  LineStart start;
  for (; start.noise < bytes.size; ++start.noise) {
    const std::string_view rest = bytes.sub(start.noise, bytes.size - start.noise).text();
    bool may_begin = false;
    for (const Beginning& one : known) {
      if (only && *only != one.generation) continue;
      const std::string_view whole = ByteView(one.bytes).text();
      const std::size_t size = std::min(whole.size(), rest.size());
      if (whole.substr(0, size) != rest.substr(0, size)) continue;
      may_begin = true;
      if (size < whole.size()) continue;
      start.generation = one.generation;
      return start;
    }
    if (may_begin) return start;
  }
  return start;
}

}  // namespace edgeprobe::protocol
