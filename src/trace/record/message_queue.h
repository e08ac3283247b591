// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/latch.h"
#include "core/result.h"
#include "trace/mcap/mcap.h"
#include "trace/record/alarm.h"
#include "trace/record/chunk_file.h"
#include "trace/record/dropped_frames.h"
#include "trace/record/pace.h"
#include "trace/record/ring.h"
#include "trace/record/strided_bytes.h"
#include "trace/record/writer_options.h"

namespace edgeprobe::trace {

/// Messages waiting to be written, as finished records. Any number of threads push; one takes them
/// in chunks.
class MessageQueue {
 public:
  enum class Kind { kTensor, kFrameRecord, kEvent };
  struct Message {
    ChannelId channel;
    Kind kind;
    std::uint32_t frame;
    std::uint64_t time_ns;
    const StridedBytes& values;
  };
  enum class Outcome {
    kDone,      ///< Queued, or dropped and counted.
    kTooLarge,  ///< For any queue: counted; the caller writes it as a chunk of its own.
    kRefused,   ///< `why` has the reason.
  };

  MessageQueue(std::unique_ptr<Ring> ring, const WriterOptions& options, Alarm& alarm,
               const TimeSource& time);

  /// Adds a channel whose messages have `size` bytes each; unset: any size.
  Result<ChannelId> add_channel(std::optional<std::size_t> size, std::string topic);
  Outcome push(const Message& message, Error& why);
  /// Number of dropped messages of a frame.
  std::uint64_t dropped_of(std::uint32_t frame) const;
  void expect_frame(std::uint64_t bytes);
  WriterStatistics statistics() const;
  /// Returns once every earlier message is in the file or given up. False if the queue is closed.
  bool wait_until_taken();
  /// True while a caller waits for room or for its messages to be written.
  bool is_awaited() const;
  /// Ends pushing. False if the queue was closed already.
  bool close();
  bool is_empty() const;
  /// Wakes the consumer thread if it sleeps because there are no messages: there is something else
  /// to write.
  void rouse();

  // For the consumer thread.
  /// How long it may sleep; unset: until the alarm rings, on the next message or rouse().
  std::optional<Pace::Time> nap(Pace::Clock::time_point now);
  /// Takes a chunk of committed messages, with `all` also a small one; false if there is none.
  bool take(bool all, Ring::Run& run, std::vector<ChunkEntry>& entries);
  void release(const Ring::Run& run);

  /// A message as stored in a chunk.
  static constexpr std::size_t kHead = mcap::kRecordHead + mcap::kMessageHead;
  static void write_head(std::byte* at, const Message& message) {
    const std::uint64_t length = mcap::kMessageHead + message.values.size();
    at[0] = static_cast<std::byte>(mcap::Op::kMessage);
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
                  "fields are copied as they stand in memory");
    std::memcpy(at + 1, &length, 8);
    std::memcpy(at + 9, &message.channel, 2);
    std::memcpy(at + 11, &message.frame, 4);
    std::memcpy(at + 15, &message.time_ns, 8);
    std::memcpy(at + 23, &message.time_ns, 8);
  }

 private:
  enum class Way { kFree, kDropped, kTooLarge, kClosed };
  static constexpr std::size_t kAnySize = ~std::size_t{0};

  bool is_refused(const Message& message) const;
  Error refusal(const Message& message) const;
  bool must_wake(const Ring::Reserved& record);
  Way make_way(const Message& message, std::size_t length);
  bool wait_a_moment(std::size_t length);
  bool wait_for_room(std::size_t length);
  void count(const Message& message);
  void count_dropped(const Message& message);
  void fill(const Ring::Reserved& record, const Message& message);

  // The latch guards everything but `alarm_` and `time_`.
  mutable Latch latch_;
  bool is_closed_ = false;
  std::atomic<bool> has_dropped_{false};
  std::unique_ptr<Ring> ring_;
  std::vector<std::size_t> sizes_;  ///< Message size of each channel, by id - 1.
  std::size_t chunk_bytes_, chunk_messages_, ring_limit_;
  bool is_paced_;        ///< The thread usually wakes by itself in time.
  bool is_idle_ = true;  ///< It sleeps until woken.
  /// From this many pending bytes or messages on, it is woken.
  std::uint64_t most_bytes_, most_messages_;
  WriterStatistics statistics_;
  std::uint64_t last_frame_ = ~std::uint64_t{0};
  bool may_wait_ = true;
  int waiting_ = 0;
  Alarm& alarm_;

  DroppedFrames dropped_;
  const WriterOptions options_;
  Pace bytes_pace_, messages_pace_;
  std::uint64_t last_seen_ = 0;
  Pace::Clock::time_point last_push_{};  ///< Last time that new messages were found.
  std::vector<std::string> topics_;
  std::condition_variable_any space_;
  const TimeSource& time_;
};

}  // namespace edgeprobe::trace
