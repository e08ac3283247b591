// SPDX-License-Identifier: Apache-2.0
#include "trace/read/copy.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/file.h"
#include "core/text.h"
#include "trace/mcap/crc32.h"
#include "trace/mcap/refused.h"
#include "trace/mcap/walk.h"
#include "trace/names.h"
#include "trace/read/scan.h"
#include "trace/record/chunk_file.h"

namespace edgeprobe::trace {
namespace {

using mcap::Cursor;
using mcap::Op;
using mcap::Record;

constexpr std::uint64_t kLooseChunk = std::uint64_t{2} << 20;
constexpr std::size_t kLongestDescription = std::size_t{16} << 20;

class Copier {
 public:
  // Unset `compression`: chunks are copied as stored.
  Copier(MappedFile file, std::string label, std::optional<Compression> compression,
         const CopyOptions& options, const Control& control)
      : file_(std::move(file)),
        label_(std::move(label)),
        compression_(std::move(compression)),
        options_(options),
        control_(control) {}

  Result<CopyReport> run(const std::filesystem::path& target) {
    const ByteView bytes = file_.bytes();
    const Summary summary = read_summary(bytes, problems_);
    EP_TRY(auto out, ChunkFile::create_hidden(target, origin()));
    out_.emplace(std::move(out));
    report_.was_finished = summary.has_footer;
    report_.bytes_before = bytes.size;
    for (const ByteView schema : summary.schemas) take_schema(schema);
    for (const ByteView channel : summary.channels) take_channel(channel);
    const Walked walked = walk(file_, summary, problems_, [this, bytes](const Record& record) {
      take(record);
      if (control_.progress)
        control_.progress(static_cast<std::size_t>(record.end()), bytes.size, "bytes");
      if (control_.stopped()) stop_ = Error{ErrorKind::kInterrupted, "stopped"};
      return !stop_;
    });
    flush_loose();
    if (stop_) return *stop_;
    count_losses(summary, walked);
    report_.problems = problems_.sentences();
    if (compression_ && report_.lost_something())
      return Error{ErrorKind::kCorrupt,
                   label_ +
                       (report_.problems.empty() ? " has no footer: it was not finished"
                                                 : ": " + report_.problems[0]) +
                       "; nothing was written. 'edgeprobe trace recover' makes a whole file of "
                       "what is left"};
    return finish();
  }

 private:
  // The program that wrote the source.
  std::string origin() const {
    const auto header = mcap::record_at(file_.bytes(), sizeof mcap::kMagic);
    if (!header || header->op != Op::kHeader) return "";
    Cursor fields(header->content);
    fields.text();
    return as_utf8(fields.text().substr(0, 200));
  }

  void take(const Record& record) {
    if (record.op != Op::kMessage) flush_loose();
    switch (record.op) {
      case Op::kSchema: take_schema(record.content); break;
      case Op::kChannel: take_channel(record.content); break;
      case Op::kMetadata: take_metadata(record); break;
      case Op::kAttachment: take_attachment(record); break;
      case Op::kChunk: take_chunk(record); break;
      case Op::kMessage: take_loose(record); break;
      default: break;  // indexes are rebuilt
    }
  }

  void take_schema(ByteView content) {
    Cursor fields(content);
    const std::uint16_t id = fields.u16();
    ChunkFile::Schema schema;
    schema.name = as_utf8(fields.text());
    schema.encoding = as_utf8(fields.text());
    schema.data = std::string(fields.text());
    if (fields.ok() && id != 0 && content.size <= kLongestDescription)
      schemas_.try_emplace(id, SchemaEntry{std::move(schema), false});
  }

  // The first description of an id counts, as in the reader; its schema is written before the first
  // channel that uses it.
  void take_channel(ByteView content) {
    Cursor fields(content);
    const std::uint16_t id = fields.u16();
    std::uint16_t schema = fields.u16();
    const std::string topic = as_utf8(fields.text()), encoding = as_utf8(fields.text());
    const auto read = content.size <= kLongestDescription ? fields.map() : mcap::TextMap{};
    if (!fields.ok() || content.size > kLongestDescription) {
      problems_.add("a channel record is broken or larger than 16 MiB; it is left out");
      return;
    }
    if (is_channel(id)) return;
    mcap::TextMap metadata;
    for (const auto& [key, value] : read) metadata[as_utf8(key)] = as_utf8(value);
    if (const auto known = schemas_.find(schema); known != schemas_.end()) {
      if (!std::exchange(known->second.is_written, true))
        note(out_->add_schema(schema, known->second.schema));
    } else {
      schema = 0;
    }
    channels_.resize(std::max<std::size_t>(channels_.size(), id + std::size_t{1}));
    channels_[id] = true;
    note(out_->add_channel(id, schema, topic, encoding, metadata));
  }

  bool is_channel(std::uint16_t id) const { return id < channels_.size() && channels_[id]; }

  void take_metadata(const Record& record) {
    Cursor fields(record.content);
    const std::string name(fields.text());
    const mcap::TextMap read =
        record.content.size <= kLongestDescription ? fields.map() : mcap::TextMap{};
    if (!fields.ok() || record.content.size > kLongestDescription) {
      problems_.add("the metadata record" + at(record.offset) +
                    " is broken or larger than 16 MiB; it is left out");
      return;
    }
    if (name == kFrameIndexName) return;  // rebuilt
    const auto sum = read.find("crc32");
    if (sum != read.end() && sum->second != mcap::metadata_checksum(name, read)) {
      problems_.add("the checksum of metadata '" + sanitized(name, 60) + "'" + at(record.offset) +
                    " is wrong; the record is left out");
      return;
    }
    mcap::TextMap values;
    for (const auto& [key, value] : read)
      if (key != "crc32") values[as_utf8(key)] = as_utf8(value);
    const auto version = values.find("version");
    if (name == "edgeprobe.trace" && version != values.end())
      if (auto refused = refused_version(label_, version->second)) stop_ = *refused;
    if (!stop_) note(out_->add_metadata(as_utf8(name), std::move(values)));
  }

  void take_attachment(const Record& record) {
    const ByteView content = record.content;
    Cursor fields(content);
    fields.u64();
    fields.u64();
    fields.text();
    fields.text();
    const std::uint64_t size = fields.u64();
    const bool fits = fields.ok() && fields.rest().size >= 4 && fields.rest().size - 4 == size;
    const std::uint32_t sum = fits ? load_little<std::uint32_t>(content.end() - 4) : 0;
    if (!fits || (sum != 0 && sum != crc32(content.sub(0, content.size - 4)))) {
      problems_.add("the attachment" + at(record.offset) + " is damaged; it is left out");
      return;
    }
    note(out_->add_attachment(content));
  }

  void take_chunk(const Record& record) {
    ++source_chunks_;
    const auto fields = mcap::chunk_fields(record.content);
    const auto damaged = [&](const std::string& why) {
      problems_.add("the chunk" + at(record.offset) + " " + why + "; it is left out");
      ++report_.damaged_chunks;
      report_.lost_bytes += record.content.size + mcap::kRecordHead;
    };
    if (!fields) return damaged("claims more bytes than it has, or other sizes than it is");
    ByteView body = fields->stored;
    Decoded decoded;
    if (!fields->codec.empty()) {
      // A chunk's false claim must not reduce the allowance of valid chunks after it.
      if (fields->decoded_size > most_decoded(file_.bytes().size) - decoded_bytes_)
        return damaged("passes the limit of what one file may decode to");
      decoded_bytes_ += fields->decoded_size;
      auto result = decode(fields->codec, body, fields->decoded_size);
      if (!result) return damaged("cannot be decoded: " + result.error().what);
      decoded = std::move(*result);
      body = decoded.bytes();
    }
    if (fields->checksum != 0 && crc32(body) != fields->checksum) {
      damaged("is damaged: its checksum is wrong");
      return keep_descriptions(body);
    }
    for (std::size_t next = 0; next < body.size;) {
      const auto inner = mcap::record_at(body, next);
      if (!inner) {
        damaged("holds a record that does not fit it");
        return keep_descriptions(body);
      }
      next = inner->end();
    }
    parts_.clear();
    entries_.clear();
    for (std::size_t next = 0; next < body.size;) {
      const auto inner = mcap::record_at(body, next);
      next = inner->end();
      if (inner->op == Op::kSchema) take_schema(inner->content);
      if (inner->op == Op::kChannel) take_channel(inner->content);
      if (inner->op == Op::kMessage) add_message(body.sub(inner->offset, next - inner->offset));
    }
    const bool is_whole = parts_.size() == 1 && parts_[0].size == body.size;
    if (!compression_ && is_whole && !fields->codec.empty() && fields->checksum != 0)
      put({fields->codec, fields->stored, fields->decoded_size, fields->checksum});
    else
      put_encoded(compression_
                      ? *compression_
                      : Compression{std::string(fields->codec), default_level(fields->codec)});
  }

  // Other writers describe a channel only in the first chunk that uses it: if that chunk is
  // damaged, the messages of all valid chunks after it would be lost. `body` is damaged, so a valid
  // description, if one follows, takes precedence.
  void keep_descriptions(ByteView body) {
    for (std::size_t next = 0; next < body.size;) {
      const auto inner = mcap::record_at(body, next);
      if (!inner) break;
      next = inner->end();
      if (inner->op == Op::kSchema) take_schema(inner->content);
      Cursor fields(inner->content);
      if (inner->op == Op::kChannel) doubtful_.try_emplace(fields.u16(), inner->content.copy());
    }
  }

  bool is_described(std::uint16_t id) {
    if (is_channel(id)) return true;
    const auto found = doubtful_.find(id);
    if (found == doubtful_.end()) return false;
    take_channel(found->second);
    if (is_channel(id) && !std::exchange(told_doubtful_, true))
      problems_.add(
          "channels that only a damaged chunk describes keep the names, shapes and scales from it: "
          "check them");
    return is_channel(id);
  }

  // `message` is a whole Message record; adjacent messages stay one part.
  void add_message(ByteView message) {
    const auto head =
        mcap::message_head(message.sub(mcap::kRecordHead, message.size - mcap::kRecordHead));
    if (!head || !is_described(head->channel)) {
      if (!std::exchange(told_orphans_, true))
        problems_.add(
            "messages without a whole head, or on channels that nothing describes, are left out");
      report_.lost_bytes += message.size;
      return;
    }
    std::uint64_t offset = 0;
    if (!entries_.empty()) offset = entries_.back().offset + last_size_;
    entries_.push_back({head->channel, head->sequence, head->log_time, offset});
    last_size_ = message.size;
    if (!parts_.empty() && parts_.back().end() == message.data) parts_.back().size += message.size;
    else parts_.push_back(message);
  }

  void take_loose(const Record& record) {
    if (entries_.empty()) parts_.clear();
    add_message(file_.bytes().sub(record.offset, record.end() - record.offset));
    if (!entries_.empty() && entries_.back().offset + last_size_ >= kLooseChunk) flush_loose();
  }

  void flush_loose() {
    if (!entries_.empty()) put_encoded(compression_ ? *compression_ : Compression{});
  }

  void put_encoded(const Compression& compression) {
    if (entries_.empty() || stop_) return;
    if (compression.codec.empty()) return put_plain();
    Bytes joined;
    ByteView body = parts_[0];
    if (parts_.size() > 1) {
      for (const ByteView part : parts_) joined.insert(joined.end(), part.begin(), part.end());
      body = joined;
    }
    auto packed = encode(compression, body);
    if (!packed) return note(packed.error());
    // Our reader must accept our files: once the decoded size would exceed the limit, chunks are
    // stored uncompressed.
    packed_bytes_ += body.size;
    if (packed->empty() || packed_bytes_ > most_decoded(out_->size())) return put_plain();
    put({compression.codec, *packed, body.size, crc32(body)});
  }

  void put_plain() {
    const std::size_t messages = entries_.size();
    note(out_->add_chunk(parts_, entries_));
    count_chunk(messages);
  }

  void put(const ChunkFile::Packed& chunk) {
    const std::size_t messages = entries_.size();
    note(out_->add_packed_chunk(chunk, entries_));
    count_chunk(messages);
  }

  void count_chunk(std::size_t messages) {
    ++report_.chunks;
    report_.messages += messages;
    entries_.clear();
    parts_.clear();
  }

  void note(const Status& status) {
    if (!status && !stop_) stop_ = status.error();
  }

  void count_losses(const Summary& summary, const Walked& walked) {
    const std::uint64_t data = (walked.ended ? walked.end : summary.data_end) - sizeof mcap::kMagic;
    report_.lost_bytes += data - std::min(data, walked.visited_bytes);
    const auto compare = [this](const char* what, std::uint64_t claimed, std::uint64_t found) {
      if (claimed != found)
        problems_.add("the summary counts " + std::to_string(claimed) + " " + what + ", " +
                      std::to_string(found) + " were found");
    };
    if (!summary.counts) return;
    compare("chunks", summary.counts->chunks, source_chunks_);
    if (report_.damaged_chunks == 0)
      compare("messages", summary.counts->messages, report_.messages);
  }

  Result<CopyReport> finish() {
    if (report_.lost_something()) {
      EP_CHECK(out_->add_metadata("edgeprobe.recovered",
                                  {{"chunks", std::to_string(report_.chunks)},
                                   {"damaged_chunks", std::to_string(report_.damaged_chunks)},
                                   {"lost_bytes", std::to_string(report_.lost_bytes)}}));
    }
    EP_CHECK(out_->finish(options_.sync));
    report_.bytes_after = out_->size();
    return report_;
  }

  struct SchemaEntry {
    ChunkFile::Schema schema;
    bool is_written = false;
  };

  MappedFile file_;
  std::string label_;
  std::optional<Compression> compression_;
  const CopyOptions& options_;
  const Control& control_;
  Problems problems_;
  CopyReport report_;
  std::optional<ChunkFile> out_;
  std::map<std::uint16_t, SchemaEntry> schemas_;
  std::vector<bool> channels_;  // by id: true if described in the target
  std::vector<ByteView> parts_;
  std::vector<ChunkEntry> entries_;
  std::uint64_t last_size_ = 0, decoded_bytes_ = 0, packed_bytes_ = 0, source_chunks_ = 0;
  std::map<std::uint16_t, Bytes> doubtful_;  // Channel records from damaged chunks.
  bool told_orphans_ = false, told_doubtful_ = false;
  std::optional<Error> stop_;
};

Result<CopyReport> copy(const std::filesystem::path& source, const std::filesystem::path& target,
                        std::optional<Compression> compression, const CopyOptions& options,
                        const Control& control) {
  EP_TRY(auto file, MappedFile::open(source));
  const std::string label = "'" + sanitized(source.string()) + "'";
  if (auto refused = refused_start(file.bytes(), label)) return *refused;
  return Copier(std::move(file), label, std::move(compression), options, control).run(target);
}

}  // namespace

Result<CopyReport> recover(const std::filesystem::path& source, const std::filesystem::path& target,
                           const CopyOptions& options, const Control& control) {
  return copy(source, target, std::nullopt, options, control);
}

Result<CopyReport> pack(const std::filesystem::path& source, const std::filesystem::path& target,
                        const Compression& compression, const CopyOptions& options,
                        const Control& control) {
  return copy(source, target, compression, options, control);
}

}  // namespace edgeprobe::trace
