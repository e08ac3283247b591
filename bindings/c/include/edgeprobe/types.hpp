// SPDX-License-Identifier: Apache-2.0
// The plain values of edgeprobe.hpp, which are enumerations and structs in edgeprobe.h.
#pragma once

#if __cplusplus < 201703L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 201703L)
#error "edgeprobe.hpp needs C++17 (-std=c++17)"
#endif

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "edgeprobe.h"

namespace edgeprobe {
inline namespace v1 {

/// How much of a frame is recorded; each level includes the previous ones.
enum class Level {
  none = EDGEPROBE_LEVEL_NONE,  ///< The record of each frame: sample, label, latency.
  /// Adds raw inputs, stages, inputs and outputs of the model, variables.
  io = EDGEPROBE_LEVEL_IO,
  embedding = EDGEPROBE_LEVEL_EMBEDDING,  ///< Adds the layers logged as Stage::embedding.
  layers = EDGEPROBE_LEVEL_LAYERS,        ///< Adds all layers.
};

enum class Raw {
  sample = EDGEPROBE_RAW_SAMPLE,
  none = EDGEPROBE_RAW_NONE,
  all = EDGEPROBE_RAW_ALL
};

enum class Sampling {
  every = EDGEPROBE_SAMPLE_EVERY,    ///< Every `Options::every`-th frame.
  random = EDGEPROBE_SAMPLE_RANDOM,  ///< Each with probability 1 / every.
  /// Frames that trip a trigger, and `Options::before` frames before each.
  trigger = EDGEPROBE_SAMPLE_TRIGGER,
};

/// Result of a call. All except `ok` may be ignored; last_error() has a message.
enum class Status {
  ok = EDGEPROBE_OK,
  usage = EDGEPROBE_USAGE,
  not_found = EDGEPROBE_NOT_FOUND,
  corrupt = EDGEPROBE_CORRUPT,
  unsupported = EDGEPROBE_UNSUPPORTED,
  limit = EDGEPROBE_LIMIT,
  failed = EDGEPROBE_FAILED,
  /// No probe: it could not be opened, was closed, or this is a forked child.
  off = EDGEPROBE_OFF,
};

/// Position in the pipeline where a tensor was taken.
enum class Stage {
  /// A named step of the application's own pre- or post-processing.
  intermediate = EDGEPROBE_STAGE_INTERMEDIATE,
  model_input = EDGEPROBE_STAGE_MODEL_INPUT,
  layer = EDGEPROBE_STAGE_LAYER,
  model_output = EDGEPROBE_STAGE_MODEL_OUTPUT,
  embedding = EDGEPROBE_STAGE_EMBEDDING,
  variable = EDGEPROBE_STAGE_VARIABLE,
  raw_input = EDGEPROBE_STAGE_RAW_INPUT,  ///< Only for Frame::wants(), like the next one.
  answer = EDGEPROBE_STAGE_ANSWER,
};

enum class Pixels {
  rgb8 = EDGEPROBE_RGB8,
  bgr8 = EDGEPROBE_BGR8,
  rgba8 = EDGEPROBE_RGBA8,
  bgra8 = EDGEPROBE_BGRA8,
  gray8 = EDGEPROBE_GRAY8,
  nv12 = EDGEPROBE_NV12,
  nv21 = EDGEPROBE_NV21,
  i420 = EDGEPROBE_I420,
  yv12 = EDGEPROBE_YV12,
};

inline Status status(edgeprobe_status code) noexcept { return static_cast<Status>(code); }

/// One sentence about the last failure in this thread; "" if there was none. Valid until this
/// thread's next call.
inline const char* last_error() noexcept { return edgeprobe_last_error(); }

/// A text for the C ABI: any bytes up to a NUL. Must live only until the call returns.
class Name {
 public:
  Name(const char* text) noexcept : text_(text ? text : "") {}
  Name(const std::string& text) noexcept : text_(text.c_str()) {}
  const char* c_str() const noexcept { return text_; }

 private:
  const char* text_;
};

/// edgeprobe_options; the fields are documented there.
struct Options {
  Level level = Level::io;
  /// Patterns with * and ? for "stage/name", separated by spaces. Empty: all.
  std::string include;
  std::string exclude;

  Sampling sampling = Sampling::every;
  std::uint32_t every = 1;
  std::uint64_t seed = 0;
  std::uint32_t before = 0;
  double below_confidence = 0;

  Raw raw = Raw::sample;
  std::uint32_t raw_frames = 32;
  std::uint64_t raw_bytes = 64'000'000;

  bool sketch = false;

  /// 0.01 is one percent of the wall time. 0: no limit, as for the two below.
  double time_share = 0;
  std::uint64_t bytes_per_second = 0;
  std::uint64_t total_bytes = 4'000'000'000;

  std::uint64_t part_bytes = 0;
  std::uint32_t newest_parts = 0;
  /// For a model patched by `edgeprobe instrument`; 0: not patched.
  std::uint32_t own_outputs = 0;
  std::uint32_t flush_ms = 1000;
  /// If the disk is too slow, calls wait (batch programs, tests); false: the frame is dropped.
  bool wait_when_full = false;

  /// Called with a private copy of every raw input: overwrite everything that must not be kept. If
  /// it throws, the copy is filled with zeros. May be called by any logging thread.
  std::function<void(const char* name, void* bytes, std::size_t size)> redact;

  Options() = default;
  Options(Level wanted) : level(wanted) {}
};

}  // namespace v1
}  // namespace edgeprobe
