// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace edgeprobe::diagnose::stream {

/// One frame's model input as rows in order of time: the reference's and the target's.
struct Window {
  std::uint32_t frame = 0;
  bool begins = false;             ///< The first of a sequence.
  std::vector<float> wanted, fed;  ///< [rows][columns]
};
struct Windows {
  std::size_t rows = 0, columns = 0;
  double same = 0;          ///< Two values are one up to this distance.
  std::vector<Window> all;  ///< By frame.

  bool equal(const float* a, const float* b) const {
    for (std::size_t c = 0; c < columns; ++c)
      if (!(a[c] - b[c] <= same && b[c] - a[c] <= same)) return false;
    return true;
  }
};

/// Where the reference's windows lie in their streams, each sequence's far from the others'.
struct Places {
  std::vector<long> begin;  ///< Of each window, in rows.
  long hop = 0;  ///< Rows from one window to the next; the window's own where none share.
  /// Windows that begin nothing, and yet do not go on where the one before them is.
  std::vector<std::size_t> breaks;
};
Places places_of(const Windows& windows);

class Stream;

/// Rows of a fed window that lie together in the stream.
struct Part {
  std::size_t from = 0, to = 0;
  enum class Kind { kStream, kZero, kUnknown } kind = Kind::kUnknown;
  long offset = 0;  ///< Rows later in the stream than they should be; kStream.
};
/// Each fed window as parts: its own place goes before any other, then the offset of the part
/// before, then what is nearest. Parts without a place are unknown, or zeros.
std::vector<std::vector<Part>> parts_of(const Windows& windows, const Places& places,
                                        const Stream& stream);

}  // namespace edgeprobe::diagnose::stream
