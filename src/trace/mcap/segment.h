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

/// A run of the file that holds Message records: the body of a chunk, or messages outside chunks.
struct Segment {
  std::uint64_t record = 0;  ///< Where its record starts, for messages to people.
  std::uint64_t offset = 0;  ///< Of the stored bytes, from the start of the file.
  std::uint64_t size = 0;    ///< As stored.
  std::uint64_t decoded_size = 0;
  std::uint32_t checksum = 0;  ///< 0: none.
  std::string codec;           ///< "" when stored plainly.
  std::uint32_t first_frame = std::numeric_limits<std::uint32_t>::max(), last_frame = 0;
  std::uint64_t messages = 0;
  bool verified = false;  ///< The checksum was found right, or there is none.
  bool damaged = false;   ///< Not to be used.
  /// What it holds was taken from the file's indexes; nobody has looked at its messages yet.
  bool indexed = false;
};

/// The segment that a Chunk record of `file` stores.
Segment chunk_segment(const mcap::Record& record, const mcap::ChunkFields& fields, ByteView file);

/// The Message records of a segment: a part of the map, or `decoded` filled. Fails when the
/// checksum is wrong (with `verify`) or decoding fails; the sentence names the chunk.
Result<ByteView> segment_bytes(const MappedFile& file, Segment& segment, Decoded& decoded,
                               bool verify);

}  // namespace edgeprobe::trace
