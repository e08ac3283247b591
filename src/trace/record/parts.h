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

/// Manages the files of a recording: the open part, when the next one begins, and how each begins.
/// For a recording without rotation, it holds a single part, and calls take no lock. Thread-safe.
class Parts {
 public:
  using Shared = std::shared_lock<std::shared_mutex>;

  /// A single part at `place`.
  static Result<std::unique_ptr<Parts>> open(const Part::Place& place, const WriterOptions& options,
                                             const TimeSource& time);
  /// Parts with names derived from `path`.
  static Result<std::unique_ptr<Parts>> open(const std::filesystem::path& path,
                                             const WriterOptions& options, const TimeSource& time);
  Parts(std::filesystem::path path, const WriterOptions& options, const TimeSource& time);

  bool is_one() const { return is_one_; }
  /// The only part; with rotation the open part, valid while the lock from enter...() is held.
  Part& part() { return *part_; }

  /// Before writing data of a frame: locks the mutex shared and ensures a part with room.
  Result<Shared> enter_frame(std::uint32_t frame, std::uint64_t bytes);
  /// Before writing an event: locks as enter_frame() does. A new part starts here only between
  /// frames, or if events alone have filled a part.
  Result<Shared> enter_event(std::uint64_t bytes);
  Result<Shared> enter();
  /// The record of `frame` is next: later messages belong to another frame.
  void frame_ends(std::uint32_t frame) { raise(newest_ended_, frame); }
  /// A channel's id in the open part; 0 if it has none.
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
  /// The existing files, and the number of removed ones.
  std::pair<std::vector<std::filesystem::path>, std::size_t> files() const;
  Result<WriterStatistics> close();

 private:
  // All of these require the exclusive mutex.
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

  // Shared for writing; exclusive for changing the part, channels or metadata.
  mutable std::shared_mutex mutex_;
  std::vector<Channel> channels_;  ///< Indexed by id - 1.
  std::vector<ChannelId> ids_;     ///< Their ids in the open part.
  std::vector<std::pair<std::string, std::map<std::string, std::string>>> groups_;
  std::uint64_t head_bytes_;  ///< Bytes at the beginning and end of each part.
  std::uint64_t repeated_bytes_ = 0, ended_event_bytes_ = 0;  ///< Sums over the parts so far.
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
