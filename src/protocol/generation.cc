// SPDX-License-Identifier: Apache-2.0
#include "protocol/generation.h"

#include <array>

#include "core/codec.h"

namespace edgeprobe::protocol {
namespace {

constexpr std::uint64_t kNone = UINT64_MAX;
constexpr std::uint64_t kExtensionNumber = 0x42525045;  // "EPRB"

/// A type's name, with its numbers in g1 and g2, in g3, and in g3-late and g4.
struct Row {
  const char* name;
  std::uint64_t plain, g3, g4;
};
constexpr std::array kRows{
    Row{"OK", 0, kNone, kNone},
    Row{"ERROR", 1, kNone, kNone},
    Row{"PING", kNone, 0, 0},
    Row{"STATUS", kNone, 1, 1},
    Row{"DATA", 2, 2, 2},
    Row{"MODEL", 3, 3, 3},
    Row{"PROCESS", 4, 4, 4},
    Row{"OUTPUT", 5, 5, 5},
    Row{"STATS", 6, 6, 6},
    Row{"IO_SPEC", 7, 7, 7},
    Row{"TRACE_DATA", kNone, kNone, 8},
    Row{"OPTIMIZERS", 8, 8, 9},
    Row{"OPTIMIZE_MODEL", 9, 9, 10},
    Row{"RUNTIME", 10, 10, 11},
    Row{"UNOPTIMIZED_MODEL", kNone, 11, 12},
    Row{"LOGS", kNone, 12, 13},
    Row{"EXTENSION", kNone, kNone, kExtensionNumber},
};
static_assert(kRows.size() == static_cast<std::size_t>(Type::kUnknown));

constexpr std::array kGenerations{Generation::kG1, Generation::kG2, Generation::kG3,
                                  Generation::kG3Late, Generation::kG4};
constexpr std::array kGenerationNames{"g1", "g2", "g3", "g3-late", "g4"};
static_assert(kGenerations.size() == kGenerationNames.size());

std::uint64_t number_in(const Row& row, Generation generation) {
  switch (generation) {
    case Generation::kG1:
    case Generation::kG2: return row.plain;
    case Generation::kG3: return row.g3;
    // Six bits cannot hold an extension's number.
    case Generation::kG3Late: return row.g4 < 64 ? row.g4 : kNone;
    case Generation::kG4: return row.g4;
  }
  return kNone;
}

}  // namespace

const char* name(Generation generation) {
  return kGenerationNames.at(static_cast<std::size_t>(generation));
}

std::optional<Generation> generation_from_name(std::string_view text) {
  for (const Generation generation : kGenerations)
    if (text == name(generation)) return generation;
  return std::nullopt;
}

std::span<const Generation> all_generations() { return kGenerations; }

std::size_t header_bytes(Generation generation) {
  if (is_plain(generation)) return 6;
  return generation == Generation::kG4 ? 12 : 8;
}

bool is_plain(Generation generation) {
  return generation == Generation::kG1 || generation == Generation::kG2;
}

ByteView greeting(Generation generation) {
  static constexpr std::byte kGreeting{0};
  return is_plain(generation) ? ByteView() : ByteView(&kGreeting, 1);
}

const char* name(Type type) {
  return type == Type::kUnknown ? "unknown" : kRows.at(static_cast<std::size_t>(type)).name;
}

std::optional<std::uint64_t> number_of(Type type, Generation generation) {
  if (type == Type::kUnknown) return std::nullopt;
  const std::uint64_t number = number_in(kRows.at(static_cast<std::size_t>(type)), generation);
  return number == kNone ? std::nullopt : std::optional(number);
}

Type type_of(std::uint64_t number, Generation generation) {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (number != kNone && number_in(kRows[i], generation) == number) return static_cast<Type>(i);
  return Type::kUnknown;
}

std::optional<Generation> generation_before_greeting(ByteView first) {
  if (first.size < 4) return std::nullopt;
  return load_little<std::uint32_t>(first.data) == kExtensionNumber ? Generation::kG4
                                                                    : Generation::kG2;
}

std::optional<Generation> generation_after_greeting(ByteView first) {
  if (first.size < 4) return std::nullopt;
  if (generation_before_greeting(first) == Generation::kG4) return Generation::kG4;
  const std::byte none{0};
  if (first.data[1] == none && first.data[2] == none && first.data[3] == none)
    return Generation::kG4;
  return first.data[2] != none ? Generation::kG3 : Generation::kG4;
}

}  // namespace edgeprobe::protocol
