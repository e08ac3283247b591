// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "probe/budget.h"
#include "probe/channels.h"
#include "probe/clock.h"
#include "probe/options.h"
#include "probe/patterns.h"
#include "probe/pending_frame.h"
#include "trace/record/writer.h"

namespace edgeprobe::probe {

/// State shared by the frames of one probe. Thread-safe.
class Recorder {
 public:
  /// `time` replaces the system's clocks; it must outlive the recorder.
  Recorder(const Options& o, trace::Writer w, const TimeSource* time);

  const Options options;
  const Clock clock;
  trace::Writer writer;
  PendingFrames held;

  std::atomic<std::uint64_t> frames{0};  ///< Frames begun.
  /// True once the application has tripped a frame.
  std::atomic<bool> has_tripped{false};

  Level level() const { return static_cast<Level>(level_.load(std::memory_order_relaxed)); }
  /// The channel of a tensor; id 0 if a pattern excludes it. Null, with the reason in `why`, on
  /// failure.
  const ChannelEntry* find(const ChannelEntry* last, const Logged& logged, Marks& used,
                           Error& why) {
    const ChannelEntry* const known = expected(last, used);
    if (!known || !known->fits(logged)) return look_up(last, logged, used, why);
    used.add(known->index);
    return known;
  }
  /// The channel that followed `last` in earlier frames; null if there is none or `used` contains
  /// it.
  const ChannelEntry* expected(const ChannelEntry* last, const Marks& used) const {
    return channels_.after(last, used);
  }

  /// Writes one tensor, unless the recording has reached its size limit.
  bool put(const ChannelEntry& known, std::uint32_t frame, std::uint64_t moment_ns,
           const trace::StridedBytes& values, Error& why) {
    if (options.total_bytes && !has_room_for(values.size() + kMessageCost)) return true;
    return writer.put(known.id, frame, moment_ns, values, why) || failed();
  }
  bool write(const trace::FrameRecord& record, Error& why);
  /// Grows the ring to hold a frame of that many bytes.
  void expect_frame(std::uint64_t bytes);

  /// True if one more frame may keep its raw inputs as one of the first; and whether raw inputs of
  /// `size` bytes fit.
  bool takes_raw_frame();
  bool takes_raw_bytes(std::size_t size);

  bool is_limited() const { return budget_.is_limited(); }
  /// Charges a frame's total cost if it is limited; lowers the level if it exceeds the budget.
  void charge(std::uint64_t frame_bytes, std::uint64_t frame_time_ns, std::uint64_t now_ns);
  /// Approximate size in the file.
  static std::uint64_t cost_of(const trace::FrameRecord& record) {
    return record.sample.size() + 64 + kMessageCost;
  }
  /// Time spent in calls outside of frames.
  std::uint64_t outside_ns() const { return outside_ns_.load(std::memory_order_relaxed); }

  /// Checks at most once a second: a jump of the wall clock becomes a mark. Times stay unchanged.
  void watch_wall_clock(std::uint64_t now_ns);

  /// Sets a key of "edgeprobe.run"; an unchanged value is not written again.
  Status describe(const std::string& key, const std::string& value);

  // Event streams; their `frame` is the newest frame.
  Status mark(std::string_view name, std::string_view text);
  Status sensor(std::string_view name, const double* values, std::size_t count,
                std::string_view unit, std::uint64_t age_ns);
  Status sensor_absent(std::string_view name, std::string_view unit, std::string_view reason);
  /// As mark() for a frame that tripped, with the frame's time.
  Status note_trip(std::string_view reason) { return add_mark("trip", reason); }

 private:
  static constexpr std::size_t kMessageCost = 64;  ///< Bytes in the file in addition to the values.

  // Runs a call outside of frames and counts its time.
  template <class Call>
  Status timed(const Call& call) {
    const std::uint64_t start = clock.ticks();
    Status done = call();
    const std::uint64_t time_ns = clock.ns_of(start, clock.ticks());
    outside_ns_.fetch_add(time_ns, std::memory_order_relaxed);
    if (is_limited()) charge(0, time_ns, clock.now_ns());
    return done;
  }
  Status add_fact(const std::string& key, const std::string& value);
  Status add_mark(std::string_view name, std::string_view text);
  Status add_sensor(std::string_view name, const double* values, std::size_t count,
                    std::string_view unit, std::uint64_t age_ns);
  Status add_absent(std::string_view name, std::string_view unit, std::string_view reason);
  Status event(const std::string& topic, std::string json, bool is_last = false,
               std::uint64_t age_ns = 0);
  bool has_room_for(std::size_t bytes);
  void step_down(Level from, Level to, const std::string& reason);
  const ChannelEntry* look_up(const ChannelEntry* last, const Logged& logged, Marks& used,
                              Error& why);
  // Stops recording after a write error. Returns false.
  bool failed();
  Status noted(Status status) {
    if (!status) (void)failed();
    return status;
  }

  const Patterns patterns_;
  Channels channels_;
  Budget budget_;
  std::atomic<int> level_;
  std::atomic<std::uint64_t> raw_frames_{0}, raw_bytes_{0}, total_bytes_{0}, largest_frame_{0};
  std::atomic<std::uint64_t> outside_ns_{0};
  std::atomic<std::size_t> channels_added_{0};
  std::atomic<std::uint64_t> next_watch_{0};
  std::atomic<std::int64_t> wall_ahead_{0};
  std::mutex facts_mutex_;
  std::map<std::string, std::string> facts_;
};

}  // namespace edgeprobe::probe
