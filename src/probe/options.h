// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "probe/logged.h"

namespace edgeprobe::probe {

/// Selects which raw inputs are kept.
enum class Raw {
  kSample,  ///< The first frames, and every frame that trips a trigger.
  kNone,
  kAll,
};

/// Selects the frames whose tensors are recorded.
enum class Sampling {
  kEvery,    ///< Every n-th, starting with the first.
  kRandom,   ///< Each with probability 1/n.
  kTrigger,  ///< Those that trip a trigger, and some before them.
};

/// Keeps a forgotten recording from filling the disk. If only the newest parts are kept, the size
/// is bounded anyway, and this value means no limit.
constexpr std::uint64_t kDefaultTotalBytes = 4'000'000'000;

/// Mirrors edgeprobe_options in edgeprobe.h, which documents each field.
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

  /// Overwrites confidential parts in a private copy of a raw input. Called without holding any
  /// lock of the probe.
  std::function<void(const char* name, void* bytes, std::size_t size)> redact;
};

}  // namespace edgeprobe::probe
