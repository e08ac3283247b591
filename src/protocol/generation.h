// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/bytes.h"

/// The messages between a host and a device as values, in every form that peers speak:
/// docs/reference/protocol.md. No sockets, no clocks.
namespace edgeprobe::protocol {

/// A form of the wire.
enum class Generation : std::uint8_t { kG1, kG2, kG3, kG3Late, kG4 };
const char* name(Generation generation);  ///< "g1", …, "g3-late", "g4".
std::optional<Generation> generation_from_name(std::string_view text);
std::span<const Generation> all_generations();

/// Bytes in front of a payload: 6, 8 or 12.
std::size_t header_bytes(Generation generation);
/// Replies are OK and ERROR, and a message has neither flow nor flags: g1, g2.
bool is_plain(Generation generation);
/// What a server sends when it has accepted: one zero byte in g3 and g4, else nothing.
ByteView greeting(Generation generation);

enum class Type : std::uint8_t {
  kOk,
  kError,
  kPing,
  kStatus,
  kData,
  kModel,
  kProcess,
  kOutput,
  kStatistics,
  kIoSpec,
  kTraceData,
  kOptimizers,
  kOptimizeModel,
  kRuntime,
  kUnoptimizedModel,
  kLogs,
  kExtension,
  kUnknown,  ///< A number that the generation does not have.
};
const char* name(Type type);  ///< As on the wire's documentation: "DATA", "IO_SPEC".

/// Nothing where the generation has no such message.
std::optional<std::uint64_t> number_of(Type type, Generation generation);
Type type_of(std::uint64_t number, Generation generation);

/// The generation of a client that spoke before it was greeted: g4 for our own, which begins with
/// an EXTENSION, else g2 (g1 looks the same up to PROCESS). Nothing below 4 bytes.
std::optional<Generation> generation_before_greeting(ByteView first);
/// That of a client that waited for the greeting. Nothing below 4 bytes; where neither g3 nor g4
/// can begin so, g4, whose reader says what is wrong.
std::optional<Generation> generation_after_greeting(ByteView first);

}  // namespace edgeprobe::protocol
