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

/// Records what happens inside an application. Thread-safe; a frame is for one thread at a time.
/// Nothing here looks after a fork(): who shares a probe with a child process does (fork.h).
class Probe {
 public:
  static Result<std::unique_ptr<Probe>> open(const std::filesystem::path& path,
                                             const Options& given);
  /// The same into `sink`, in one part: kUsage with Options::part_bytes. `time` in place of the
  /// system's clocks must outlive the probe.
  static Result<std::unique_ptr<Probe>> open(std::unique_ptr<trace::RecordSink> sink,
                                             const Options& given,
                                             const TimeSource* time = nullptr);
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  /// A place for frames, one at a time; it lives as long as the probe.
  Frame& add_frame();
  /// Begins a frame in a place where none is under way. False when 2^32 frames were begun.
  bool begin(Frame& frame);

  Recorder& recorder() { return recorder_; }
  Statistics statistics() const;
  Status flush() { return recorder_.writer.flush(); }
  /// Once, when no frame is used any more.
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
