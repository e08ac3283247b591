// SPDX-License-Identifier: Apache-2.0
#include "trace/mcap/summary.h"

#include <algorithm>
#include <cstring>

#include "trace/mcap/crc32.h"
#include "trace/mcap/mcap.h"

namespace edgeprobe::trace {
namespace {

using mcap::Cursor;
using mcap::Op;
using mcap::Record;

void take(const Record& record, Summary& summary) {
  Cursor fields(record.content);
  switch (record.op) {
    case Op::kSchema: summary.schemas.push_back(record.content); break;
    case Op::kChannel: summary.channels.push_back(record.content); break;
    case Op::kStatistics: {
      Summary::Counts counts;
      counts.messages = fields.u64();
      fields.u16();  // schemas
      fields.u32();  // channels: they are compared one by one
      fields.u32();  // attachments
      counts.metadata = fields.u32();
      counts.chunks = fields.u32();
      if (fields.ok()) summary.counts = counts;
      break;
    }
    case Op::kChunkIndex: {
      fields.u64();
      fields.u64();
      Summary::ChunkAt chunk;
      chunk.offset = fields.u64();
      chunk.length = fields.u64();
      if (fields.ok()) summary.chunks.push_back(chunk);
      break;
    }
    case Op::kMetadataIndex: {
      Summary::MetadataAt metadata;
      metadata.offset = fields.u64();
      fields.u64();
      metadata.name = fields.text();
      if (fields.ok()) summary.metadata.push_back(metadata);
      break;
    }
    default: break;
  }
}

}  // namespace

Summary read_summary(ByteView file, Problems& problems) {
  Summary summary;
  summary.data_end = file.size;
  constexpr std::size_t kFooter = mcap::kRecordHead + 20, kEnd = kFooter + sizeof mcap::kMagic;
  if (file.size < sizeof mcap::kMagic + kEnd) return summary;
  const std::size_t footer_at = file.size - kEnd;
  const auto footer = mcap::record_at(file, footer_at);
  if (std::memcmp(file.data + file.size - sizeof mcap::kMagic, mcap::kMagic, sizeof mcap::kMagic) !=
          0 ||
      !footer || footer->op != Op::kFooter || footer->content.size != 20)
    return summary;
  summary.has_footer = true;
  summary.data_end = footer_at;
  Cursor fields(footer->content);
  const std::uint64_t start = fields.u64();
  fields.u64();  // where the summary offsets start
  const std::uint32_t checksum = fields.u32();
  if (start == 0) return summary;
  if (start > footer_at || start < sizeof mcap::kMagic) {
    problems.add("the footer says that the summary starts" + at(start) +
                 ", outside the file; it was not used");
    return summary;
  }
  const ByteView covered = file.sub(start, footer_at - start + mcap::kRecordHead + 16);
  if (checksum != 0 && crc32(covered) != checksum) {
    problems.add("the checksum of the summary is wrong; the summary was not used");
    return summary;
  }
  summary.has_checksum = checksum != 0;
  const ByteView body = file.sub(0, footer_at);
  for (std::size_t next = start; next < footer_at;) {
    const auto record = mcap::record_at(body, next);
    if (!record) {
      problems.add("the summary is broken" + at(next));
      break;
    }
    take(*record, summary);
    next = record->end();
  }
  std::sort(
      summary.chunks.begin(), summary.chunks.end(),
      [](const Summary::ChunkAt& a, const Summary::ChunkAt& b) { return a.offset < b.offset; });
  return summary;
}

}  // namespace edgeprobe::trace
