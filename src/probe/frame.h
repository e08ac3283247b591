#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "probe/recorder.h"

namespace edgeprobe::probe {

/// One inference. For one thread at a time. It is used again for a later frame, so that it keeps its memory.
class Frame {
 public:
  explicit Frame(Recorder& recorder) : recorder_(&recorder) {}

  void begin(std::uint32_t number);
  std::uint32_t number() const { return record_.frame; }
  bool wants(trace::Stage stage, bool is_embedding) const {
    return state_ != State::kSkipped && level_ >= least_level(stage, is_embedding);
  }

  /// A tensor; what the level, the sampling or a pattern leaves out costs little and succeeds.
  /// False, here and below: error() says why.
  bool tensor(const Logged& logged, ByteView bytes);
  /// What pre-processing gets, as far as the options keep it.
  bool wants_raw() const { return raw_ != State::kSkipped && wants(trace::Stage::kRawInput, false); }
  bool raw(const Logged& logged, const trace::Rows& values);
  bool span(std::string_view name, std::uint64_t start_ns);

  void sample(std::string_view name) { record_.sample = name; }
  void label(int index) { record_.label = index; }
  void start() { started_ns_ = monotonic_ns(); }
  /// Fails when start() did not come before.
  bool stop();
  /// The frame is worth keeping.
  bool trip(std::string_view reason);
  bool end();
  const Error& error() const { return why_; }

 private:
  /// What becomes of a tensor: it is left out, or waits for a trigger, or is recorded.
  enum class State { kSkipped, kHeld, kRecorded };

  bool put(const Logged& logged, const trace::Rows& values, bool is_raw);
  bool put_sketch(const Logged& logged, ByteView bytes);
  bool add(const Logged& logged, const trace::Rows& values, std::uint64_t time_ns, State state, bool is_raw);
  bool write(const Held& held, bool is_tripped);
  bool release();
  bool fail(Error why) {
    why_ = std::move(why);
    return false;
  }
  bool passed(const Status& status) { return status ? true : fail(status.error()); }
  void count_time(std::uint64_t from, std::size_t size);

  Recorder* recorder_;
  Error why_;
  trace::FrameRecord record_;
  Clock::Moment begun_;
  std::optional<std::uint64_t> started_ns_;
  Level level_ = Level::kOff;
  State state_ = State::kSkipped, raw_ = State::kSkipped;
  bool is_tripped_ = false, missed_raw_ = false;
  double confidence_ = 0;
  bool has_output_ = false;

  const Known* last_ = nullptr;
  Marks used_;
  Held held_;
  Bytes scratch_;
  std::string sketch_name_;

  std::uint64_t tensors_ = 0, bytes_ = 0, cost_ = 0, ticks_ = 0, calls_ = 0;
};

}  // namespace edgeprobe::probe
