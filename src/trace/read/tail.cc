// SPDX-License-Identifier: Apache-2.0
#include "trace/read/tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/text.h"
#include "trace/channel_text.h"
#include "trace/frame_json.h"
#include "trace/mcap/crc32.h"
#include "trace/mcap/mcap.h"
#include "trace/mcap/problems.h"
#include "trace/mcap/refused.h"

namespace edgeprobe::trace {
namespace {

using mcap::Cursor;
using mcap::Op;

// largest record kept in memory; larger ones are skipped
constexpr std::uint64_t kLargestRecord = std::uint64_t{1} << 30;

bool read_at(int file, std::uint64_t offset, std::byte* data, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::pread(file, data, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

Result<Tail> Tail::open(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const std::string label = "'" + sanitized(path.string()) + "'";
  if (file < 0) return Error{ErrorKind::kNotFound, label + ": " + std::strerror(errno)};
  Tail tail(file, sizeof mcap::kMagic);
  struct stat about {};
  if (::fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
    return Error{ErrorKind::kCorrupt, label + " is not a file"};
  std::byte magic[sizeof mcap::kMagic];
  const bool is_whole = read_at(file, 0, magic, sizeof magic);
  if (auto refused = refused_start(ByteView(magic, is_whole ? sizeof magic : 0), label))
    return *refused;
  return tail;
}

Tail::Tail(Tail&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      offset_(other.offset_),
      passed_over_(other.passed_over_),
      finished_(other.finished_),
      buffer_(std::move(other.buffer_)),
      known_(std::move(other.known_)) {}

Tail::~Tail() {
  if (file_ >= 0) ::close(file_);
}

Status Tail::poll(const TailVisitor& visitor, const std::function<bool()>& enough) {
  struct stat about {};
  if (::fstat(file_, &about) != 0)
    return Error{ErrorKind::kTarget, std::string("cannot read the trace: ") + std::strerror(errno)};
  const auto size = static_cast<std::uint64_t>(about.st_size);
  if (size < offset_)
    return Error{ErrorKind::kCorrupt, "the trace became shorter while it was followed"};
  while (!finished_ && size - offset_ >= mcap::kRecordHead && !(enough && enough())) {
    std::byte head[mcap::kRecordHead];
    if (!read_at(file_, offset_, head, sizeof head)) return {};
    const auto length = load_little<std::uint64_t>(head + 1);
    const auto op = static_cast<std::uint8_t>(head[0]);
    if (op == 0) return Error{ErrorKind::kCorrupt, "there is no record" + at(offset_)};
    if (length > size - offset_ - mcap::kRecordHead) return {};  // not completely written yet
    if (length <= kLargestRecord) {
      buffer_.resize(static_cast<std::size_t>(length));
      if (!read_at(file_, offset_ + mcap::kRecordHead, buffer_.data(), buffer_.size())) return {};
      EP_CHECK(take(op, buffer_, visitor));
    } else {
      ++passed_over_;
    }
    offset_ += mcap::kRecordHead + length;
  }
  return {};
}

Status Tail::take(std::uint8_t op, ByteView content, const TailVisitor& visitor) {
  switch (static_cast<Op>(op)) {
    case Op::kChannel: add_channel(content); break;
    case Op::kChunk: {
      const auto fields = mcap::chunk_fields(content);
      if (!fields) return Error{ErrorKind::kCorrupt, "there is a broken chunk" + at(offset_)};
      if (!fields->codec.empty()) {
        ++passed_over_;
        break;
      }
      if (fields->checksum != 0 && crc32(fields->stored) != fields->checksum)
        return Error{ErrorKind::kCorrupt,
                     "the chunk" + at(offset_) + " is damaged: its checksum is wrong"};
      take_messages(fields->stored, visitor);
      break;
    }
    case Op::kMessage: ++passed_over_; break;
    case Op::kMetadata: {
      Cursor fields(content);
      const std::string name(fields.text());
      const auto values = fields.map();
      if (fields.ok() && visitor.metadata) visitor.metadata(name, values);
      break;
    }
    case Op::kFooter: finished_ = true; break;
    default: break;
  }
  return {};
}

void Tail::add_channel(ByteView content) {
  const auto fields = mcap::channel_fields(content);
  if (!fields || known_.count(fields->id)) return;
  const auto& [id, topic, encoding, metadata] = *fields;
  ChannelEntry known;
  if (topic == kFrameTopic && encoding == kFrameEncoding) {
    known.kind = ChannelEntry::kFrame;
  } else if (auto stream = event_stream_from(topic, encoding)) {
    known.kind = ChannelEntry::kEvents;
    known.stream = std::move(*stream);
    known.topic = std::string(topic);
  } else if (auto channel = encoding == kTensorEncoding ? channel_from(topic, metadata)
                                                        : Result<Channel>(Error{})) {
    known.channel = std::move(*channel);
  } else {
    return;
  }
  known_.emplace(id, std::move(known));
}

void Tail::take_messages(ByteView chunk, const TailVisitor& visitor) {
  for (std::size_t next = 0; next < chunk.size;) {
    const auto record = mcap::record_at(chunk, next);
    if (!record) return;
    next = record->end();
    if (record->op == Op::kChannel) add_channel(record->content);
    const auto head =
        record->op == Op::kMessage ? mcap::message_head(record->content) : std::nullopt;
    const auto known = head ? known_.find(head->channel) : known_.end();
    if (known == known_.end()) continue;
    const ByteView body =
        record->content.sub(mcap::kMessageHead, record->content.size - mcap::kMessageHead);
    const ChannelEntry& k = known->second;
    if (k.kind == ChannelEntry::kTensor) {
      const auto size = message_size(k.channel);
      if (visitor.tensor && (!size || *size == body.size))
        visitor.tensor(k.channel, head->sequence, head->log_time, body);
    } else if (k.kind == ChannelEntry::kEvents) {
      const auto event = visitor.event ? event_from(body, head->log_time) : std::nullopt;
      if (event) visitor.event(k.stream, *event);
      if (visitor.event_text) visitor.event_text(k.topic, head->log_time, body);
    } else if (visitor.frame) {
      FrameRecord frame;
      frame.frame = head->sequence;
      frame.time_ns = head->log_time;
      if (read_frame_json(body, frame)) visitor.frame(frame);
    }
  }
}

}  // namespace edgeprobe::trace
