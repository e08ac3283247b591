// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/bytes.h"

/// The messages between a host and a device as values, in all wire formats of our peers:
/// docs/reference/protocol.md. No sockets, no clocks.
namespace edgeprobe::protocol {

/// A version of the wire format.
enum class Generation : std::uint8_t { kG1, kG2, kG3, kG3Late, kG4 };
const char* name(Generation generation);  ///< "g1", …, "g3-late", "g4".
std::optional<Generation> generation_from_name(std::string_view text);
std::span<const Generation> all_generations();

/// Header size: 6, 8 or 12 bytes.
std::size_t header_bytes(Generation generation);
/// True if replies are OK and ERROR, and messages have neither flow nor flags: g1, g2.
bool is_plain(Generation generation);
/// Sent by a server after accepting: one zero byte in g3 and g4, nothing in others.
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
  kUnknown,  ///< A number that the generation does not define.
};
const char* name(Type type);  ///< Name in the protocol's documentation: "DATA", "IO_SPEC".

/// Empty if the generation has no such message.
std::optional<std::uint64_t> number_of(Type type, Generation generation);
Type type_of(std::uint64_t number, Generation generation);

/// The generation of a client that sent before the greeting: g4 for our own client, which begins
/// with an EXTENSION, or else g2 (g1 looks the same up to PROCESS). Empty below 4 bytes.
std::optional<Generation> generation_before_greeting(ByteView first);
/// The generation of a client that waited for the greeting. Empty below 4 bytes; g4 if neither g3
/// nor g4 can begin this way, since its reader reports the error.
std::optional<Generation> generation_after_greeting(ByteView first);

}  // namespace edgeprobe::protocol
