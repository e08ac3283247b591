// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::trace {

/// Destination of a trace's bytes: a file, memory, a descriptor. Bytes are only appended, never
/// read back or rewritten, so a pipe works. One thread at a time.
class RecordSink {
 public:
  /// State of the trace when it is closed.
  enum class End {
    kWhole,      ///< Everything was appended.
    kBroken,     ///< Something is missing; the appended bytes stay.
    kDiscarded,  ///< Nothing useful was appended; a file is removed.
  };
  /// Returns replacements of at most `room` bytes for parts that did not fit; empty if none fit.
  using Shorten = std::function<std::vector<ByteView>(std::uint64_t room)>;

  virtual ~RecordSink() = default;
  /// Appends the parts in order. After a failure every further call fails with the same error. A
  /// sink that knows how many bytes it still takes appends the result of `shorten`, if set, and
  /// still fails.
  virtual Status append(const std::vector<ByteView>& parts, const Shorten& shorten) = 0;
  /// Bytes appended so far.
  virtual std::uint64_t size() const = 0;
  /// Waits until appended bytes survive a loss of power, if the sink can know.
  virtual Status sync() = 0;
  /// Call once, after the last append(). Fails with the error of a failed append().
  virtual Status end(End how) = 0;
};

}  // namespace edgeprobe::trace
