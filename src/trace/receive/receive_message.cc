// SPDX-License-Identifier: Apache-2.0
// Processes one message, by its type.
#include <limits>
#include <utility>

#include "trace/answer.h"
#include "trace/mcap/crc32.h"
#include "trace/receive/device_message.h"
#include "trace/receive/receive.h"

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
constexpr std::size_t kMostFacts = 256;
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

Status Receiver::message(ByteView bytes, std::uint64_t now_ns, Received& out) {
  Fields fields(bytes);
  const std::uint8_t kind = fields.u8();
  switch (kind) {
    case kHello: return take_hello(fields);
    case kFact: take_fact(fields, out); break;
    case kChannel: take_description(fields, crc32(bytes)); break;
    case kFrame: return take_frame(fields, now_ns);
    case kTensor: take_tensor(fields); break;
    case kScalar: take_scalar(fields); break;
    case kText: take_text(fields); break;
    case kAnswer: take_answer(fields); break;
    case kFrameEnd: take_frame_end(fields, out); break;
    case kMark: take_mark(fields, now_ns, out); break;
    case kSensor: take_sensor(fields, now_ns, out); break;
    case kGoodbye: take_goodbye(fields, out); break;
    default:
      ++counts_.unreadable;
      if (!std::exchange(said_unknown_, true))
        problem("the device sends messages of kind " + std::to_string(kind) +
                ", which this version does not know; they are left out");
  }
  return {};
}

Status Receiver::take_hello(Fields& fields) {
  const std::uint8_t version = fields.u8();
  if (fields.ok() && version != kVersion)
    return Error{ErrorKind::kUnsupported,
                 "the device speaks version " + std::to_string(version) +
                     " of the wire, this program version 1 (docs/guides/microcontroller.md)"};
  const std::uint32_t run = fields.u32();
  (void)fields.u32();  // the next frame number: repeated by that frame's own message
  const std::uint32_t dropped = fields.u32();
  if (!fields.at_end()) return unreadable("a hello of the wrong length"), Status{};
  if (run_ && *run_ != run) restart();
  run_ = run;
  dropped_so_far(dropped);
  return {};
}

void Receiver::take_fact(Fields& fields, Received& out) {
  const std::string key(fields.name()), value(fields.rest().text());
  if (!fields.ok() || key.empty() || key.size() > kLongestText || value.size() > kLongestText)
    return unreadable("a fact without key and value, or of more than 1,024 bytes");
  if (const auto known = facts_.find(key);
      known != facts_.end() ? known->second == value : facts_.size() >= kMostFacts)
    return;
  facts_[key] = value;
  out.facts[key] = value;
}

void Receiver::take_description(Fields& fields, std::uint32_t check) {
  const std::uint16_t number = fields.u16();
  const ByteView description = fields.rest();
  if (!fields.ok()) return unreadable("the description of a channel without its number");
  known_.erase(number);
  auto channel = described_channel(description);
  if (!channel) return unreadable(channel.error().what.c_str());
  if (const auto index = add_channel("c" + std::string(description.text()), *std::move(channel)))
    known_[number] = {*index, check};
}

Status Receiver::take_frame(Fields& fields, std::uint64_t now_ns) {
  const std::uint32_t number = fields.u32();
  const std::uint64_t time = fields.u64();
  const std::uint32_t dropped = fields.u32();
  if (!fields.at_end()) return unreadable("the beginning of a frame of the wrong length"), Status{};
  if (next_ && number < *next_) restart();
  dropped_so_far(dropped);
  return begin_frame(number, time_from(time, now_ns));
}

void Receiver::take_tensor(Fields& fields) {
  const std::uint32_t frame = fields.u32();
  const std::uint16_t number = fields.u16();
  const std::uint32_t check = fields.u32();
  const ByteView values = fields.rest();
  if (!fields.ok()) return unreadable("a tensor without its frame and channel");
  const auto known = known_.find(number);
  // Its frame counts it as missing.
  if (!frame_ || frame_->number != frame || known == known_.end() || known->second.check != check)
    return;
  add_tensor(known->second.channel, values);
}

void Receiver::take_scalar(Fields& fields) {
  const std::uint32_t frame = fields.u32();
  const std::uint8_t dtype = fields.u8();
  const ByteView value = fields.take(4);
  Channel channel = variable(fields.rest().text());
  if (!fields.ok() || (dtype != kFloat32 && dtype != kInt32))
    return unreadable("a scalar that is neither float32 nor int32");
  channel.spec.dtype = dtype == kFloat32 ? DType::kFloat32 : DType::kInt32;
  add_variable(frame, std::move(channel), value);
}

void Receiver::take_text(Fields& fields) {
  const std::uint32_t frame = fields.u32();
  Channel channel = variable(fields.name());
  const ByteView text = fields.rest();
  if (!fields.ok()) return unreadable("a text without a name");
  channel.spec.dtype = DType::kUInt8;
  channel.spec.shape = {-1};
  channel.encoding = "utf8";
  add_variable(frame, std::move(channel), text);
}

void Receiver::take_answer(Fields& fields) {
  const std::uint32_t frame = fields.u32();
  const std::string name(fields.name());
  const ByteView answer = fields.rest();
  if (!fields.ok() || name.size() > kLongestText)
    return unreadable("an answer without a name, or with one of more than 1,024 bytes");
  if (const auto sound = decode_answer(answer); !sound)
    return unreadable(sound.error().what.c_str());
  if (!frame_ || frame_->number != frame) return;
  if (const auto index = add_channel("a" + name, answer_channel(name))) add_tensor(*index, answer);
}

void Receiver::take_frame_end(Fields& fields, Received& out) {
  const std::uint32_t number = fields.u32(), messages = fields.u32();
  const unsigned flags = fields.u8();
  const std::int32_t label = fields.i32();
  const std::uint64_t latency = fields.u64();
  FrameRecord record;
  record.sample = fields.rest().text();
  if (!fields.ok() || record.sample.size() > kLongestText)
    return unreadable("the end of a frame of the wrong length");
  if (flags & kHasLabel) record.label = label;
  record.begins_sequence = (flags & kBeginsSequence) != 0;
  if ((flags & kHasLatency) &&
      latency <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    record.latency_ns = static_cast<std::int64_t>(latency);
  end_frame(number, messages, std::move(record), out);
}

void Receiver::add_event(ReceivedEvent event, Received& out) {
  event.frame = numbers_used_ ? static_cast<std::uint32_t>(numbers_used_ - 1) : 0;
  out.events.push_back(std::move(event));
}

void Receiver::take_mark(Fields& fields, std::uint64_t now_ns, Received& out) {
  ReceivedEvent event;
  event.time_ns = time_from(fields.u64(), now_ns);
  event.name = fields.name();
  event.text = fields.rest().text();
  if (!fields.ok() || event.name.size() > kLongestText || event.text.size() > kLongestText)
    return unreadable("a mark without a name");
  add_event(std::move(event), out);
}

void Receiver::take_sensor(Fields& fields, std::uint64_t now_ns, Received& out) {
  ReceivedEvent event;
  event.time_ns = time_from(fields.u64(), now_ns);
  const unsigned count = fields.u8();
  for (unsigned i = 0; i < count && fields.ok(); ++i) event.values.push_back(fields.f32());
  event.name = fields.name();
  event.unit = fields.rest().text();
  if (!fields.ok() || event.name.size() > kLongestText || event.unit.size() > kLongestText ||
      event.values.empty())
    return unreadable("a sensor without a name or values");
  add_event(std::move(event), out);
}

void Receiver::take_goodbye(Fields& fields, Received& out) {
  const std::uint32_t frames = fields.u32(), dropped = fields.u32();
  if (!fields.at_end()) return unreadable("a goodbye of the wrong length");
  dropped_so_far(dropped);
  if (frame_) ++counts_.missing_frames;
  frame_.reset();
  if (next_ && frames > *next_) counts_.missing_frames += frames - *next_;
  next_ = frames;
  out.said_goodbye = true;
}

}  // namespace edgeprobe::trace
