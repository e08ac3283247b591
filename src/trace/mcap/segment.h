// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "core/bytes.h"
#include "core/file.h"
#include "core/result.h"
#include "trace/mcap/decode.h"
#include "trace/mcap/mcap.h"

namespace edgeprobe::trace {

/// A range of the file that holds Message records: the body of a chunk, or messages outside chunks.
struct Segment {
  std::uint64_t record = 0;  ///< Offset of its record, for messages to users.
  std::uint64_t offset = 0;  ///< Offset of the stored bytes in the file.
  std::uint64_t size = 0;    ///< Stored size.
  std::uint64_t decoded_size = 0;
  std::uint32_t checksum = 0;  ///< 0 if absent.
  std::string codec;           ///< "" if uncompressed.
  std::uint32_t first_frame = std::numeric_limits<std::uint32_t>::max(), last_frame = 0;
  std::uint64_t messages = 0;
  bool verified = false;  ///< The checksum was correct, or there is none.
  bool damaged = false;   ///< Not to be used.
  /// Contents taken from the file's indexes; the messages have not been visited yet.
  bool indexed = false;
};

/// The segment that a Chunk record of `file` stores.
Segment chunk_segment(const mcap::Record& record, const mcap::ChunkFields& fields, ByteView file);

/// The Message records of a segment: a range of the mapped file, or `decoded` after filling it.
/// Fails if the checksum is wrong (with `verify`) or decoding fails; the error names the chunk.
Result<ByteView> segment_bytes(const MappedFile& file, Segment& segment, Decoded& decoded,
                               bool verify);

}  // namespace edgeprobe::trace
