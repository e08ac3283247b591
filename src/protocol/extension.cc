// SPDX-License-Identifier: Apache-2.0
#include "protocol/extension.h"

#include <array>

namespace edgeprobe::protocol {
namespace {

constexpr std::array kNames{"HELLO",  "OFFER", "UPLOAD", "LOAD",  "INFER", "REPEAT",
                            "MEMORY", "CLOSE", "CANCEL", "CLOCK", "RUN",   "TRACE"};
/// Error kinds by code, starting at 1.
constexpr std::array kErrors{ErrorKind::kUsage,       ErrorKind::kNotFound, ErrorKind::kCorrupt,
                             ErrorKind::kUnsupported, ErrorKind::kLimit,    ErrorKind::kTarget,
                             ErrorKind::kInterrupted};

}  // namespace

const char* name(ExtensionKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index >= 1 && index <= kNames.size() ? kNames.at(index - 1) : "unknown";
}

void write(ByteWriter& out, const ExtensionHeader& header) {
  out.number(header.request);
  out.number(header.kind);
  out.number(header.code);
}

ExtensionHeader read_extension_header(ByteReader& in) {
  ExtensionHeader header;
  header.request = in.u32();
  header.kind = in.number<ExtensionKind>();
  header.code = in.u16();
  return header;
}

std::uint16_t code_of(ErrorKind kind) {
  for (std::size_t i = 0; i < kErrors.size(); ++i)
    if (kErrors[i] == kind) return static_cast<std::uint16_t>(i + 1);
  return code_of(ErrorKind::kTarget);
}

ErrorKind error_of(std::uint16_t code) {
  return code >= 1 && code <= kErrors.size() ? kErrors.at(code - 1U) : ErrorKind::kTarget;
}

}  // namespace edgeprobe::protocol
