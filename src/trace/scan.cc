#include "trace/scan.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "core/text.h"
#include "trace/channel_text.h"
#include "trace/crc32.h"
#include "trace/frame_json.h"

namespace edgeprobe::trace {
namespace {

using mcap::Cursor;
using mcap::Op;
using mcap::Record;

constexpr int kIgnored = -1, kFrames = -2, kUnknown = -3;
constexpr std::size_t kMostProblems = 100;
constexpr std::size_t kLongestDescription = std::size_t{16} << 20;  // of a Channel or Metadata record
constexpr std::size_t kMostMetadata = std::size_t{64} << 20;
constexpr std::size_t kMostFrames = std::size_t{1} << 24;
constexpr std::size_t kMostRecordText = std::size_t{1} << 30;
constexpr std::uint64_t kLooseSegment = std::uint64_t{4} << 20;
constexpr std::uint64_t kVersion = 1;

std::string at(std::uint64_t offset) { return " at offset " + std::to_string(offset); }

// What the end of the file says about the rest.
struct Summary {
  std::uint64_t data_end = 0;  // where the data section ends at the latest
  bool has_footer = false;
  struct Counts {
    std::uint64_t messages, metadata, chunks;
  };
  std::optional<Counts> counts;
  std::vector<ByteView> channels;
  std::vector<std::uint64_t> chunks;  // offsets, ascending; used only to go on after damage
};

class Scanner {
 public:
  Scanner(const MappedFile& file, const std::string& label, Problems& problems)
      : file_(file), bytes_(file.bytes()), label_(label), problems_(problems) {
    contents_.channel_of.assign(65536, kUnknown);
  }

  Result<Contents> run() {
    if (bytes_.size < sizeof mcap::kMagic || std::memcmp(bytes_.data, mcap::kMagic, sizeof mcap::kMagic) != 0)
      return not_a_trace();
    Summary summary = read_summary();
    contents_.is_finished = summary.has_footer;
    for (const ByteView channel : summary.channels) add_channel(channel, "in the summary");
    // A summary lists all channels or none; it has a checksum, which records outside chunks have not.
    summary_has_channels_ = !summary.channels.empty();
    walk(summary);
    if (stop_) return *stop_;
    if (summary.counts) {
      compare_counts("messages", summary.counts->messages, messages_);
      compare_counts("metadata records", summary.counts->metadata, metadata_records_);
      compare_counts("chunks", summary.counts->chunks, chunks_);
    }
    // A writer gives all of its records a checksum, or none.
    if (has_checksums_)
      for (const std::string& bare : bare_metadata_) problems_.add(bare + " has no checksum, though others have");
    if (auto refused = check_version()) return *refused;
    finish_frames();
    if (stop_) return *stop_;
    return std::move(contents_);
  }

 private:
  void compare_counts(const char* what, std::uint64_t claimed, std::uint64_t found) {
    if (claimed != found)
      problems_.add("the summary counts " + std::to_string(claimed) + " " + what + ", " + std::to_string(found) +
                    " were found");
  }

  Error not_a_trace() const {
    const std::string_view text = bytes_.sub(0, std::min<std::size_t>(bytes_.size, 64)).text();
    std::string why = "the first 8 bytes are not the magic of an MCAP file";
    if (bytes_.empty()) why = "the file is empty";
    if (text.rfind("version https://git-lfs", 0) == 0) why = "it is a Git LFS pointer; fetch the file itself";
    return {Fault::kCorrupt, label_ + " is no trace: " + why};
  }

  Summary read_summary() {
    Summary summary;
    summary.data_end = bytes_.size;
    constexpr std::size_t kFooter = mcap::kRecordHead + 20, kEnd = kFooter + sizeof mcap::kMagic;
    if (bytes_.size < sizeof mcap::kMagic + kEnd) return summary;
    const std::size_t footer_at = bytes_.size - kEnd;
    const auto footer = mcap::record_at(bytes_, footer_at);
    if (std::memcmp(bytes_.data + bytes_.size - sizeof mcap::kMagic, mcap::kMagic, sizeof mcap::kMagic) != 0 ||
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
      problems_.add("the footer says that the summary starts" + at(start) + ", outside the file; it was not used");
      return summary;
    }
    const ByteView covered = bytes_.sub(start, footer_at - start + mcap::kRecordHead + 16);
    if (checksum != 0 && crc32(covered) != checksum) {
      problems_.add("the checksum of the summary is wrong; the summary was not used");
      return summary;
    }
    const ByteView body = bytes_.sub(0, footer_at);
    for (std::size_t next = start; next < footer_at;) {
      const auto record = mcap::record_at(body, next);
      if (!record) {
        problems_.add("the summary is broken" + at(next));
        break;
      }
      take_summary(*record, summary);
      next = record->end();
    }
    std::sort(summary.chunks.begin(), summary.chunks.end());
    return summary;
  }

  static void take_summary(const Record& record, Summary& summary) {
    Cursor fields(record.content);
    if (record.op == Op::kChannel) summary.channels.push_back(record.content);
    if (record.op == Op::kStatistics) {
      Summary::Counts counts{};
      counts.messages = fields.u64();
      fields.u16();  // schemas
      fields.u32();  // channels: they are compared one by one
      fields.u32();  // attachments
      counts.metadata = fields.u32();
      counts.chunks = fields.u32();
      if (fields.ok()) summary.counts = counts;
    }
    if (record.op == Op::kChunkIndex) {
      fields.u64();
      fields.u64();
      const std::uint64_t offset = fields.u64();
      if (fields.ok()) summary.chunks.push_back(offset);
    }
  }

  void walk(const Summary& summary) {
    const ByteView data = bytes_.sub(0, summary.data_end);
    std::size_t next = sizeof mcap::kMagic;
    bool ended = false;
    while (!ended && !stop_ && next < data.size) {
      const auto record = mcap::record_at(data, next);
      if (!record) {
        const auto chunk = std::upper_bound(summary.chunks.begin(), summary.chunks.end(), next);
        const bool goes_on = chunk != summary.chunks.end() && *chunk < data.size;
        if (goes_on)
          problems_.add("no whole record" + at(next) + "; reading goes on at the next chunk," + at(*chunk));
        else if (summary.has_footer)
          problems_.add("no whole record" + at(next) + "; what follows is lost");
        if (!goes_on) break;
        next = *chunk;
        loose_end_ = 0;
        continue;
      }
      ended = record->op == Op::kDataEnd || record->op == Op::kFooter;
      take(*record);
      next = record->end();
      release_until(next);
    }
    if (!summary.has_footer)
      problems_.add("the file has no footer: the recording did not finish, or the file was cut at " +
                    std::to_string(bytes_.size) + " bytes; " + std::to_string(chunks_) + " whole chunks were kept");
    else if (!ended)
      problems_.add("the data section has no end record");
  }

  void release_until(std::uint64_t offset) {
    constexpr std::uint64_t kBlock = std::uint64_t{2} << 20;
    if (offset - released_ < 4 * kBlock) return;
    file_.release(released_, offset - released_);
    released_ = offset / kBlock * kBlock;
  }

  void take(const Record& record) {
    switch (record.op) {
      case Op::kHeader: {
        Cursor fields(record.content);
        fields.text();
        contents_.library = std::string(fields.text().substr(0, 1000));
        break;
      }
      case Op::kChannel: add_channel(record.content, at(record.offset)); break;
      case Op::kMetadata: add_metadata(record); break;
      case Op::kChunk: add_chunk(record); break;
      case Op::kMessage: add_loose(record); break;
      default: break;  // schemas, indexes, attachments, kinds to come
    }
  }

  void add_channel(ByteView content, const std::string& where) {
    Cursor fields(content);
    const std::uint16_t id = fields.u16();
    fields.u16();  // the schema tells nothing that the metadata do not
    const std::string_view topic = fields.text();
    const std::string_view encoding = fields.text();
    const auto metadata = content.size <= kLongestDescription ? fields.map() : mcap::TextMap{};
    if (!fields.ok() || content.size > kLongestDescription) {
      problems_.add("the channel record " + where + (fields.ok() ? " is larger than 16 MiB" : " is broken") + "; it is ignored");
      return;
    }
    const Described described{content.size, crc32(content)};
    if (contents_.channel_of[id] != kUnknown) {
      if (described_[id] != described)  // an id met only in messages has no description
        problems_.add("channel " + std::to_string(id) + " ('" + printable(topic, 60) + "') comes again " + where +
                      " with other contents; the first counts");
      return;
    }
    if (summary_has_channels_)
      problems_.add("channel " + std::to_string(id) + " ('" + printable(topic, 60) + "') " + where +
                    " is not in the summary");
    described_[id] = described;
    contents_.channel_of[id] = kIgnored;
    if (topic == kFrameTopic && encoding == kFrameEncoding) {
      contents_.channel_of[id] = kFrames;
    } else if (encoding != kTensorEncoding) {
      problems_.add("channel '" + printable(topic, 60) + "' (encoding '" + printable(encoding, 30) +
                    "') is nothing that a trace describes; it is ignored");
    } else if (auto channel = channel_from(topic, metadata); !channel) {
      problems_.add(channel.error().what + "; the channel is ignored");
    } else {
      contents_.channel_of[id] = static_cast<int>(contents_.channels.size());
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
                    (fields.ok() ? " passes the limit of 64 MiB for all metadata" : " is broken") + "; it is ignored");
      return;
    }
    if (const auto sum = values.find("crc32"); sum != values.end()) {
      if (sum->second != mcap::metadata_checksum(name, values))
        problems_.add("the checksum of metadata '" + printable(name, 60) + "'" + at(record.offset) + " is wrong");
      values.erase(sum);
      has_checksums_ = true;
    } else {
      if (bare_metadata_.size() < kMostProblems)
        bare_metadata_.push_back("metadata '" + printable(name, 60) + "'" + at(record.offset));
    }
    for (auto& [key, value] : values) contents_.metadata[name][key] = std::move(value);
    if (values.empty()) contents_.metadata[name];
  }

  void add_chunk(const Record& record) {
    ++chunks_;
    loose_end_ = 0;
    Cursor fields(record.content);
    fields.u64();
    fields.u64();
    Segment segment;
    segment.record = record.offset;
    segment.decoded_size = fields.u64();
    segment.checksum = fields.u32();
    const std::string_view codec = fields.text();
    segment.codec = std::string(codec.substr(0, 40));
    segment.size = fields.u64();
    const ByteView rest = fields.rest();
    if (!fields.ok() || segment.size > rest.size || (codec.empty() && segment.decoded_size != segment.size)) {
      problems_.add("the chunk" + at(record.offset) + " claims more bytes than it has, or other sizes than it is; it is skipped");
      return;
    }
    segment.offset = static_cast<std::uint64_t>(rest.data - bytes_.data);
    Decoded decoded;
    // A compressed chunk is in memory now, so that its checksum costs little; a plain one is checked when
    // its tensors are read.
    const auto body = segment_bytes(file_, segment, decoded, /*verify=*/!codec.empty());
    if (!body) {
      problems_.add(body.error().what + "; it is skipped");
      return;
    }
    std::size_t next = 0;
    while (next < body->size) {
      const auto inner = mcap::record_at(*body, next);
      if (!inner) {
        problems_.add("the chunk" + at(record.offset) + " holds a record that does not fit it; the chunk is skipped");
        return;
      }
      next = inner->end();
    }
    add_messages(*body, segment);
    if (segment.messages) contents_.segments.push_back(std::move(segment));
  }

  void add_messages(ByteView body, Segment& segment) {
    for (std::size_t next = 0; next < body.size && !stop_;) {
      const auto inner = mcap::record_at(body, next);
      next = inner->end();
      if (inner->op == Op::kChannel) add_channel(inner->content, "in the chunk" + at(segment.record));
      if (inner->op == Op::kMessage) add_message(*inner, segment);
    }
  }

  void add_loose(const Record& record) {
    auto& segments = contents_.segments;
    if (loose_end_ == 0 || record.end() - segments.back().offset > kLooseSegment) {
      segments.emplace_back();
      segments.back().record = segments.back().offset = record.offset;
      segments.back().verified = true;  // nothing to check it by
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
      problems_.add("a message in the chunk" + at(segment.record) + " is shorter than its fields; it is ignored");
      return;
    }
    int& index = contents_.channel_of[head->channel];
    if (index == kUnknown) {
      problems_.add("messages on channel " + std::to_string(head->channel) + " come before its description; they are ignored");
      index = kIgnored;
    }
    if (index == kIgnored) return;
    if (index == kFrames) {
      add_record(record.content, *head);
    } else if (!tensor_message(contents_, record)) {
      const ReadChannel& channel = contents_.channels[static_cast<std::size_t>(index)];
      misfit_.resize(contents_.channels.size());
      if (!misfit_[static_cast<std::size_t>(index)])
        problems_.add("frame " + std::to_string(head->sequence) + " of '" + printable(topic_of(channel.channel), 60) + "' has " +
                      std::to_string(record.content.size - mcap::kMessageHead) + " bytes, expected " +
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
    add_frame(head->sequence);
  }

  void add_frame(std::uint32_t frame) {
    auto& frames = contents_.frames;
    if (!frames.empty() && frames.back() == frame) return;
    frames.push_back(frame);
    if (frames.size() < compact_at_) return;
    make_unique(frames);
    compact_at_ = frames.size() * 2 + 4096;
    if (frames.size() > kMostFrames) too_many_frames();
  }

  void too_many_frames() {
    stop_ = Error{Fault::kLimit, label_ + " has more than " + std::to_string(kMostFrames) + " frames; cut it into several"};
  }

  static void make_unique(std::vector<std::uint32_t>& frames) {
    std::sort(frames.begin(), frames.end());
    frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  }

  void add_record(ByteView content, const mcap::MessageHead& head) {
    FrameRecord record;
    record.frame = head.sequence;
    record.time_ns = head.log_time;
    const ByteView json = content.sub(mcap::kMessageHead, content.size - mcap::kMessageHead);
    if (auto read = read_frame_json(json, record); !read) {
      problems_.add(read.error().what);
      record = {};
      record.frame = head.sequence;
      record.time_ns = head.log_time;
    }
    record_text_ += record.sample.size() + record.sha256.size();
    if (record_text_ > kMostRecordText)
      stop_ = Error{Fault::kLimit, label_ + ": the frame records hold more than 1 GiB of text"};
    contents_.records.push_back(std::move(record));
    if (contents_.records.size() > 2 * kMostFrames) too_many_frames();
  }

  void finish_frames() {
    auto& frames = contents_.frames;
    make_unique(frames);
    if (frames.size() > kMostFrames) return too_many_frames();
    auto& found = contents_.records;
    std::stable_sort(found.begin(), found.end(),
                     [](const FrameRecord& a, const FrameRecord& b) { return a.frame < b.frame; });
    std::vector<FrameRecord> records(frames.size());
    std::size_t next = 0;
    bool repeated = false;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      records[i].frame = frames[i];
      for (bool first = true; next < found.size() && found[next].frame == frames[i]; ++next, first = false) {
        if (first) records[i] = std::move(found[next]);
        repeated |= !first;
      }
    }
    if (repeated) problems_.add("some frames have several records; the first counts");
    found = std::move(records);
    for (const ReadChannel& channel : contents_.channels)
      if (channel.messages > frames.size())
        problems_.add("'" + printable(topic_of(channel.channel), 60) + "' has " + std::to_string(channel.messages) +
                      " messages for " + std::to_string(frames.size()) +
                      " frames: sequence numbers repeat; the first message of a frame counts");
  }

  std::optional<Error> check_version() const {
    const auto group = contents_.metadata.find("edgeprobe.trace");
    if (group == contents_.metadata.end()) return std::nullopt;
    const auto entry = group->second.find("version");
    if (entry == group->second.end()) return std::nullopt;
    const std::string& text = entry->second;
    std::uint64_t version = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), version);
    if (failure == std::errc{} && end == text.data() + text.size() && version >= 1 && version <= kVersion)
      return std::nullopt;
    return Error{Fault::kUnsupported, label_ + " is of trace format version '" + printable(text, 20) +
                                          "'; this program reads version " + std::to_string(kVersion)};
  }

  struct Described {
    std::size_t size = 0;
    std::uint32_t checksum = 0;
    bool operator!=(const Described& other) const { return size != other.size || checksum != other.checksum; }
  };

  const MappedFile& file_;
  ByteView bytes_;
  const std::string& label_;
  Problems& problems_;
  Contents contents_;
  std::map<std::uint16_t, Described> described_;
  std::vector<bool> misfit_;
  std::vector<std::string> bare_metadata_;
  bool has_checksums_ = false, summary_has_channels_ = false;
  std::optional<Error> stop_;
  std::uint64_t messages_ = 0, metadata_records_ = 0, chunks_ = 0, loose_end_ = 0, released_ = 0;
  std::size_t metadata_bytes_ = 0, record_text_ = 0, compact_at_ = 65536;
};

}  // namespace

void Problems::add(std::string sentence) {
  if (sentences_.size() < kMostProblems) {
    sentences_.push_back(std::move(sentence));
    return;
  }
  ++left_out_;
  sentences_.resize(kMostProblems);
  sentences_.push_back("and " + std::to_string(left_out_) + " more problems");
}

std::optional<FoundMessage> tensor_message(const Contents& contents, const mcap::Record& record) {
  if (record.op != Op::kMessage) return std::nullopt;
  const auto head = mcap::message_head(record.content);
  if (!head) return std::nullopt;
  const int index = contents.channel_of[head->channel];
  if (index < 0) return std::nullopt;
  const std::size_t size = record.content.size - mcap::kMessageHead;
  const auto expected = message_size(contents.channels[static_cast<std::size_t>(index)].channel);
  if (expected && *expected != size) return std::nullopt;
  return FoundMessage{index, head->sequence, head->log_time, record.content.sub(mcap::kMessageHead, size)};
}

Result<Contents> scan(const MappedFile& file, const std::string& label, Problems& problems) {
  return Scanner(file, label, problems).run();
}

Result<ByteView> segment_bytes(const MappedFile& file, Segment& segment, Decoded& decoded, bool verify) {
  const std::string chunk = "the chunk" + at(segment.record);
  if (segment.damaged) return Error{Fault::kCorrupt, chunk + " is damaged"};
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
    return Error{Fault::kCorrupt, chunk + " is damaged: its checksum is wrong"};
  }
  segment.verified = true;
  return body;
}

}  // namespace edgeprobe::trace
