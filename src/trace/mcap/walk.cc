// SPDX-License-Identifier: Apache-2.0
#include "trace/mcap/walk.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "trace/mcap/crc32.h"
#include "trace/mcap/decode.h"

namespace edgeprobe::trace {
namespace {

using mcap::Op;
using mcap::Record;

constexpr std::uint64_t kBlock = std::uint64_t{2} << 20;

// Searches for a chunk by its own bytes. A malicious file could be full of apparent chunks, so the
// amount decoded and checksummed in this search is bounded by the size of the file.
std::optional<std::size_t> find_chunk(ByteView data, std::size_t from) {
  std::uint64_t budget = 4 * std::uint64_t{data.size} + (std::uint64_t{64} << 20);
  for (std::size_t next = from; next + mcap::kRecordHead < data.size; ++next) {
    const void* const found =
        std::memchr(data.data + next, static_cast<int>(Op::kChunk), data.size - next);
    if (!found) break;
    next = static_cast<std::size_t>(static_cast<const std::byte*>(found) - data.data);
    const auto record = mcap::record_at(data, next);
    if (!record) continue;
    const auto fields = mcap::chunk_fields(record->content);
    const std::size_t own = 40 + (fields ? fields->codec.size() + fields->stored.size : 0);
    if (!fields || fields->checksum == 0 || own != record->content.size ||
        fields->decoded_size == 0)
      continue;
    const std::uint64_t cost = fields->decoded_size + fields->stored.size;
    if (cost > budget) return std::nullopt;
    budget -= cost;
    ByteView body = fields->stored;
    Decoded decoded;
    if (!fields->codec.empty()) {
      auto result = decode(fields->codec, fields->stored, fields->decoded_size);
      if (!result) continue;
      decoded = std::move(*result);
      body = decoded.bytes();
    }
    if (crc32(body) == fields->checksum) return next;
  }
  return std::nullopt;
}

std::vector<Summary::ChunkAt>::const_iterator after(const Summary& summary, std::uint64_t offset) {
  return std::upper_bound(
      summary.chunks.begin(), summary.chunks.end(), offset,
      [](std::uint64_t o, const Summary::ChunkAt& chunk) { return o < chunk.offset; });
}

bool is_chunk(ByteView data, std::uint64_t offset) {
  const auto record = mcap::record_at(data, offset);
  return record && record->op == Op::kChunk && mcap::chunk_fields(record->content);
}

std::optional<std::size_t> next_chunk(const Summary& summary, ByteView data, std::size_t offset) {
  const auto named = after(summary, offset);
  if (named != summary.chunks.end() && named->offset < data.size) return named->offset;
  return find_chunk(data, offset + 1);
}

}  // namespace

Walked walk(const MappedFile& file, const Summary& summary, Problems& problems,
            const std::function<bool(const Record&)>& visitor) {
  const ByteView data = file.bytes().sub(0, summary.data_end);
  Walked walked;
  std::uint64_t released = 0;
  std::size_t next = sizeof mcap::kMagic;
  while (!walked.ended && next < data.size) {
    const auto record = mcap::record_at(data, next);
    if (!record) {
      const auto chunk = next_chunk(summary, data, next);
      if (chunk)
        problems.add("no whole record" + at(next) + "; reading goes on at the next chunk," +
                     at(*chunk));
      else if (summary.has_footer)
        problems.add("no whole record" + at(next) + "; what follows is lost");
      if (!chunk) break;
      next = *chunk;
      continue;
    }
    // A damaged length must not swallow the chunks after it: a chunk stops where its own fields
    // say, and before the next one in the summary.
    std::size_t end = record->end();
    if (record->op == Op::kChunk) {
      const auto fields = mcap::chunk_fields(record->content);
      if (fields) end = static_cast<std::size_t>(fields->stored.end() - data.data);
      const auto named = after(summary, next);
      if (named != summary.chunks.end() && named->offset < end && is_chunk(data, named->offset)) {
        problems.add("the chunk" + at(next) + " claims to reach over the next one," +
                     at(named->offset) + "; it is skipped");
        next = named->offset;
        continue;
      }
    }
    walked.ended = record->op == Op::kDataEnd || record->op == Op::kFooter;
    if (!visitor(*record)) break;
    walked.visited_bytes += end - next;
    walked.end = next = end;
    if (next - released >= 4 * kBlock) {
      file.release(released, next - released);
      released = next / kBlock * kBlock;
    }
  }
  return walked;
}

}  // namespace edgeprobe::trace
