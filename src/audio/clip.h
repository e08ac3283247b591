// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace edgeprobe::audio {

/// A recording as delivered: all channels, before any conversion.
struct Clip {
  /// Interleaved, in units of 16-bit samples: full scale is 32768, whatever format the file used.
  std::vector<float> samples;
  int channels = 1;
  double rate = 0;     ///< Hz.
  bool whole = false;  ///< Stored as integers of at most 16 bits.
  std::size_t frames() const { return samples.size() / static_cast<std::size_t>(channels); }
};

/// Limits of a recording (docs/reference/limits.md).
inline constexpr int kMostChannels = 64;
inline constexpr double kLeastRate = 100, kMostRate = 1'000'000;
inline constexpr std::size_t kMostSamples = std::size_t{1} << 28;

}  // namespace edgeprobe::audio
