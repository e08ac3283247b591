// SPDX-License-Identifier: Apache-2.0
#include "protocol/parts.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace edgeprobe::protocol {
namespace {

constexpr std::size_t kTypeBytes = 2;  ///< Included in the size field of g1 and g2.

/// The header of a message with `payload` bytes, without its flags for parts and payload.
Result<Header> header_of(const Outgoing& message, std::size_t payload, Generation generation) {
  const auto number = message.type == Type::kUnknown ? std::optional(message.number)
                                                     : number_of(message.type, generation);
  if (!number)
    return Error{ErrorKind::kUnsupported,
                 std::string(name(generation)) + " has no message " + name(message.type)};
  if (payload > UINT32_MAX - kTypeBytes)
    return Error{ErrorKind::kLimit, std::string(name(message.type)) + " of " +
                                        std::to_string(payload) +
                                        " bytes does not fit a message, which has 32 bits for it"};
  Header header;
  header.type = message.type;
  header.number = *number;
  header.flow = message.flow;
  header.flags = message.flags;
  header.payload = static_cast<std::uint32_t>(payload);
  return header;
}

}  // namespace

Result<Bytes> head_of(const Outgoing& message, std::size_t payload, Generation generation) {
  EP_TRY(Header header, header_of(message, payload, generation));
  header.flags |= flag::kFirst | flag::kLast;
  if (payload > 0) header.flags |= flag::kHasPayload;
  return write_header(header, generation);
}

Result<std::vector<Part>> parts_of(const Outgoing& message, const Writing& writing) {
  EP_TRY(const Header whole, header_of(message, message.payload.size, writing.generation));
  const std::size_t before = header_bytes(writing.generation);
  const bool is_one = is_plain(writing.generation) || message.type == Type::kExtension;
  const std::size_t longest =
      is_one ? SIZE_MAX : std::max(writing.longest_part, before + 1) - before;
  std::vector<Part> parts;
  std::size_t at = 0;
  do {
    Part part;
    part.payload = message.payload.sub(at, std::min(longest, message.payload.size - at));
    Header header = whole;
    header.payload = static_cast<std::uint32_t>(part.payload.size);
    if (at == 0) header.flags |= flag::kFirst;
    at += part.payload.size;
    if (at == message.payload.size) header.flags |= flag::kLast;
    if (!part.payload.empty()) header.flags |= flag::kHasPayload;
    if (writing.checksum) header.checksum = checksum_of(header, part.payload, writing.generation);
    part.header = write_header(header, writing.generation);
    parts.push_back(std::move(part));
  } while (at < message.payload.size);
  return parts;
}

Result<Bytes> to_bytes(const Outgoing& message, const Writing& writing) {
  EP_TRY(auto parts, parts_of(message, writing));
  Bytes bytes;
  for (const Part& part : parts) {
    bytes.insert(bytes.end(), part.header.begin(), part.header.end());
    bytes.insert(bytes.end(), part.payload.begin(), part.payload.end());
  }
  return bytes;
}

}  // namespace edgeprobe::protocol
