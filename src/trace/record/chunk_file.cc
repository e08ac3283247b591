// SPDX-License-Identifier: Apache-2.0
#include "trace/record/chunk_file.h"

#include <algorithm>

#include "trace/event_stream.h"
#include "trace/mcap/crc32.h"
#include "trace/record/file_sink.h"

namespace edgeprobe::trace {
namespace {

using mcap::Builder;
using mcap::Op;

constexpr const char* kLibrary = "edgeprobe " EDGEPROBE_VERSION;
// Size of the fixed fields of a Chunk and of a Message Index, and of one entry of the latter.
constexpr std::uint64_t kChunkFields = 8 + 8 + 8 + 4 + 4 + 8, kIndexFields = 2 + 4,
                        kIndexEntry = 16;

void put_header(Builder& out, std::string_view origin) {
  out.raw(mcap::kMagic, sizeof mcap::kMagic);
  const std::size_t mark = out.begin(Op::kHeader);
  out.text("edgeprobe");
  out.text(origin.empty() || origin == kLibrary ? kLibrary : std::string(origin) + "; " + kLibrary);
  out.end(mark);
}

}  // namespace

Result<ChunkFile> ChunkFile::create(const std::filesystem::path& path, bool replace) {
  EP_TRY(auto sink, FileSink::create(path, {replace, /*hidden=*/false, 0}));
  return create(std::move(sink), "", path.parent_path());
}

Result<ChunkFile> ChunkFile::create_hidden(const std::filesystem::path& path,
                                           std::string_view origin, bool replace) {
  EP_TRY(auto sink, FileSink::create(path, {replace, /*hidden=*/true, 0}));
  return create(std::move(sink), origin, path.parent_path());
}

Result<ChunkFile> ChunkFile::create(std::unique_ptr<RecordSink> sink, std::string_view origin,
                                    const std::optional<std::filesystem::path>& spill_folder) {
  ChunkFile file(std::move(sink));
  if (spill_folder) file.chunk_indexes_ = SpillBuffer(*spill_folder);
  Builder records;
  put_header(records, origin);
  if (auto done = file.append(records); !done) {
    file.discard();
    return done.error();
  }
  return file;
}

Status ChunkFile::append(const Builder& records) {
  auto done = sink_->append({view_of(records.bytes())}, nullptr);
  if (!done) failed_ = true;
  return done;
}

Status ChunkFile::add_schema(std::uint16_t id, const Schema& schema) {
  Builder record;
  const std::size_t mark = record.begin(Op::kSchema);
  record.u16(id);
  record.text(schema.name);
  record.text(schema.encoding);
  record.text(schema.data);
  record.end(mark);
  ++schema_count_;
  schemas_.raw(record.bytes().data(), record.size());
  return append(record);
}

Status ChunkFile::add_channel(ChannelId id, std::uint16_t schema, std::string_view topic,
                              std::string_view encoding, const mcap::TextMap& metadata) {
  Builder record;
  const std::size_t mark = record.begin(Op::kChannel);
  record.u16(id);
  record.u16(schema);
  record.text(topic);
  record.text(encoding);
  record.map(metadata);
  record.end(mark);
  ids_.push_back(id);
  if (index_.size() <= id) {
    index_.resize(id + std::size_t{1});
    messages_.resize(id + std::size_t{1});
    event_streams_.resize(id + std::size_t{1});
  }
  event_streams_[id] = event_stream_from(topic, encoding).has_value();
  channels_.raw(record.bytes().data(), record.size());
  return append(record);
}

Status ChunkFile::add_metadata(const std::string& name, mcap::TextMap values) {
  values["crc32"] = mcap::metadata_checksum(name, values);
  Builder record;
  std::size_t mark = record.begin(Op::kMetadata);
  record.text(name);
  record.map(values);
  record.end(mark);

  mark = metadata_indexes_.begin(Op::kMetadataIndex);
  metadata_indexes_.u64(sink_->size());
  metadata_indexes_.u64(record.size());
  metadata_indexes_.text(name);
  metadata_indexes_.end(mark);
  ++metadata_count_;
  return append(record);
}

Status ChunkFile::add_attachment(ByteView content) {
  mcap::Cursor fields(content);
  const std::uint64_t log_time = fields.u64(), create_time = fields.u64();
  const std::string_view name = fields.text(), type = fields.text();
  const std::uint64_t size = fields.u64();
  Builder head;
  head.u8(static_cast<std::uint8_t>(Op::kAttachment));
  head.u64(content.size);
  const std::size_t mark = attachment_indexes_.begin(Op::kAttachmentIndex);
  for (const std::uint64_t value :
       {sink_->size(), head.size() + std::uint64_t{content.size}, log_time, create_time, size})
    attachment_indexes_.u64(value);
  attachment_indexes_.text(name);
  attachment_indexes_.text(type);
  attachment_indexes_.end(mark);
  ++attachment_count_;
  auto done = sink_->append({view_of(head.bytes()), content}, nullptr);
  if (!done) failed_ = true;
  return done;
}

ChunkFile::Packed ChunkFile::plain(const std::vector<ByteView>& parts) {
  Packed about;
  for (const ByteView part : parts) {
    about.checksum = crc32(part, about.checksum);
    about.decoded_size += part.size;
  }
  about.stored.size = about.decoded_size;  // stored uncompressed
  return about;
}

Status ChunkFile::add_chunk(const std::vector<ByteView>& parts,
                            const std::vector<ChunkEntry>& entries) {
  return put_chunk(parts, plain(parts), entries,
                   [&](std::uint64_t room) { return shortened(parts, entries, room); });
}

Status ChunkFile::add_packed_chunk(const Packed& chunk, const std::vector<ChunkEntry>& entries) {
  return put_chunk({chunk.stored}, chunk, entries, nullptr);
}

ChunkFile::ChunkRecords ChunkFile::chunk_records(const Packed& about,
                                                 const std::vector<ChunkEntry>& entries) {
  ChunkRecords made;
  made.first_time = made.last_time = entries.front().time_ns;
  used_.clear();
  for (const ChunkEntry& entry : entries) {
    made.first_time = std::min(made.first_time, entry.time_ns);
    made.last_time = std::max(made.last_time, entry.time_ns);
    auto& list = index_[entry.channel];
    if (list.empty()) used_.push_back(entry.channel);
    list.emplace_back(entry.time_ns, entry.offset);
  }

  const std::uint64_t bytes = about.stored.size;
  Builder& head = made.head;
  head.u8(static_cast<std::uint8_t>(Op::kChunk));
  head.u64(kChunkFields + about.codec.size() + bytes);
  head.u64(made.first_time);
  head.u64(made.last_time);
  head.u64(about.decoded_size);
  head.u32(about.checksum);
  head.text(about.codec);
  head.u64(bytes);

  const std::uint64_t indexes_start = sink_->size() + head.size() + bytes;
  for (const ChannelId channel : used_) {
    auto& list = index_[channel];
    made.places.u16(channel);
    made.places.u64(indexes_start + made.indexes.size());
    const std::size_t mark = made.indexes.begin(Op::kMessageIndex);
    made.indexes.u16(channel);
    made.indexes.u32(static_cast<std::uint32_t>(list.size() * kIndexEntry));
    for (const auto& [time, offset] : list) {
      made.indexes.u64(time);
      made.indexes.u64(offset);
    }
    made.indexes.end(mark);
  }
  return made;
}

Status ChunkFile::put_chunk(const std::vector<ByteView>& parts, const Packed& about,
                            const std::vector<ChunkEntry>& entries,
                            const RecordSink::Shorten& shorten) {
  const std::uint64_t chunk_start = sink_->size();
  const ChunkRecords made = chunk_records(about, entries);
  std::vector<ByteView> all{view_of(made.head.bytes())};
  all.insert(all.end(), parts.begin(), parts.end());
  all.push_back(view_of(made.indexes.bytes()));
  auto done = sink_->append(all, shorten);
  if (!done) {
    failed_ = true;
    for (const ChannelId channel : used_) index_[channel].clear();
    return done;
  }

  Builder index;
  const std::size_t mark = index.begin(Op::kChunkIndex);
  index.u64(made.first_time);
  index.u64(made.last_time);
  index.u64(chunk_start);
  index.u64(made.head.size() + about.stored.size);
  index.text(made.places.bytes());
  index.u64(made.indexes.size());
  index.text(about.codec);
  index.u64(about.stored.size);
  index.u64(about.decoded_size);
  index.end(mark);
  chunk_indexes_.add(index.bytes());

  for (const ChunkEntry& entry : entries)
    if (!event_streams_[entry.channel]) frames_.add(entry.frame);
  frames_.end_chunk();
  for (const ChannelId channel : used_) {
    messages_[channel] += index_[channel].size();
    index_[channel].clear();
  }
  first_time_ = message_count_ ? std::min(first_time_, made.first_time) : made.first_time;
  last_time_ = message_count_ ? std::max(last_time_, made.last_time) : made.last_time;
  message_count_ += entries.size();
  ++chunk_count_;
  return {};
}

// The leading complete messages that fit into the room. The file will have no footer, so nothing is
// counted.
std::vector<ByteView> ChunkFile::shortened(const std::vector<ByteView>& parts,
                                           std::vector<ChunkEntry> entries, std::uint64_t room) {
  std::uint64_t end = 0, indexes = 0;
  for (const ByteView part : parts) end += part.size;
  std::size_t count = 0;
  std::vector<bool> seen(index_.size());
  for (; count < entries.size(); ++count) {
    const ChannelId channel = entries[count].channel;
    indexes += kIndexEntry + (seen[channel] ? 0 : mcap::kRecordHead + kIndexFields);
    seen[channel] = true;
    const std::uint64_t next = count + 1 < entries.size() ? entries[count + 1].offset : end;
    if (mcap::kRecordHead + kChunkFields + next + indexes > room) {
      end = entries[count].offset;
      break;
    }
  }
  if (count == 0) return {};
  entries.resize(count);
  std::vector<ByteView> front;
  for (const ByteView part : parts) {
    front.push_back(part.sub(0, std::min<std::uint64_t>(part.size, end)));
    end -= front.back().size;
  }
  for (const ChannelId channel : used_) index_[channel].clear();
  shortened_ = chunk_records(plain(front), entries);
  front.insert(front.begin(), view_of(shortened_.head.bytes()));
  front.push_back(view_of(shortened_.indexes.bytes()));
  return front;
}

Status ChunkFile::finish(bool sync) {
  // A file that lost something must not get a footer.
  if (failed_) return sink_->end(RecordSink::End::kBroken);
  if (const auto index = frames_.to_text())
    if (auto done = add_metadata(kFrameIndexName, *index); !done) {
      (void)sink_->end(RecordSink::End::kBroken);
      return done;
    }
  Builder end;
  std::size_t mark = end.begin(Op::kDataEnd);
  end.u32(0);
  end.end(mark);
  const std::uint64_t summary_start = sink_->size() + end.size();

  // The summary in three parts: before the chunk indexes, the indexes, and after them.
  Builder front, back, offsets;
  std::uint64_t size = 0;
  const auto offset_of = [&](Op op, std::uint64_t length) {
    const std::size_t at = offsets.begin(Op::kSummaryOffset);
    offsets.u8(static_cast<std::uint8_t>(op));
    offsets.u64(summary_start + size);
    offsets.u64(length);
    offsets.end(at);
    size += length;
  };
  const auto group = [&](Builder& part, Op op, const Builder& records) {
    if (records.size() == 0) return;
    offset_of(op, records.size());
    part.raw(records.bytes().data(), records.size());
  };
  Builder statistics;
  mark = statistics.begin(Op::kStatistics);
  statistics.u64(message_count_);
  statistics.u16(schema_count_);
  statistics.u32(static_cast<std::uint32_t>(ids_.size()));
  statistics.u32(attachment_count_);
  statistics.u32(metadata_count_);
  statistics.u32(chunk_count_);
  statistics.u64(first_time_);
  statistics.u64(last_time_);
  statistics.u32(static_cast<std::uint32_t>(ids_.size() * 10));
  for (const ChannelId id : ids_) {
    statistics.u16(id);
    statistics.u64(messages_[id]);
  }
  statistics.end(mark);

  const auto chunks = chunk_indexes_.parts();
  if (chunks.empty()) {
    (void)sink_->end(RecordSink::End::kBroken);
    return Error{ErrorKind::kLimit,
                 "no memory for the index of the trace; 'edgeprobe trace recover' makes a finished "
                 "one of it"};
  }
  group(front, Op::kSchema, schemas_);
  group(front, Op::kChannel, channels_);
  group(front, Op::kStatistics, statistics);
  if (chunk_indexes_.size()) offset_of(Op::kChunkIndex, chunk_indexes_.size());
  group(back, Op::kMetadataIndex, metadata_indexes_);
  group(back, Op::kAttachmentIndex, attachment_indexes_);
  const std::uint64_t offsets_start = summary_start + size;
  back.raw(offsets.bytes().data(), offsets.size());
  back.u8(static_cast<std::uint8_t>(Op::kFooter));
  back.u64(8 + 8 + 4);
  back.u64(summary_start);
  back.u64(offsets_start);
  std::uint32_t checksum = crc32(view_of(front.bytes()));
  for (const ByteView part : chunks) checksum = crc32(part, checksum);
  back.u32(crc32(view_of(back.bytes()), checksum));
  back.raw(mcap::kMagic, sizeof mcap::kMagic);

  std::vector<ByteView> all{view_of(end.bytes()), view_of(front.bytes())};
  all.insert(all.end(), chunks.begin(), chunks.end());
  all.push_back(view_of(back.bytes()));
  auto done = sink_->append(all, nullptr);
  if (done && sync) done = sink_->sync();
  auto ended = sink_->end(done ? RecordSink::End::kWhole : RecordSink::End::kBroken);
  return done ? ended : done;
}

}  // namespace edgeprobe::trace
