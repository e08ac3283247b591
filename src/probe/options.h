// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "probe/logged.h"

namespace edgeprobe::probe {

/// Which raw inputs are kept.
enum class Raw {
  kSample,  ///< The first frames, and every frame that trips a trigger.
  kNone,
  kAll,
};

/// Which frames are recorded beyond their record.
enum class Sampling {
  kEvery,    ///< Every n-th, the first included.
  kRandom,   ///< Each with probability 1/n.
  kTrigger,  ///< Those that trip a trigger, and some before them.
};

/// A disk is not to be filled by an application that forgot it. Where the newest parts alone are
/// kept, nothing more grows: this value is then taken for no limit.
constexpr std::uint64_t kDefaultTotalBytes = 4'000'000'000;

/// As edgeprobe_options in edgeprobe.h, which says what each means.
struct Options {
  Level level = Level::kIo;
  std::string include, exclude;

  Sampling sampling = Sampling::kEvery;
  std::uint32_t every = 1;
  std::uint64_t seed = 0;
  std::uint32_t before = 0;
  double below_confidence = 0;

  Raw raw = Raw::kSample;
  std::uint32_t raw_frames = 32;
  std::uint64_t raw_bytes = 64'000'000;

  bool sketch = false;

  double time_share = 0;
  std::uint64_t bytes_per_second = 0;
  std::uint64_t total_bytes = kDefaultTotalBytes;

  std::uint64_t part_bytes = 0;
  std::uint32_t newest_parts = 0;
  std::uint32_t own_outputs = 0;
  std::uint32_t flush_ms = 1000;
  bool wait_when_full = false;

  /// Overwrites what must not be kept in a private copy of a raw input. Called without any lock of
  /// ours.
  std::function<void(const char* name, void* bytes, std::size_t size)> redact;
};

}  // namespace edgeprobe::probe
