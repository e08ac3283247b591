#include "trace/chunk_file.h"

#include <algorithm>

#include "trace/crc32.h"

namespace edgeprobe::trace {
namespace {

using mcap::Builder;
using mcap::Op;

constexpr const char* kLibrary = "edgeprobe " EDGEPROBE_VERSION;

void put_header(Builder& out, std::string_view origin) {
  out.raw(mcap::kMagic, sizeof mcap::kMagic);
  const std::size_t mark = out.begin(Op::kHeader);
  out.text("edgeprobe");
  out.text(origin.empty() || origin == kLibrary ? kLibrary : std::string(origin) + "; " + kLibrary);
  out.end(mark);
}

}  // namespace

Result<ChunkFile> ChunkFile::create(const std::filesystem::path& path, bool replace) {
  return start(Output::create(path, replace), "", /*hidden=*/false);
}

Result<ChunkFile> ChunkFile::create_hidden(const std::filesystem::path& path, std::string_view origin) {
  return start(Output::create_hidden(path, /*replace=*/false), origin, /*hidden=*/true);
}

Result<ChunkFile> ChunkFile::start(Result<Output> output, std::string_view origin, bool hidden) {
  if (!output) return output.error();
  ChunkFile file(std::move(*output));
  file.hidden_ = hidden;
  Builder records;
  put_header(records, origin);
  auto done = file.append(records);
  if (done && !hidden) done = file.output_.place();
  if (!done) {
    file.discard();
    return done.error();
  }
  return file;
}

Status ChunkFile::append(const Builder& records) {
  auto done = output_.append({view_of(records.bytes())});
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

Status ChunkFile::add_channel(ChannelId id, std::uint16_t schema, std::string_view topic, std::string_view encoding,
                              const mcap::TextMap& metadata) {
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
  }
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
  metadata_indexes_.u64(output_.size());
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
  for (const std::uint64_t value : {output_.size(), head.size() + std::uint64_t{content.size}, log_time, create_time, size})
    attachment_indexes_.u64(value);
  attachment_indexes_.text(name);
  attachment_indexes_.text(type);
  attachment_indexes_.end(mark);
  ++attachment_count_;
  auto done = output_.append({view_of(head.bytes()), content});
  if (!done) failed_ = true;
  return done;
}

Status ChunkFile::add_chunk(const std::vector<ByteView>& parts, const std::vector<ChunkEntry>& entries) {
  Packed plain;
  for (const ByteView part : parts) {
    plain.checksum = crc32(part, plain.checksum);
    plain.decoded_size += part.size;
  }
  plain.stored.size = plain.decoded_size;  // the parts are the bytes
  return put_chunk(parts, plain, entries);
}

Status ChunkFile::add_packed_chunk(const Packed& chunk, const std::vector<ChunkEntry>& entries) {
  return put_chunk({chunk.stored}, chunk, entries);
}

Status ChunkFile::put_chunk(const std::vector<ByteView>& parts, const Packed& about, const std::vector<ChunkEntry>& entries) {
  std::uint64_t first = entries.front().time_ns, last = first;
  used_.clear();
  for (const ChunkEntry& entry : entries) {
    first = std::min(first, entry.time_ns);
    last = std::max(last, entry.time_ns);
    frames_.add(entry.frame);
    auto& list = index_[entry.channel];
    if (list.empty()) used_.push_back(entry.channel);
    list.emplace_back(entry.time_ns, entry.offset);
  }

  frames_.end_chunk();

  const std::uint64_t bytes = about.stored.size;
  const std::uint64_t fields = 8 + 8 + 8 + 4 + 4 + about.codec.size() + 8;
  const std::uint64_t chunk_start = output_.size();
  Builder head;
  head.u8(static_cast<std::uint8_t>(Op::kChunk));
  head.u64(fields + bytes);
  head.u64(first);
  head.u64(last);
  head.u64(about.decoded_size);
  head.u32(about.checksum);
  head.text(about.codec);
  head.u64(bytes);
  const std::uint64_t chunk_length = head.size() + bytes;

  Builder indexes, places;
  for (const ChannelId channel : used_) {
    auto& list = index_[channel];
    places.u16(channel);
    places.u64(chunk_start + chunk_length + indexes.size());
    const std::size_t mark = indexes.begin(Op::kMessageIndex);
    indexes.u16(channel);
    indexes.u32(static_cast<std::uint32_t>(list.size() * 16));
    for (const auto& [time, offset] : list) {
      indexes.u64(time);
      indexes.u64(offset);
    }
    indexes.end(mark);
  }

  std::vector<ByteView> all{view_of(head.bytes())};
  all.insert(all.end(), parts.begin(), parts.end());
  all.push_back(view_of(indexes.bytes()));
  auto done = output_.append(all);
  if (!done) {
    failed_ = true;
    for (const ChannelId channel : used_) index_[channel].clear();
    return done;
  }

  const std::size_t mark = chunk_indexes_.begin(Op::kChunkIndex);
  chunk_indexes_.u64(first);
  chunk_indexes_.u64(last);
  chunk_indexes_.u64(chunk_start);
  chunk_indexes_.u64(chunk_length);
  chunk_indexes_.text(places.bytes());
  chunk_indexes_.u64(indexes.size());
  chunk_indexes_.text(about.codec);
  chunk_indexes_.u64(bytes);
  chunk_indexes_.u64(about.decoded_size);
  chunk_indexes_.end(mark);

  for (const ChannelId channel : used_) {
    messages_[channel] += index_[channel].size();
    index_[channel].clear();
  }
  first_time_ = message_count_ ? std::min(first_time_, first) : first;
  last_time_ = message_count_ ? std::max(last_time_, last) : last;
  message_count_ += entries.size();
  ++chunk_count_;
  return {};
}

Status ChunkFile::finish(bool sync) {
  // A file that lost something must not get a footer.
  if (failed_) return output_.close();
  if (const auto index = frames_.to_text())
    if (auto done = add_metadata(kFrameIndexName, *index); !done) {
      (void)output_.close();
      return done;
    }
  Builder end;
  std::size_t mark = end.begin(Op::kDataEnd);
  end.u32(0);
  end.end(mark);
  const std::uint64_t summary_start = output_.size() + end.size();

  Builder summary, offsets;
  const auto group = [&](Op op, const Builder& records) {
    if (records.size() == 0) return;
    const std::size_t at = offsets.begin(Op::kSummaryOffset);
    offsets.u8(static_cast<std::uint8_t>(op));
    offsets.u64(summary_start + summary.size());
    offsets.u64(records.size());
    offsets.end(at);
    summary.raw(records.bytes().data(), records.size());
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

  group(Op::kSchema, schemas_);
  group(Op::kChannel, channels_);
  group(Op::kStatistics, statistics);
  group(Op::kChunkIndex, chunk_indexes_);
  group(Op::kMetadataIndex, metadata_indexes_);
  group(Op::kAttachmentIndex, attachment_indexes_);
  const std::uint64_t offsets_start = summary_start + summary.size();
  summary.raw(offsets.bytes().data(), offsets.size());

  summary.u8(static_cast<std::uint8_t>(Op::kFooter));
  summary.u64(8 + 8 + 4);
  summary.u64(summary_start);
  summary.u64(offsets_start);
  summary.u32(crc32(view_of(summary.bytes())));
  summary.raw(mcap::kMagic, sizeof mcap::kMagic);

  auto done = output_.append({view_of(end.bytes()), view_of(summary.bytes())});
  if (done && sync) done = output_.sync();
  auto closed = output_.close();
  if (done) done = closed;
  if (done && hidden_) done = output_.place();
  return done;
}

}  // namespace edgeprobe::trace
