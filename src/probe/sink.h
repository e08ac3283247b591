// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "probe/options.h"
#include "trace/rotating_writer.h"
#include "trace/writer.h"

namespace edgeprobe::probe {

/// Where a recording goes: one file, or parts. Calls are those of trace::Writer; they never wait
/// for the disk, but for the first of a new part, flush() and close().
class Sink {
 public:
  static Result<Sink> open(const std::filesystem::path& path, const Options& options);

  Result<trace::ChannelId> add_channel(const trace::Channel& channel);
  Status metadata(const std::string& name, const std::map<std::string, std::string>& values);
  bool put(trace::ChannelId channel, std::uint32_t frame, std::uint64_t time_ns,
           const trace::Rows& values, Error& why) {
    return one_ ? one_->put(channel, frame, time_ns, values, why)
                : parts_->put(channel, frame, time_ns, values, why);
  }
  Status frame(const trace::FrameRecord& record) {
    return one_ ? one_->frame(record) : parts_->frame(record);
  }
  Status series(const std::string& topic, std::uint64_t time_ns, const std::string& json);
  /// A frame of so many bytes must fit (trace::Writer::expect_frame).
  void expect_frame(std::uint64_t bytes);
  bool has_failed() const { return one_ ? one_->has_failed() : parts_->has_failed(); }
  trace::WriterStatistics statistics() const {
    return one_ ? one_->statistics() : parts_->statistics();
  }
  /// Bytes of the files beside what the calls hold (trace::RotatingWriter::unseen_bytes).
  std::uint64_t unseen_bytes() const {
    return one_ ? one_->series_bytes() : parts_->unseen_bytes();
  }
  Status flush();
  Result<trace::WriterStatistics> close();

 private:
  std::optional<trace::Writer> one_;
  std::optional<trace::RotatingWriter> parts_;
};

}  // namespace edgeprobe::probe
