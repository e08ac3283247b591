// SPDX-License-Identifier: Apache-2.0
#include "trace/receive/receive.h"

#include <utility>

#include "core/text.h"
#include "trace/channel_text.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kMostChannels = 4096, kMostProblems = 20;
constexpr std::size_t kLongestFrame = std::size_t{64} << 20;

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

// Forgets everything about the device; frame numbers continue after those already used.
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
  // The device restarted, but the first packets after the restart were lost: packet numbers did not
  // fall.
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
    // The frame's beginning was lost. The frame in progress when the receiver started is not
    // counted.
    if (next_ && number >= *next_) counts_.missing_frames += std::uint64_t{number} - *next_ + 1;
    if (!next_ || number >= *next_) next_ = number + 1;
    return;
  }
  OpenFrame frame = std::move(*frame_);
  frame_.reset();
  if (messages < frame.messages) {
    ++counts_.missing_frames;
    return unreadable("the end of a frame reports fewer messages than arrived");
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

}  // namespace edgeprobe::trace
