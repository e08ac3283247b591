// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace edgeprobe::diagnose::stream {

/// One frame's model input as rows in time order, for reference and target.
struct Window {
  std::uint32_t frame = 0;
  bool begins = false;             ///< The first window of a sequence.
  std::vector<float> wanted, fed;  ///< [rows][columns]
};
struct Windows {
  std::size_t rows = 0, columns = 0;
  double same = 0;          ///< Values up to this distance count as equal.
  std::vector<Window> all;  ///< Sorted by frame.

  bool equal(const float* a, const float* b) const {
    for (std::size_t c = 0; c < columns; ++c)
      if (!(a[c] - b[c] <= same && b[c] - a[c] <= same)) return false;
    return true;
  }
};

/// Places of the reference's windows in their streams; those of different sequences are far apart.
struct Places {
  std::vector<long> begin;  ///< Place of each window, in rows.
  long hop = 0;  ///< Rows between consecutive windows; the window's length if none overlap.
  /// Windows within a sequence that do not continue the window before them.
  std::vector<std::size_t> breaks;
};
Places places_of(const Windows& windows);

class Stream;

/// Rows of a fed window that are contiguous in the stream.
struct Part {
  std::size_t from = 0, to = 0;
  enum class Kind { kStream, kZero, kUnknown } kind = Kind::kUnknown;
  long offset = 0;  ///< kStream: rows by which it is later in the stream than it should be.
};
/// Splits each fed window into parts: prefers its own place, then the offset of the previous part,
/// then the nearest place. Parts without a place are unknown, or zeros.
std::vector<std::vector<Part>> parts_of(const Windows& windows, const Places& places,
                                        const Stream& stream);

}  // namespace edgeprobe::diagnose::stream
