// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>

#include "probe/frame.h"
#include "probe/recorder.h"

namespace edgeprobe::probe {

struct Statistics {
  Level level = Level::kOff;
  std::uint64_t frames = 0, recorded_frames = 0, dropped_frames = 0, tensors = 0, bytes = 0,
                time_ns = 0;
};

/// Records an application. Thread-safe; a frame is for one thread at a time. It does not handle
/// fork(): callers that share a probe with a child process do (fork.h).
class Probe {
 public:
  static Result<std::unique_ptr<Probe>> open(const std::filesystem::path& path,
                                             const Options& given);
  /// Opens a probe that writes to `sink`, in one part: kUsage with Options::part_bytes. `time`
  /// replaces the system's clocks and must outlive the probe.
  static Result<std::unique_ptr<Probe>> open(std::unique_ptr<trace::RecordSink> sink,
                                             const Options& given,
                                             const TimeSource* time = nullptr);
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  /// Adds a slot for frames, one at a time; it lives as long as the probe.
  Frame& add_frame();
  /// Begins a frame in a slot that has none in progress. False after 2^32 frames.
  bool begin(Frame& frame);

  Recorder& recorder() { return recorder_; }
  Statistics statistics() const;
  Status flush() { return recorder_.writer.flush(); }
  /// Call it once, when no frame is in use.
  Result<Statistics> close();

 private:
  Probe(const Options& options, trace::Writer writer, const TimeSource* time)
      : recorder_(options, std::move(writer), time) {}
  static Result<std::unique_ptr<Probe>> start(Result<trace::Writer> writer, const Options& options,
                                              const TimeSource* time);

  Recorder recorder_;
  mutable std::mutex mutex_;
  std::deque<Frame> frames_;
};

}  // namespace edgeprobe::probe
