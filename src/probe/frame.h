// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "probe/recorder.h"

namespace edgeprobe::probe {

/// Running totals of the frames of one thread; any thread may read them.
class Counts {
 public:
  struct Values {
    std::uint64_t frames = 0, tensors = 0, bytes = 0, time_ns = 0;
  };
  void add(const Values& more) {
    add(frames_, more.frames);
    add(tensors_, more.tensors);
    add(bytes_, more.bytes);
    add(time_ns_, more.time_ns);
  }
  void add_to(Values& sum) const {
    sum.frames += frames_.load(std::memory_order_relaxed);
    sum.tensors += tensors_.load(std::memory_order_relaxed);
    sum.bytes += bytes_.load(std::memory_order_relaxed);
    sum.time_ns += time_ns_.load(std::memory_order_relaxed);
  }

 private:
  // One thread writes, so no locked instruction is needed.
  static void add(std::atomic<std::uint64_t>& to, std::uint64_t more) {
    to.store(to.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  std::atomic<std::uint64_t> frames_{0}, tensors_{0}, bytes_{0}, time_ns_{0};
};

/// One inference, used by one thread at a time. Reused for later frames to keep its memory.
class Frame {
 public:
  explicit Frame(Recorder& recorder) : recorder_(&recorder) {}

  void begin(std::uint32_t number);
  std::uint32_t number() const { return record_.frame; }
  bool wants(trace::Stage stage, bool is_embedding) const {
    return state_ != State::kSkipped && level_ >= least_level(stage, is_embedding);
  }

  /// Logs a tensor. Tensors excluded by level, sampling or pattern cost little and succeed. Here
  /// and below, false means that error() has the reason.
  bool tensor(const Logged& logged, ByteView bytes);
  /// The channel expected next if this frame is like earlier ones and tensors go into the file
  /// unchanged. A caller whose tensor matches it, size included, calls put(). Null: call tensor().
  const ChannelEntry* expected() const {
    if (!is_plain_) return nullptr;
    const ChannelEntry* const known = recorder_->expected(last_, used_);
    return known && known->is_plain && known->least <= level_ ? known : nullptr;
  }
  [[gnu::always_inline]] bool put(const ChannelEntry& known, ByteView bytes) {
    const std::uint64_t start = recorder_->clock.ticks();
    used_.add(known.index);
    last_ = &known;
    const bool done = record(known, bytes, recorder_->clock.ns_at(near_, start));
    count_time(start, bytes.size);
    return done;
  }
  /// True if the options keep raw inputs of pre-processing.
  bool wants_raw() const {
    return raw_ != State::kSkipped && wants(trace::Stage::kRawInput, false);
  }
  bool raw(const Logged& logged, const trace::StridedBytes& values);
  bool span(std::string_view name, std::uint64_t start_ns);

  void sample(std::string_view name) { record_.sample = name; }
  void label(int index) { record_.label = index; }
  /// `value` is JSON; both must be within the limits of trace/channel.h.
  void annotation(std::string_view kind, std::string_view value) {
    record_.annotation = {std::string(kind), std::string(value)};
  }
  void begin_sequence() { record_.begins_sequence = true; }
  /// Buffer for the message of an answer, valid during the call.
  Bytes& message_buffer() { return message_; }
  /// Logs the message of an answer (trace/answer.h) on a channel of its own.
  bool answer(std::string_view name, ByteView message);
  void start() { started_ = recorder_->clock.ticks(); }
  /// Fails without a start() before it.
  bool stop();
  /// Marks the frame as worth keeping.
  bool trip(std::string_view reason);
  bool end();
  const Error& error() const { return why_; }
  /// Counts the time since `ticks`, a reading of the recorder's clock, as the probe's own.
  void spent_since(std::uint64_t ticks) { ticks_ += recorder_->clock.ticks() - ticks; }
  /// Totals of all frames that ended here.
  const Counts& counts() const { return counts_; }

 private:
  // The end of a short call is measured once in kOneIn calls and counted for all: reading a clock
  // costs a fifth of such a call.
  static constexpr std::size_t kShort = 4096, kMessageHead = 31;
  static constexpr std::uint32_t kOneIn = 8;

  /// Outcome for a tensor: excluded, waiting for a trigger, or recorded.
  enum class State { kSkipped, kHeld, kRecorded };

  // State of a tensor that only a trigger would keep. It is held only if the options or an earlier
  // trip() make a trigger likely, because holding tensors copies all of them.
  State waiting() const {
    const Options& o = recorder_->options;
    const bool may_trip = o.sampling == Sampling::kTrigger || o.below_confidence != 0 ||
                          o.before != 0 || recorder_->has_tripped.load(std::memory_order_relaxed);
    return may_trip ? State::kHeld : State::kSkipped;
  }
  void judge(const Logged& logged, ByteView bytes);
  bool put(const Logged& logged, const trace::StridedBytes& values, bool is_raw);
  bool record(const ChannelEntry& known, const trace::StridedBytes& values, std::uint64_t time_ns) {
    cost_ += values.size() + kMessageHead;
    recorder_->expect_frame(cost_);
    ++tensors_;
    bytes_ += values.size();
    return recorder_->put(known, record_.frame, time_ns, values, why_);
  }
  bool put_sketch(const Logged& logged, ByteView bytes);
  bool add(const Logged& logged, const trace::StridedBytes& values, std::uint64_t time_ns,
           State state, bool is_raw);
  bool write(const PendingFrame& held, bool is_tripped);
  bool release();
  bool fail(Error why) {
    why_ = std::move(why);
    return false;
  }
  bool passed(const Status& status) { return status ? true : fail(status.error()); }
  void count_time(std::uint64_t from, std::size_t size) {
    if (size >= kShort) ticks_ += recorder_->clock.ticks() - from;
    else if (is_one_in()) ticks_ += kOneIn * (recorder_->clock.ticks() - from);
  }
  // Random, so that the measured call is not the same one in every frame.
  bool is_one_in() { return (draw_ = draw_ * 1664525u + 1013904223u) < ~0u / kOneIn; }

  // Fields that each call needs, next to each other.
  Recorder* recorder_;
  const ChannelEntry* last_ = nullptr;
  Marks used_;
  Clock::Moment near_;  ///< Reference for the times of this frame: a moment shortly before it.
  std::uint64_t tensors_ = 0, bytes_ = 0, cost_ = 0, ticks_ = 0;
  std::uint32_t draw_ = 0;
  Level level_ = Level::kOff;
  State state_ = State::kSkipped, raw_ = State::kSkipped;
  bool is_plain_ = false;  ///< Tensors are written to the file immediately.
  bool is_tripped_ = false;
  std::uint64_t started_ = 0;
  double confidence_ = 0;  ///< Confidence of the least confident output; infinite if there was
                           ///< none.
  trace::FrameRecord record_;
  Counts counts_;
  PendingFrame held_;
  Error why_;
  Bytes scratch_, message_;
  std::string sketch_name_;
};

}  // namespace edgeprobe::probe
