// SPDX-License-Identifier: Apache-2.0
#include "trace/receive/receive.h"

#include <limits>
#include <utility>

#include "core/text.h"
#include "trace/answer.h"
#include "trace/channel_text.h"
#include "trace/mcap/crc32.h"
#include "trace/receive/device_message.h"

namespace edgeprobe::trace {
namespace {

enum Kind : std::uint8_t {
  kHello = 1,
  kFact,
  kChannel,
  kFrame,
  kTensor,
  kScalar,
  kText,
  kFrameEnd,
  kMark,
  kSensor,
  kGoodbye,
  kAnswer
};
constexpr std::uint8_t kVersion = 1, kFloat32 = 0, kInt32 = 8;
constexpr std::size_t kMostChannels = 4096, kMostFacts = 256, kLongestText = 1024,
                      kMostProblems = 20;
constexpr std::size_t kLongestFrame = std::size_t{64} << 20;
constexpr unsigned kHasLabel = 1, kHasLatency = 2, kBeginsSequence = 4;

Channel variable(std::string_view name) {
  Channel channel;
  channel.stage = Stage::kVariable;
  channel.spec.name = name;
  return channel;
}

Channel answer_channel(const std::string& name) {
  Channel channel;
  channel.stage = Stage::kAnswer;
  channel.spec = {name, DType::kUInt8, {-1}, {}};
  channel.encoding = "answer";
  return channel;
}

}  // namespace

Status Receiver::feed(ByteView bytes, std::uint64_t now_ns, Received& out) {
  Status status;
  packets_.feed(
      bytes,
      [&](ByteView whole) {
        if (status) status = message(whole, now_ns, out);
      },
      [&] { restart(); });
  return status;
}

void Receiver::finish() {
  if (frame_) ++counts_.missing_frames;
  frame_.reset();
  if (more_problems_) problems_.push_back("and " + std::to_string(more_problems_) + " more");
  more_problems_ = 0;
}

void Receiver::problem(std::string sentence) {
  if (problems_.size() < kMostProblems) problems_.push_back(std::move(sentence));
  else ++more_problems_;
}

void Receiver::unreadable(const char* what) {
  ++counts_.unreadable;
  problem("a message of the device is left out: " + std::string(what));
}

// Nothing that was known holds any more; frames go on behind those that there are.
void Receiver::restart() {
  if (frame_) ++counts_.missing_frames;
  frame_.reset();
  if (numbers_used_)
    problem("the device was started again after frame " + std::to_string(numbers_used_ - 1) +
            ": its frames go on from " + std::to_string(numbers_used_));
  known_.clear();
  next_.reset();
  run_.reset();
  dropped_.reset();
  clock_.reset();
  base_ = numbers_used_;
}

void Receiver::dropped_so_far(std::uint32_t count) {
  if (dropped_ && count > *dropped_) counts_.dropped_by_device += count - *dropped_;
  dropped_ = count;
}

std::uint64_t Receiver::time_from(std::uint64_t device_ns, std::uint64_t now_ns) {
  if (device_ns == 0) return now_ns;
  if (!clock_) clock_ = now_ns - device_ns;
  return *clock_ + device_ns;
}

std::optional<std::size_t> Receiver::add_channel(const std::string& identity, Channel channel) {
  const auto known = by_identity_.find(identity);
  if (known != by_identity_.end()) return known->second;
  if (channels_.size() >= kMostChannels) {
    unreadable("it would be the 4,097th channel");
    return std::nullopt;
  }
  channels_.push_back(std::move(channel));
  by_identity_.emplace(identity, channels_.size() - 1);
  return channels_.size() - 1;
}

Status Receiver::begin_frame(std::uint32_t number, std::uint64_t time_ns) {
  // A restart whose first packets are lost, so that packet numbers did not fall.
  if (next_ && number < *next_) restart();
  if (frame_) ++counts_.missing_frames;
  if (next_) counts_.missing_frames += number - *next_;
  next_ = number + 1;
  if (base_ + number >= std::numeric_limits<std::uint32_t>::max())
    return Error{ErrorKind::kLimit,
                 "the device's frame " + std::to_string(number) + " cannot be numbered in a trace"};
  frame_ = OpenFrame{number, time_ns, 0, 0, {}};
  numbers_used_ = base_ + number + 1;
  return {};
}

void Receiver::end_frame(std::uint32_t number, std::uint32_t messages, FrameRecord record,
                         Received& out) {
  if (!frame_ || frame_->number != number) {
    if (frame_) ++counts_.missing_frames;
    frame_.reset();
    // Its beginning is lost; the frame that was going on when the receiver was switched on counts
    // for nothing.
    if (next_ && number >= *next_) counts_.missing_frames += std::uint64_t{number} - *next_ + 1;
    if (!next_ || number >= *next_) next_ = number + 1;
    return;
  }
  OpenFrame frame = std::move(*frame_);
  frame_.reset();
  if (messages < frame.messages) {
    ++counts_.missing_frames;
    return unreadable("the end of a frame tells of fewer messages than came");
  }
  const std::uint64_t missing = messages - std::uint64_t{frame.messages};
  record.frame = static_cast<std::uint32_t>(base_ + number);
  record.time_ns = frame.time_ns;
  record.dropped = missing;
  ++counts_.frames;
  if (missing) {
    ++counts_.incomplete_frames;
    counts_.missing_messages += missing;
    problem("frame " + std::to_string(record.frame) + ": " + std::to_string(missing) + " of " +
            std::to_string(messages) + " tensors and variables are missing");
  }
  out.frames.push_back({std::move(record), std::move(frame.tensors)});
}

void Receiver::add_tensor(std::size_t channel, ByteView values) {
  const auto size = message_size(channels_[channel]);
  if (size ? *size != values.size
           : values.size == 0 && channels_[channel].stage != Stage::kVariable)
    return unreadable("a tensor whose values do not fit its shape");
  for (const ReceivedTensor& tensor : frame_->tensors)
    if (tensor.channel == channel) {
      ++frame_->messages;
      return problem("frame " + std::to_string(base_ + frame_->number) + ": '" +
                     sanitized(channels_[channel].spec.name, 60) +
                     "' came twice; the first counts");
    }
  if (values.size > kLongestFrame - frame_->bytes) return unreadable("a frame of more than 64 MiB");
  frame_->bytes += values.size;
  ++frame_->messages;
  frame_->tensors.push_back({channel, values.copy()});
}

void Receiver::add_variable(std::uint32_t frame, Channel channel, ByteView values) {
  if (channel.spec.name.size() > kLongestText || (channel.is_open() && values.size > kLongestText))
    return unreadable("a variable of more than 1,024 bytes");
  if (!frame_ || frame_->number != frame) return;
  const std::string identity = "v" + std::string(edgeprobe::name(channel.spec.dtype)) +
                               channel.encoding + " " + channel.spec.name;
  if (const auto index = add_channel(identity, std::move(channel))) add_tensor(*index, values);
}

Status Receiver::message(ByteView bytes, std::uint64_t now_ns, Received& out) {
  Fields fields(bytes);
  const std::uint8_t kind = fields.u8();
  switch (kind) {
    case kHello: {
      const std::uint8_t version = fields.u8();
      if (fields.ok() && version != kVersion)
        return Error{ErrorKind::kUnsupported,
                     "the device speaks version " + std::to_string(version) +
                         " of the wire, this program version 1 (docs/guides/microcontroller.md)"};
      const std::uint32_t run = fields.u32();
      (void)fields.u32();  // the next frame: its own message says it again
      const std::uint32_t dropped = fields.u32();
      if (!fields.at_end()) return unreadable("a hello of the wrong length"), Status{};
      if (run_ && *run_ != run) restart();
      run_ = run;
      dropped_so_far(dropped);
      return {};
    }
    case kFact: {
      const std::string key(fields.name()), value(fields.rest().text());
      if (!fields.ok() || key.empty() || key.size() > kLongestText || value.size() > kLongestText)
        return unreadable("a fact without key and value, or of more than 1,024 bytes"), Status{};
      if (const auto known = facts_.find(key);
          known != facts_.end() ? known->second == value : facts_.size() >= kMostFacts)
        return {};
      facts_[key] = value;
      out.facts[key] = value;
      return {};
    }
    case kChannel: {
      const std::uint16_t number = fields.u16();
      const ByteView description = fields.rest();
      if (!fields.ok())
        return unreadable("the description of a channel without its number"), Status{};
      known_.erase(number);
      auto channel = described_channel(description);
      if (!channel) return unreadable(channel.error().what.c_str()), Status{};
      if (const auto index =
              add_channel("c" + std::string(description.text()), *std::move(channel)))
        known_[number] = {*index, crc32(bytes)};
      return {};
    }
    case kFrame: {
      const std::uint32_t number = fields.u32();
      const std::uint64_t time = fields.u64();
      const std::uint32_t dropped = fields.u32();
      if (!fields.at_end())
        return unreadable("the beginning of a frame of the wrong length"), Status{};
      if (next_ && number < *next_) restart();
      dropped_so_far(dropped);
      return begin_frame(number, time_from(time, now_ns));
    }
    case kTensor: {
      const std::uint32_t frame = fields.u32();
      const std::uint16_t number = fields.u16();
      const std::uint32_t check = fields.u32();
      const ByteView values = fields.rest();
      if (!fields.ok()) return unreadable("a tensor without its frame and channel"), Status{};
      const auto known = known_.find(number);
      // Its frame counts it as missing.
      if (!frame_ || frame_->number != frame || known == known_.end() ||
          known->second.check != check)
        return {};
      add_tensor(known->second.channel, values);
      return {};
    }
    case kScalar: {
      const std::uint32_t frame = fields.u32();
      const std::uint8_t dtype = fields.u8();
      const ByteView value = fields.take(4);
      Channel channel = variable(fields.rest().text());
      if (!fields.ok() || (dtype != kFloat32 && dtype != kInt32))
        return unreadable("a scalar that is neither float32 nor int32"), Status{};
      channel.spec.dtype = dtype == kFloat32 ? DType::kFloat32 : DType::kInt32;
      add_variable(frame, std::move(channel), value);
      return {};
    }
    case kText: {
      const std::uint32_t frame = fields.u32();
      Channel channel = variable(fields.name());
      const ByteView text = fields.rest();
      if (!fields.ok()) return unreadable("a text without a name"), Status{};
      channel.spec.dtype = DType::kUInt8;
      channel.spec.shape = {-1};
      channel.encoding = "utf8";
      add_variable(frame, std::move(channel), text);
      return {};
    }
    case kAnswer: {
      const std::uint32_t frame = fields.u32();
      const std::string name(fields.name());
      const ByteView answer = fields.rest();
      if (!fields.ok() || name.size() > kLongestText)
        return unreadable("an answer without a name, or with one of more than 1,024 bytes"),
               Status{};
      if (const auto sound = decode_answer(answer); !sound)
        return unreadable(sound.error().what.c_str()), Status{};
      if (!frame_ || frame_->number != frame) return {};
      if (const auto index = add_channel("a" + name, answer_channel(name)))
        add_tensor(*index, answer);
      return {};
    }
    case kFrameEnd: {
      const std::uint32_t number = fields.u32(), messages = fields.u32();
      const unsigned flags = fields.u8();
      const std::int32_t label = fields.i32();
      const std::uint64_t latency = fields.u64();
      FrameRecord record;
      record.sample = fields.rest().text();
      if (!fields.ok() || record.sample.size() > kLongestText)
        return unreadable("the end of a frame of the wrong length"), Status{};
      if (flags & kHasLabel) record.label = label;
      record.begins_sequence = (flags & kBeginsSequence) != 0;
      if ((flags & kHasLatency) &&
          latency <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        record.latency_ns = static_cast<std::int64_t>(latency);
      end_frame(number, messages, std::move(record), out);
      return {};
    }
    case kMark:
    case kSensor: {
      ReceivedEvent event;
      event.time_ns = time_from(fields.u64(), now_ns);
      if (kind == kSensor) {
        const unsigned count = fields.u8();
        for (unsigned i = 0; i < count && fields.ok(); ++i) event.values.push_back(fields.f32());
      }
      event.name = fields.name();
      const ByteView text = fields.rest();
      if (!fields.ok() || event.name.size() > kLongestText || text.size > kLongestText ||
          (kind == kSensor && event.values.empty()))
        return unreadable(kind == kMark ? "a mark without a name"
                                        : "a sensor without a name or values"),
               Status{};
      (kind == kMark ? event.text : event.unit) = text.text();
      event.frame = numbers_used_ ? static_cast<std::uint32_t>(numbers_used_ - 1) : 0;
      out.events.push_back(std::move(event));
      return {};
    }
    case kGoodbye: {
      const std::uint32_t frames = fields.u32(), dropped = fields.u32();
      if (!fields.at_end()) return unreadable("a goodbye of the wrong length"), Status{};
      dropped_so_far(dropped);
      if (frame_) ++counts_.missing_frames;
      frame_.reset();
      if (next_ && frames > *next_) counts_.missing_frames += frames - *next_;
      next_ = frames;
      out.said_goodbye = true;
      return {};
    }
    default:
      ++counts_.unreadable;
      if (!std::exchange(said_unknown_, true))
        problem("the device sends messages of kind " + std::to_string(kind) +
                ", which this version does not know; they are left out");
      return {};
  }
}

}  // namespace edgeprobe::trace
