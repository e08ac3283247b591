// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include <nanobind/nanobind.h>

#include "edgeprobe.h"
#include "probe.h"

namespace edgeprobe::python {

/// One edgeprobe_frame. Keeps its probe alive; once the probe is closed, every call throws
/// UsageError, as does a call while another thread is in one.
class Frame {
 public:
  Frame(nanobind::object probe, std::optional<nanobind::str> sample, std::optional<int32_t> label);
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame();

  void end();
  uint32_t number() const { return number_; }
  void sample(nanobind::str name);
  void label(int32_t label);
  void annotation(nanobind::str kind, nanobind::str json);
  void start();
  void stop();
  void trip(nanobind::str reason);
  bool wants(int stage);

  /// `dtype`: of the trace, or -1: from the buffer. Returns false, and records nothing, if `data`
  /// is not a C-contiguous buffer of numbers in this machine's byte order.
  bool tensor(nanobind::str name, nanobind::object data, int stage, int dtype,
              const std::vector<float>& scale, const std::vector<int64_t>& zero_point, int axis,
              int position, std::optional<nanobind::str> layer_type);
  /// `data`: rows of contiguous pixels, with any distance from row to row; [height, width] or
  /// [height, width, channels].
  void image(nanobind::str name, nanobind::object data, int format, int rotation, bool mirrored);
  void yuv(nanobind::str name, nanobind::object data, int format, uint32_t width, uint32_t height,
           uint32_t stride, uint32_t chroma_stride, int rotation, bool mirrored, bool full_range,
           bool bt709);
  /// `data`: [samples] or [samples, channels].
  void audio(nanobind::str name, nanobind::object data, uint32_t samples_per_second);
  /// `data`: [steps] or [steps, axes].
  void readings(nanobind::str name, nanobind::object data, double steps_per_second);
  void encoded(nanobind::str name, nanobind::object data);
  /// `data`: UTF-8.
  void raw_text(nanobind::str name, nanobind::object data);
  void begin_sequence();

  /// Parts of an answer; None: not given. Arrays are C-contiguous: classes int64 [n], scores
  /// float32 [n], boxes float32 [n, 4], mask [height, width], points float32 [n, 3], vector float32
  /// [n].
  struct AnswerParts {
    std::optional<std::vector<nanobind::str>> labels;
    nanobind::object classes, scores, boxes, mask, points, vector;
    std::optional<float> score;
    std::optional<bool> alarm;
    std::optional<nanobind::str> text;
  };
  void answer(nanobind::str name, const AnswerParts& parts);

  void scalar(nanobind::str name, double value);
  void vector(nanobind::str name, const std::vector<double>& values);
  void text(nanobind::str name, nanobind::str value);
  void json(nanobind::str name, nanobind::str value);
  /// `wrong`: empty if it holds.
  void assert_that(nanobind::str name, nanobind::str wrong);
  /// Nanoseconds of the spans' clock; 0 if the probe is off.
  uint64_t span_begin();
  void span_end(nanobind::str name, uint64_t start_ns);

 private:
  template <class Call>
  edgeprobe_status with_frame(Call&& call);
  /// Runs the call without the interpreter lock if `bytes` is large or the call may wait; then
  /// rethrows an exception from the redaction hook.
  template <class Call>
  void copy(size_t bytes, Call&& call);

  nanobind::object owner_;
  Probe& probe_;
  edgeprobe_frame* handle_ = nullptr;
  uint32_t number_ = 0;
  bool ended_ = false;
  std::atomic_flag in_use_ = ATOMIC_FLAG_INIT;
};

}  // namespace edgeprobe::python
