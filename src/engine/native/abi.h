// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "edgeprobe_plugin.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "core/result.h"

/// Rules of edgeprobe_plugin.h for both sides.
namespace edgeprobe::engine::native {

/// The result of a failing function, for each kind of failure.
inline constexpr std::array<std::pair<int, ErrorKind>, 6> kCodes{
    {{EDGEPROBE_PLUGIN_FAILED, ErrorKind::kTarget},
     {EDGEPROBE_PLUGIN_USAGE, ErrorKind::kUsage},
     {EDGEPROBE_PLUGIN_NOT_FOUND, ErrorKind::kNotFound},
     {EDGEPROBE_PLUGIN_CORRUPT, ErrorKind::kCorrupt},
     {EDGEPROBE_PLUGIN_UNSUPPORTED, ErrorKind::kUnsupported},
     {EDGEPROBE_PLUGIN_LIMIT, ErrorKind::kLimit}}};

constexpr ErrorKind error_of(int code) {
  for (const auto& [known, kind] : kCodes)
    if (code == known) return kind;
  return ErrorKind::kTarget;
}

constexpr int code_of(ErrorKind kind) {
  for (const auto& [code, known] : kCodes)
    if (kind == known) return code;
  return EDGEPROBE_PLUGIN_FAILED;
}

/// The first bytes of a struct, which state its size.
template <class Struct>
std::size_t stated_size(const Struct* given) {
  std::uint32_t size = 0;
  std::memcpy(&size, given, sizeof size);
  return size;
}

/// The members that this program knows of a struct that the other side filled; 0 for the rest.
/// Nothing if the struct has fewer than `least` bytes or a size that does not fit its alignment.
template <class Struct>
std::optional<Struct> known_of(const Struct* given, std::size_t least = sizeof(Struct)) {
  const std::size_t size = stated_size(given);
  if (size < least || size % alignof(Struct) != 0) return std::nullopt;
  Struct known{};
  std::memcpy(&known, given, std::min(size, sizeof known));
  return known;
}

/// Element `index` of an array whose elements have the size that the first one states.
template <class Struct>
const Struct* element(const Struct* array, std::size_t index) {
  return reinterpret_cast<const Struct*>(reinterpret_cast<const std::byte*>(array) +
                                         index * stated_size(array));
}

/// Memory for a struct that the other side may know with more members.
template <class Struct>
struct Room {
  Room() = default;
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  alignas(Struct) std::byte bytes[EDGEPROBE_PLUGIN_ROOM] = {};
  Struct& known = *new (bytes) Struct{};
  static_assert(sizeof(Struct) <= EDGEPROBE_PLUGIN_ROOM);
};

}  // namespace edgeprobe::engine::native
