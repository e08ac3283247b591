// SPDX-License-Identifier: Apache-2.0
#include "trace/mcap/segment.h"

#include <utility>

#include "trace/mcap/crc32.h"
#include "trace/mcap/problems.h"

namespace edgeprobe::trace {

Segment chunk_segment(const mcap::Record& record, const mcap::ChunkFields& fields, ByteView file) {
  Segment segment;
  segment.record = record.offset;
  segment.decoded_size = fields.decoded_size;
  segment.checksum = fields.checksum;
  segment.codec = std::string(fields.codec.substr(0, 40));
  segment.size = fields.stored.size;
  segment.offset = static_cast<std::uint64_t>(fields.stored.data - file.data);
  return segment;
}

Result<ByteView> segment_bytes(const MappedFile& file, Segment& segment, Decoded& decoded,
                               bool verify) {
  const std::string chunk = "the chunk" + at(segment.record);
  if (segment.damaged) return Error{ErrorKind::kCorrupt, chunk + " is damaged"};
  ByteView body = file.bytes().sub(segment.offset, segment.size);
  if (!segment.codec.empty()) {
    auto result = decode(segment.codec, body, segment.decoded_size);
    if (!result) {
      segment.damaged = true;
      return std::move(result).error().during(chunk);
    }
    decoded = std::move(*result);
    body = decoded.bytes();
  }
  if (!verify || segment.verified || segment.checksum == 0) return body;
  if (const std::uint32_t sum = crc32(body); sum != segment.checksum) {
    segment.damaged = true;
    return Error{ErrorKind::kCorrupt, chunk + " is damaged: its checksum is wrong"};
  }
  segment.verified = true;
  return body;
}

}  // namespace edgeprobe::trace
