// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "trace/writer.h"

namespace edgeprobe::trace {

/// When a recording goes on in the next file; 0: never.
struct Rotation {
  std::uint64_t part_bytes = 0;  ///< Of messages in a part; the last frame may pass it.
  std::chrono::milliseconds part_time{0};
  /// Only so many are kept: as a new part begins, the oldest ones of this recording are removed.
  std::size_t newest_parts = 0;
};

struct RotationStatistics {
  WriterStatistics written;                  ///< Of all parts together.
  std::vector<std::filesystem::path> parts;  ///< Those that were not removed.
  std::size_t removed_parts = 0;
};

/// A recording in parts: "name.mcap" becomes name-000.mcap, name-001.mcap, … Each part is a
/// complete trace of its own, with all channels and metadata; the metadata "edgeprobe.part" say
/// which recording it belongs to
/// (`series`) and its place in it (`part`). A number that is taken, also by another process at this
/// moment, is skipped: nothing is ever overwritten, and of files only this recording's own are
/// removed.
///
/// A full part ends before the first message of a frame newer than all before it, or before a
/// moment of a series that comes after the newest frame's record, or after so many bytes of series
/// that they fill a part of their own. The call that brings it waits for the old part to be
/// finished. Thread-safe like Writer; a late tensor of an older frame goes into the part that is
/// open.
class RotatingWriter {
 public:
  static Result<RotatingWriter> open(const std::filesystem::path& path, const Rotation& rotation,
                                     const WriterOptions& options = {});
  RotatingWriter(RotatingWriter&&) noexcept;
  RotatingWriter& operator=(RotatingWriter&&) noexcept;
  ~RotatingWriter();  ///< Closes as close() does, dropping the error.

  // As in Writer. After a failure every call fails with it; parts that are finished stay.
  Result<ChannelId> add_channel(const Channel& channel);
  Status metadata(const std::string& name, const std::map<std::string, std::string>& values);
  Status write(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns, const Rows& values);
  bool put(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns, const Rows& values,
           Error& why);
  void expect_frame(std::uint64_t bytes);
  Status frame(const FrameRecord& record);
  Status series(const std::string& topic, std::uint64_t time_ns, const std::string& json);
  Status flush();
  bool has_failed() const;
  WriterStatistics statistics() const;  ///< Of all parts so far.
  /// Bytes of the files that the caller does not see in its calls: what parts after the first
  /// repeat, the channels of series, and what one more part would begin with.
  std::uint64_t unseen_bytes() const;
  Result<RotationStatistics> close();

 private:
  struct State;
  explicit RotatingWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace edgeprobe::trace
