// SPDX-License-Identifier: Apache-2.0
#include "trace/read/scan.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "core/text.h"
#include "trace/channel_text.h"
#include "trace/event_stream.h"
#include "trace/frame_index.h"
#include "trace/mcap/crc32.h"
#include "trace/mcap/refused.h"
#include "trace/mcap/summary.h"
#include "trace/mcap/walk.h"
#include "trace/read/frame_list.h"

namespace edgeprobe::trace {
namespace {

using mcap::Cursor;
using mcap::Op;
using mcap::Record;

constexpr int kIgnored = ChannelTable::kIgnored, kFrames = ChannelTable::kFrames,
              kUnknown = ChannelTable::kUnknown;
constexpr std::size_t kMostBare = 100;
// limit for a Channel or Metadata record
constexpr std::size_t kLongestDescription = std::size_t{16} << 20;
constexpr std::size_t kMostMetadata = std::size_t{64} << 20;
constexpr std::uint64_t kLooseSegment = std::uint64_t{4} << 20;

class Scanner {
 public:
  Scanner(const MappedFile& file, const std::string& label, Problems& problems, Depth depth)
      : file_(file),
        bytes_(file.bytes()),
        label_(label),
        problems_(problems),
        depth_(depth),
        frames_(label, problems) {}

  /// Returns nothing if the indexes do not match the file: it must be scanned without them.
  std::optional<Result<Contents>> run() {
    if (auto refused = refused_start(bytes_, label_)) return Result<Contents>(*refused);
    const Summary summary = read_summary(bytes_, problems_);
    if (depth_ == Depth::kIndex && !read_index(summary)) return std::nullopt;
    contents_.is_finished = summary.has_footer;
    for (const ByteView channel : summary.channels) add_channel(channel, "in the summary");
    // A summary lists all channels or none; it has a checksum, which records outside chunks lack.
    summary_has_channels_ = !summary.channels.empty();
    const Walked walked = walk(file_, summary, problems_, [this](const Record& record) {
      take(record);
      return !stop_ && !unsound_;
    });
    if (index_ && !end_index(summary, walked)) return std::nullopt;
    if (stop_) return Result<Contents>(*stop_);
    tell_the_end(summary, walked);
    // A writer adds a checksum to all of its records or to none.
    if (has_checksums_)
      for (const std::string& bare : bare_metadata_)
        problems_.add(bare + " has no checksum, though others have");
    if (auto refused = check_version()) return Result<Contents>(*refused);
    if (contents_.channels.empty() && !profile_.empty() && profile_ != "edgeprobe")
      return Result<Contents>(
          Error{ErrorKind::kUnsupported,
                label_ + " is an MCAP file of profile '" + sanitized(profile_, 30) +
                    "' without any tensor channel; expected profile 'edgeprobe'"});
    if (!frames_.finish() && index_) return std::nullopt;
    if (frames_.failure()) return Result<Contents>(*frames_.failure());
    contents_.frames = std::move(frames_.frames);
    contents_.records = std::move(frames_.records);
    for (const ReadChannel& channel : contents_.channels)
      if (channel.messages > contents_.frames.size())
        problems_.add("'" + sanitized(topic_of(channel.channel), 60) + "' has " +
                      std::to_string(channel.messages) + " messages for " +
                      std::to_string(contents_.frames.size()) +
                      " frames: sequence numbers repeat; the first message of a frame counts");
    return Result<Contents>(std::move(contents_));
  }

 private:
  void compare_counts(const char* what, std::uint64_t claimed, std::uint64_t found) {
    if (claimed != found)
      problems_.add("the summary counts " + std::to_string(claimed) + " " + what + ", " +
                    std::to_string(found) + " were found");
  }

  void tell_the_end(const Summary& summary, const Walked& walked) {
    if (!summary.has_footer)
      problems_.add(
          "the file has no footer: the recording did not finish, or the file was cut at " +
          std::to_string(bytes_.size) + " bytes; " + std::to_string(chunks_) +
          " whole chunks were kept");
    else if (!walked.ended) problems_.add("the data section has no end record");
    if (!summary.counts) return;
    compare_counts("messages", summary.counts->messages, messages_);
    compare_counts("metadata records", summary.counts->metadata, metadata_records_);
    compare_counts("chunks", summary.counts->chunks, chunks_);
  }

  // Reads the frame index, from a summary with a correct checksum.
  bool read_index(const Summary& summary) {
    if (!summary.has_checksum || !summary.counts) return false;
    for (const Summary::MetadataAt& metadata : summary.metadata) {
      if (metadata.name != kFrameIndexName) continue;
      const auto record = mcap::record_at(bytes_, metadata.offset);
      if (!record || record->op != Op::kMetadata || record->content.size > kMostMetadata)
        return false;
      Cursor fields(record->content);
      const std::string name(fields.text());
      const mcap::TextMap values = fields.map();
      const auto sum = values.find("crc32");
      if (!fields.ok() || name != kFrameIndexName || sum == values.end() ||
          sum->second != mcap::metadata_checksum(name, values))
        return false;
      index_ = FrameIndex::from_text(values);
      return index_.has_value();
    }
    return false;
  }

  bool end_index(const Summary& summary, const Walked& walked) {
    end_segment();
    // Each frame has a message and each message was visited, so a false claim cannot cost more
    // memory than the file has bytes.
    if (unsound_ || !walked.ended || chunks_ != index_->chunks().size() ||
        chunks_ != summary.counts->chunks || messages_ != summary.counts->messages ||
        index_->frame_count() > messages_)
      return false;
    frames_.add_all(*index_);
    return true;
  }

  void take(const Record& record) {
    if (index_ && record.op != Op::kMessageIndex) end_segment();
    switch (record.op) {
      case Op::kHeader: {
        Cursor fields(record.content);
        profile_ = std::string(fields.text().substr(0, 100));
        contents_.library = std::string(fields.text().substr(0, 1000));
        break;
      }
      case Op::kChannel: add_channel(record.content, at(record.offset)); break;
      case Op::kMetadata: add_metadata(record); break;
      case Op::kChunk: add_chunk(record); break;
      case Op::kMessage: add_loose(record); break;
      case Op::kMessageIndex: add_index(record); break;
      default: break;  // schemas, indexes, attachments, later record kinds
    }
  }

  void add_channel(ByteView content, const std::string& where) {
    const bool is_too_long = content.size > kLongestDescription;
    const auto fields = is_too_long ? std::nullopt : mcap::channel_fields(content);
    if (!fields) {
      problems_.add("the channel record " + where +
                    (is_too_long ? " is larger than 16 MiB" : " is broken") + "; it is ignored");
      return;
    }
    const auto& [id, topic, encoding, metadata] = *fields;
    const Described described{content.size, crc32(content)};
    if (contents_.channel_of[id] != kUnknown) {
      if (described_[id] != described)  // an id that occurs only in messages has no description
        problems_.add("channel " + std::to_string(id) + " ('" + sanitized(topic, 60) +
                      "') comes again " + where + " with other contents; the first counts");
      return;
    }
    if (summary_has_channels_)
      problems_.add("channel " + std::to_string(id) + " ('" + sanitized(topic, 60) + "') " + where +
                    " is not in the summary");
    described_[id] = described;
    contents_.channel_of.set(id, kIgnored);
    if (topic == kFrameTopic && encoding == kFrameEncoding) {
      contents_.channel_of.set(id, kFrames);
    } else if (auto stream = event_stream_from(topic, encoding)) {
      contents_.stream[id] = {std::move(*stream), 0};
    } else if (encoding != kTensorEncoding) {
      problems_.add_foreign("channel '" + sanitized(topic, 60) + "' (encoding '" +
                            sanitized(encoding, 30) +
                            "') is nothing that a trace describes; it is ignored");
    } else if (auto channel = channel_from(topic, metadata); !channel) {
      problems_.add(channel.error().what + "; the channel is ignored");
    } else {
      contents_.channel_of.set(id, static_cast<int>(contents_.channels.size()));
      contents_.channels.push_back({id, std::move(*channel), 0});
    }
  }

  void add_metadata(const Record& record) {
    ++metadata_records_;
    metadata_bytes_ += record.content.size;
    Cursor fields(record.content);
    const std::string name(fields.text());
    mcap::TextMap values = metadata_bytes_ <= kMostMetadata ? fields.map() : mcap::TextMap{};
    if (!fields.ok() || metadata_bytes_ > kMostMetadata) {
      problems_.add("the metadata record" + at(record.offset) +
                    (fields.ok() ? " passes the limit of 64 MiB for all metadata" : " is broken") +
                    "; it is ignored");
      return;
    }
    if (const auto sum = values.find("crc32"); sum != values.end()) {
      if (sum->second != mcap::metadata_checksum(name, values))
        problems_.add("the checksum of metadata '" + sanitized(name, 60) + "'" + at(record.offset) +
                      " is wrong");
      values.erase(sum);
      has_checksums_ = true;
    } else {
      if (bare_metadata_.size() < kMostBare)
        bare_metadata_.push_back("metadata '" + sanitized(name, 60) + "'" + at(record.offset));
    }
    if (name == kFrameIndexName) return;  // for the reader, not for users
    for (auto& [key, value] : values) contents_.metadata[name][key] = std::move(value);
    if (values.empty()) contents_.metadata[name];
  }

  void add_chunk(const Record& record) {
    ++chunks_;
    loose_end_ = 0;
    const auto fields = mcap::chunk_fields(record.content);
    if (!fields) {
      problems_.add("the chunk" + at(record.offset) +
                    " claims more bytes than it has, or other sizes than it is; it is skipped");
      return;
    }
    Segment segment = chunk_segment(record, *fields, bytes_);
    if (index_ && segment.codec.empty()) {
      segment.indexed = true;
      open_ = std::move(segment);
      return;
    }
    if (!segment.codec.empty() && segment.decoded_size <= kLargestDecoded)
      decoded_bytes_ += segment.decoded_size;
    if (decoded_bytes_ > most_decoded(bytes_.size)) {
      stop_ = Error{ErrorKind::kLimit,
                    label_ + ": the chunks up to the one" + at(record.offset) + " claim " +
                        std::to_string(decoded_bytes_) + " bytes when decoded, at most " +
                        std::to_string(most_decoded(bytes_.size)) + " are read from a file of " +
                        std::to_string(bytes_.size) + " bytes"};
      return;
    }
    Decoded decoded;
    // A compressed chunk is in memory already, so its checksum costs little; an uncompressed one is
    // checked when its tensors are read.
    const auto body = segment_bytes(file_, segment, decoded, /*verify=*/!segment.codec.empty());
    if (!body) {
      problems_.add(body.error().what + "; it is skipped");
      return;
    }
    std::size_t next = 0;
    while (next < body->size) {
      const auto inner = mcap::record_at(*body, next);
      if (!inner) {
        problems_.add("the chunk" + at(record.offset) +
                      " holds a record that does not fit it; the chunk is skipped");
        return;
      }
      next = inner->end();
    }
    add_messages(*body, segment);
    if (segment.messages) contents_.segments.push_back(std::move(segment));
  }

  // Reads the index of one channel's messages in the preceding chunk: reads frame records, but only
  // counts tensors.
  void add_index(const Record& record) {
    if (!open_) return;
    Cursor fields(record.content);
    const std::uint16_t id = fields.u16();
    Cursor list(view_of(fields.text()));
    const std::size_t count = list.rest().size / 16;
    if (!fields.ok() || list.rest().size % 16 != 0 || chunks_ > index_->chunks().size()) {
      unsound_ = true;
      return;
    }
    messages_ += count;
    const int index = contents_.channel_of[id];
    if (index == kUnknown || index == kIgnored) {
      unsound_ |= index == kUnknown;
      count_events(id, count);
      return;
    }
    open_->messages += count;
    if (index >= 0) {
      contents_.channels[static_cast<std::size_t>(index)].messages += count;
      return;
    }
    const auto& [first, last] = index_->chunks()[chunks_ - 1];
    const ByteView body = bytes_.sub(open_->offset, open_->size);
    for (std::size_t i = 0; i < count && !unsound_; ++i) {
      const std::uint64_t time = list.u64(), offset = list.u64();
      const auto message = mcap::record_at(body, offset);
      const auto head = message && message->op == Op::kMessage
                            ? mcap::message_head(message->content)
                            : std::nullopt;
      unsound_ = !head || head->channel != id || head->log_time != time || head->sequence < first ||
                 head->sequence > last;
      if (!unsound_) add_record(message->content, *head);
    }
  }

  void count_events(ChannelId id, std::uint64_t count) {
    if (const auto stream = contents_.stream.find(id); stream != contents_.stream.end())
      stream->second.messages += count;
  }

  void end_segment() {
    if (!open_) return;
    if (chunks_ > index_->chunks().size()) {
      unsound_ = true;
    } else if (open_->messages) {
      std::tie(open_->first_frame, open_->last_frame) = index_->chunks()[chunks_ - 1];
      contents_.segments.push_back(std::move(*open_));
    }
    open_.reset();
  }

  void add_record(ByteView content, const mcap::MessageHead& head) {
    frames_.add_record(content.sub(mcap::kMessageHead, content.size - mcap::kMessageHead), head);
    if (frames_.failure()) stop_ = *frames_.failure();
  }

  void add_messages(ByteView body, Segment& segment) {
    for (std::size_t next = 0; next < body.size && !stop_;) {
      const auto inner = mcap::record_at(body, next);
      next = inner->end();
      if (inner->op == Op::kChannel)
        add_channel(inner->content, "in the chunk" + at(segment.record));
      if (inner->op == Op::kMessage) add_message(*inner, segment);
    }
  }

  void add_loose(const Record& record) {
    auto& segments = contents_.segments;
    if (loose_end_ == 0 || record.end() - segments.back().offset > kLooseSegment) {
      segments.emplace_back();
      segments.back().record = segments.back().offset = record.offset;
      segments.back().verified = true;  // no checksum to compare
    }
    Segment& segment = segments.back();
    segment.size = segment.decoded_size = record.end() - segment.offset;
    loose_end_ = record.end();
    add_message(record, segment);
  }

  void add_message(const Record& record, Segment& segment) {
    ++messages_;
    const auto head = mcap::message_head(record.content);
    if (!head) {
      problems_.add("a message in the chunk" + at(segment.record) +
                    " is shorter than its fields; it is ignored");
      return;
    }
    const int index = contents_.channel_of[head->channel];
    if (index == kUnknown) {
      problems_.add("messages on channel " + std::to_string(head->channel) +
                    " come before its description; they are ignored");
      contents_.channel_of.set(head->channel, kIgnored);
    }
    if (index == kUnknown || index == kIgnored) return count_events(head->channel, 1);
    if (index == kFrames) {
      add_record(record.content, *head);
    } else if (!tensor_message(contents_, record)) {
      const ReadChannel& channel = contents_.channels[static_cast<std::size_t>(index)];
      misfit_.resize(contents_.channels.size());
      if (!misfit_[static_cast<std::size_t>(index)])
        problems_.add("frame " + std::to_string(head->sequence) + " of '" +
                      sanitized(topic_of(channel.channel), 60) + "' has " +
                      std::to_string(record.content.size - mcap::kMessageHead) +
                      " bytes, expected " +
                      std::to_string(message_size(channel.channel).value_or(0)) +
                      "; messages of a wrong length are ignored");
      misfit_[static_cast<std::size_t>(index)] = true;
      return;
    } else {
      ++contents_.channels[static_cast<std::size_t>(index)].messages;
    }
    ++segment.messages;
    segment.first_frame = std::min(segment.first_frame, head->sequence);
    segment.last_frame = std::max(segment.last_frame, head->sequence);
    frames_.add(head->sequence);
    if (frames_.failure()) stop_ = *frames_.failure();
  }

  std::optional<Error> check_version() const {
    const auto group = contents_.metadata.find("edgeprobe.trace");
    if (group == contents_.metadata.end()) return std::nullopt;
    const auto entry = group->second.find("version");
    if (entry == group->second.end()) return std::nullopt;
    return refused_version(label_, entry->second);
  }

  struct Described {
    std::size_t size = 0;
    std::uint32_t checksum = 0;
    bool operator!=(const Described& other) const {
      return size != other.size || checksum != other.checksum;
    }
  };

  const MappedFile& file_;
  ByteView bytes_;
  const std::string& label_;
  Problems& problems_;
  Depth depth_;
  FrameList frames_;
  Contents contents_;
  std::optional<FrameIndex> index_;
  std::optional<Segment> open_;  // the segment whose indexes are being read
  bool unsound_ = false;         // the indexes do not match the contents
  std::map<std::uint16_t, Described> described_;
  std::string profile_;
  std::vector<bool> misfit_;
  std::vector<std::string> bare_metadata_;
  bool has_checksums_ = false, summary_has_channels_ = false;
  std::optional<Error> stop_;
  std::uint64_t messages_ = 0, metadata_records_ = 0, chunks_ = 0, loose_end_ = 0,
                decoded_bytes_ = 0;
  std::size_t metadata_bytes_ = 0;
};

}  // namespace

std::optional<FoundMessage> tensor_message(const Contents& contents, const mcap::Record& record) {
  if (record.op != Op::kMessage) return std::nullopt;
  const auto head = mcap::message_head(record.content);
  if (!head) return std::nullopt;
  const int index = contents.channel_of[head->channel];
  if (index < 0) return std::nullopt;
  const std::size_t size = record.content.size - mcap::kMessageHead;
  const auto expected = message_size(contents.channels[static_cast<std::size_t>(index)].channel);
  if (expected && *expected != size) return std::nullopt;
  return FoundMessage{index, head->sequence, head->log_time,
                      record.content.sub(mcap::kMessageHead, size)};
}

Result<Contents> scan(const MappedFile& file, const std::string& label, Problems& problems,
                      Depth depth) {
  const Problems before = problems;
  if (auto contents = Scanner(file, label, problems, depth).run()) return std::move(*contents);
  problems = before;
  return std::move(*Scanner(file, label, problems, Depth::kMessages).run());
}

bool holds_what_indexes_say(const Contents& contents, Segment& segment, ByteView body) {
  if (!segment.indexed) return true;
  segment.indexed = false;
  std::uint64_t count = 0;
  std::uint32_t seen = 0;  // the previous frame, to look each frame up only once
  bool has_seen = false, fits = true;
  for (std::size_t next = 0; next < body.size && fits;) {
    const auto record = mcap::record_at(body, next);
    fits = record.has_value();
    if (!fits) break;
    next = record->end();
    if (record->op != Op::kMessage) continue;
    const auto head = mcap::message_head(record->content);
    fits = head && contents.channel_of[head->channel] != kUnknown;
    if (!fits || contents.channel_of[head->channel] == kIgnored) continue;
    ++count;
    fits = (contents.channel_of[head->channel] == kFrames || tensor_message(contents, *record)) &&
           head->sequence >= segment.first_frame && head->sequence <= segment.last_frame &&
           ((has_seen && seen == head->sequence) ||
            std::binary_search(contents.frames.begin(), contents.frames.end(), head->sequence));
    seen = head->sequence;
    has_seen = true;
  }
  segment.damaged = !fits || count != segment.messages;
  return !segment.damaged;
}

}  // namespace edgeprobe::trace
