// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/bytes.h"
#include "core/codec.h"
#include "core/result.h"

namespace edgeprobe::protocol {

inline constexpr std::uint32_t kExtensionVersion = 1;

/// Kind of an EXTENSION request: docs/reference/protocol.md.
enum class ExtensionKind : std::uint16_t {
  kHello = 1,
  kOffer,
  kUpload,
  kLoad,
  kInfer,
  kRepeat,
  kMemory,
  kClose,
  kCancel,
  kClock,
  kRun,
  kTrace,
};
const char* name(ExtensionKind kind);  ///< "HELLO"; "unknown" for an unassigned number.

/// Precedes every payload of an EXTENSION.
struct ExtensionHeader {
  std::uint32_t request = 0;  ///< Chosen by the client; repeated in the reply.
  ExtensionKind kind{};
  std::uint16_t code = 0;  ///< Code of the error; 0 in a request and in a successful answer.

  bool operator==(const ExtensionHeader&) const = default;
};
inline constexpr std::size_t kExtensionHeaderBytes = 8;
void write(ByteWriter& out, const ExtensionHeader& header);
ExtensionHeader read_extension_header(ByteReader& in);

std::uint16_t code_of(ErrorKind kind);
/// kTarget for an unassigned code.
ErrorKind error_of(std::uint16_t code);

}  // namespace edgeprobe::protocol
