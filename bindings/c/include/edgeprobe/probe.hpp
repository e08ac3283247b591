// SPDX-License-Identifier: Apache-2.0
// A recording: opened once, for all threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "edgeprobe/frame.hpp"
#include "edgeprobe/types.hpp"

namespace edgeprobe {
inline namespace v1 {
namespace detail {

/// The open file. Frames and spans share ownership, so that none of them can outlive the probe.
struct Recording {
  Recording() = default;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() { edgeprobe_close(probe.load(std::memory_order_relaxed), nullptr); }

  static void redact_one(void* context, const char* name, void* bytes, std::size_t size) noexcept {
    try {
      static_cast<Recording*>(context)->redact(name, bytes, size);
    } catch (...) {
      std::memset(bytes, 0, size);
    }
  }

  std::atomic<edgeprobe_probe*> probe{nullptr};
  std::function<void(const char*, void*, std::size_t)> redact;
};

inline edgeprobe_frame* open_frame(const std::shared_ptr<Recording>& recording,
                                   edgeprobe_frame* frame) noexcept {
  return recording && recording->probe.load(std::memory_order_acquire) ? frame : nullptr;
}

}  // namespace detail

using Statistics = edgeprobe_statistics;

/// A trace being recorded. Move-only; callable from any thread; destruction or close() finishes the
/// file.
class Probe {
 public:
  Probe() = default;  ///< Records nothing.
  /// Creates the trace `path`. If that fails, the application goes on: ok() is false, error()
  /// states why, and so does one line on standard error.
  explicit Probe(Name path, const Options& options = {}) noexcept { open(path, options); }

  Probe(Probe&&) noexcept = default;
  Probe& operator=(Probe&&) noexcept = default;
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  bool ok() const noexcept { return handle() != nullptr; }
  explicit operator bool() const noexcept { return ok(); }
  /// Why the probe is not open: one sentence; "" if it is.
  const std::string& error() const noexcept { return error_; }
  /// For edgeprobe.h; NULL without a probe.
  edgeprobe_probe* handle() const noexcept {
    return recording_ ? recording_->probe.load(std::memory_order_acquire) : nullptr;
  }

  /// Begins the next frame.
  [[nodiscard]] Frame frame() const noexcept {
    edgeprobe_frame* frame = nullptr;
    if (edgeprobe_frame_begin(handle(), &frame) != EDGEPROBE_OK) return {};
    return {recording_, frame};
  }

  /// A fact about the deployment: "model", "engine", "threads", ...
  /// (docs/reference/trace-format.md, edgeprobe.run).
  Status describe(Name key, Name value) const noexcept {
    return status(edgeprobe_describe(handle(), key.c_str(), value.c_str()));
  }
  /// Records an event: "camera restarted".
  Status mark(Name name, Name text = "") const noexcept {
    return status(edgeprobe_mark(handle(), name.c_str(), text.c_str()));
  }
  Status sensor(Name name, std::initializer_list<double> values, Name unit) const noexcept {
    return status(
        edgeprobe_sensor(handle(), name.c_str(), values.begin(), values.size(), unit.c_str()));
  }
  template <class Container,
            class = std::enable_if_t<std::is_same_v<detail::Value<Container>, double>>>
  Status sensor(Name name, const Container& values, Name unit) const noexcept {
    return status(edgeprobe_sensor(handle(), name.c_str(), std::data(values), std::size(values),
                                   unit.c_str()));
  }
  /// Values measured the given number of nanoseconds ago: the difference between the sensor clock's
  /// current time and its time stamp.
  template <class Container,
            class = std::enable_if_t<std::is_same_v<detail::Value<Container>, double>>>
  Status sensor_ago(Name name, const Container& values, Name unit,
                    std::uint64_t age_ns) const noexcept {
    return status(edgeprobe_sensor_ago(handle(), name.c_str(), std::data(values), std::size(values),
                                       unit.c_str(), age_ns));
  }
  /// Records that a sensor has no value, and why. Never logged as 0.
  Status sensor_absent(Name name, Name unit, Name reason) const noexcept {
    return status(edgeprobe_sensor_absent(handle(), name.c_str(), unit.c_str(), reason.c_str()));
  }

  /// Returns once everything logged before is in the file. Takes milliseconds.
  Status flush() const noexcept { return status(edgeprobe_flush(handle())); }
  /// All zeros without a probe.
  Statistics statistics() const noexcept {
    Statistics now = {};
    now.struct_size = sizeof now;
    edgeprobe_statistics_now(handle(), &now);
    return now;
  }
  /// Finishes the file now. Open frames are ended. Waits for calls of other threads.
  Status close(Statistics* statistics = nullptr) noexcept {
    if (statistics != nullptr)
      *statistics = Statistics{}, statistics->struct_size = sizeof *statistics;
    edgeprobe_probe* const probe = recording_ ? recording_->probe.exchange(nullptr) : nullptr;
    return status(edgeprobe_close(probe, statistics));
  }

 private:
  void open(Name path, const Options& wanted) noexcept {
    try {
      auto recording = std::make_shared<detail::Recording>();
      edgeprobe_options options;
      edgeprobe_options_init(&options);
      options.level = static_cast<edgeprobe_level>(wanted.level);
      options.include = wanted.include.empty() ? nullptr : wanted.include.c_str();
      options.exclude = wanted.exclude.empty() ? nullptr : wanted.exclude.c_str();
      options.sampling = static_cast<edgeprobe_sampling>(wanted.sampling);
      options.every = wanted.every;
      options.seed = wanted.seed;
      options.before = wanted.before;
      options.below_confidence = wanted.below_confidence;
      options.raw = static_cast<edgeprobe_raw>(wanted.raw);
      options.raw_frames = wanted.raw_frames;
      options.raw_bytes = wanted.raw_bytes;
      options.sketch = wanted.sketch ? 1 : 0;
      options.time_share = wanted.time_share;
      options.bytes_per_second = wanted.bytes_per_second;
      options.total_bytes = wanted.total_bytes;
      options.part_bytes = wanted.part_bytes;
      options.newest_parts = wanted.newest_parts;
      options.own_outputs = wanted.own_outputs;
      options.flush_ms = wanted.flush_ms;
      options.wait_when_full = wanted.wait_when_full ? 1 : 0;
      if (wanted.redact) {
        recording->redact = wanted.redact;
        options.redact = &detail::Recording::redact_one;
        options.redact_context = recording.get();
      }
      edgeprobe_probe* probe = nullptr;
      if (edgeprobe_open(path.c_str(), &options, &probe) != EDGEPROBE_OK) {
        error_ = edgeprobe_last_error();
        return;
      }
      recording->probe = probe;
      recording_ = std::move(recording);
    } catch (...) {
      // Only out of memory is possible here; a text as short as this one needs none.
      error_.assign("out of memory");
    }
  }

  std::shared_ptr<detail::Recording> recording_;
  std::string error_;
};

}  // namespace v1
}  // namespace edgeprobe
