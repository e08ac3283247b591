// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/clock.h"
#include "trace/record/alarm.h"
#include "trace/record/file_end.h"
#include "trace/record/message_queue.h"
#include "trace/record/record_sink.h"

namespace edgeprobe::trace {

/// One trace being written: a queue, the thread that empties it, and the sink. Writer documents the
/// calls. Thread-safe; not movable.
class Part {
 public:
  using Kind = MessageQueue::Kind;
  using Message = MessageQueue::Message;

  /// Destination of a part.
  struct Place {
    std::function<Result<std::unique_ptr<RecordSink>>()> open;
    std::string title;  ///< For error messages before the sink exists; "" for none.
    std::optional<std::filesystem::path> spill_folder;  ///< As in ChunkFile::create().
  };
  /// Opens a part in `part`, which is empty before, and after a failure.
  static Status open(std::optional<Part>& part, const Place& place, const WriterOptions& options,
                     const TimeSource& time);
  Part(ChunkFile file, std::unique_ptr<Ring> ring, const WriterOptions& options,
       const TimeSource& time);
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  ~Part();  ///< Closes like close(), ignoring the error.

  Result<ChannelId> add_channel(const Channel& channel);
  Status metadata(const std::string& name, const std::map<std::string, std::string>& values);
  [[gnu::always_inline]] bool write(const Message& message, Error& why) {
    if (file_.has_failed()) {
      why = file_.failure();
      return false;
    }
    const MessageQueue::Outcome outcome = queue_.push(message, why);
    if (outcome == MessageQueue::Outcome::kTooLarge) return write_directly(message, why);
    return outcome == MessageQueue::Outcome::kDone;
  }
  Status frame(const FrameRecord& record);
  Status stream(const std::string& topic, std::uint64_t time_ns, const std::string& json);
  void expect_frame(std::uint64_t bytes) { queue_.expect_frame(bytes); }
  Status flush();
  bool has_failed() const { return file_.has_failed(); }
  WriterStatistics statistics() const { return queue_.statistics(); }
  std::uint64_t event_bytes() const { return event_bytes_.load(std::memory_order_relaxed); }
  Result<WriterStatistics> close();

 private:
  struct EventChannel {
    ChannelId id = 0;
    std::uint32_t messages = 0;
  };

  void drain(bool all);
  void work();
  Status add_record(FileEnd::Record record);
  Result<ChannelId> add_channel(std::optional<std::size_t> size, const std::string& topic,
                                const std::function<FileEnd::Record(ChannelId)>& record);
  Result<ChannelId> channel_of_frames();
  Status write(const Message& message);
  bool write_directly(const Message& message, Error& why);

  const std::chrono::milliseconds flush_ms_;
  const TimeSource& time_;
  Alarm alarm_;
  FileEnd file_;
  MessageQueue queue_;
  std::thread thread_;

  // Channels that are added with their first message.
  std::mutex mutex_;
  std::map<std::string, EventChannel> event_streams_;
  std::atomic<std::uint64_t> event_bytes_{0};
  std::atomic<ChannelId> frame_channel_{0};
  std::atomic<std::uint32_t> others_{0};

  // Used only by the thread that empties the queue.
  Ring::Run run_;
  std::vector<ChunkEntry> entries_;
};

}  // namespace edgeprobe::trace
