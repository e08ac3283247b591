// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "trace/record/part.h"

namespace edgeprobe::trace {

/// The files of a recording: the part that is open, when the next one begins and what each begins
/// with. Of a recording that is never rotated only the part: its calls take no lock. Thread-safe.
class Parts {
 public:
  using Shared = std::shared_lock<std::shared_mutex>;

  /// One part, at `place`.
  static Result<std::unique_ptr<Parts>> open(const Part::Place& place, const WriterOptions& options,
                                             const TimeSource& time);
  /// Parts at names made of `path`.
  static Result<std::unique_ptr<Parts>> open(const std::filesystem::path& path,
                                             const WriterOptions& options, const TimeSource& time);
  Parts(std::filesystem::path path, const WriterOptions& options, const TimeSource& time);

  bool is_one() const { return is_one_; }
  /// The only part, or between enter...() and the end of its lock the open one.
  Part& part() { return *part_; }

  /// For what belongs to a frame: the mutex shared, and a part that may be written into.
  Result<Shared> enter_frame(std::uint32_t frame, std::uint64_t bytes);
  /// Between frames, or where no frame has written anything for as long as a part is.
  Result<Shared> enter_event(std::uint64_t bytes);
  Result<Shared> enter();
  /// The record of `frame` comes now: what follows is of another one.
  void frame_ends(std::uint32_t frame) { raise(newest_ended_, frame); }
  /// A channel's id in the open part; 0 for none.
  ChannelId id_of(ChannelId channel) const {
    return channel == 0 || channel > ids_.size() ? ChannelId{0} : ids_[channel - std::size_t{1}];
  }

  Result<ChannelId> add_channel(const Channel& channel);
  Status metadata(const std::string& name, const std::map<std::string, std::string>& values);
  void expect_frame(std::uint64_t bytes);
  bool has_failed() const;
  WriterStatistics statistics() const;
  std::uint64_t unseen_bytes() const {
    return is_one_ ? part_->event_bytes() : unseen_bytes_of_parts();
  }
  /// Those that are there, and how many were removed.
  std::pair<std::vector<std::filesystem::path>, std::size_t> files() const;
  Result<WriterStatistics> close();

 private:
  // All of these with the mutex alone.
  Status fail(Error error);
  WriterOptions part_options() const;
  Status open_part(std::filesystem::path& path);
  void remove_old_parts();
  std::size_t next_part() const { return removed_ + paths_.size(); }
  Status begin_part();
  Status write_head();
  Status end_part();
  void remember(const std::string& name, const std::map<std::string, std::string>& values);
  Status refusal() const;
  std::uint64_t unseen_bytes_of_parts() const;

  bool is_due() const;
  template <class IsDue>
  Result<Shared> enter(IsDue is_due_for_this);
  static void raise(std::atomic<std::int64_t>& newest, std::uint32_t frame);

  std::optional<Part> part_;
  const bool is_one_;
  const WriterOptions options_;
  const TimeSource& time_;
  const std::filesystem::path path_;
  const std::string series_;

  // Writing shares it; what changes the part, the channels or the metadata has it alone.
  mutable std::shared_mutex mutex_;
  std::vector<Channel> channels_;  ///< By id - 1.
  std::vector<ChannelId> ids_;     ///< The same in the open part.
  std::vector<std::pair<std::string, std::map<std::string, std::string>>> groups_;
  std::uint64_t head_bytes_;  ///< What each part begins and ends with.
  std::uint64_t repeated_bytes_ = 0, ended_event_bytes_ = 0;  ///< Of the parts so far.
  WriterStatistics ended_;
  std::vector<std::filesystem::path> paths_;
  std::size_t removed_ = 0;
  std::uint32_t next_number_ = 0;
  std::uint64_t largest_frame_ = 0;
  TimeSource::Moment part_start_{};
  std::optional<Error> failure_;
  bool is_closed_ = false;

  std::atomic<std::uint64_t> part_bytes_{0};
  std::atomic<std::int64_t> newest_frame_{-1}, newest_ended_{-1};
  std::atomic<std::uint64_t> event_bytes_{0};  ///< Since the last message of a frame.
};

}  // namespace edgeprobe::trace
