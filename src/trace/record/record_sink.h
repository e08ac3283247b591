// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::trace {

/// Destination of a trace's bytes: a file, memory, a descriptor. Bytes are only appended; nothing
/// is read back or written twice, so a pipe will do. One thread at a time.
class RecordSink {
 public:
  /// How a trace ends.
  enum class End {
    kWhole,      ///< All of it was appended.
    kBroken,     ///< Something is missing; what was appended stays.
    kDiscarded,  ///< Nothing of use was appended; a file goes.
  };
  /// Other parts instead of those that did not fit, of at most `room` bytes; none: nothing fits.
  using Shorten = std::function<std::vector<ByteView>(std::uint64_t room)>;

  virtual ~RecordSink() = default;
  /// Appends the parts in order. After a failure every further call fails with the same error. A
  /// sink that knows how many bytes it still takes appends what `shorten`, if any, makes of them,
  /// and fails all the same.
  virtual Status append(const std::vector<ByteView>& parts, const Shorten& shorten) = 0;
  /// Bytes appended so far.
  virtual std::uint64_t size() const = 0;
  /// Waits until a loss of power cannot take what was appended, where the sink can know.
  virtual Status sync() = 0;
  /// Once, after the last append(). Fails with the error of an append() that failed.
  virtual Status end(End how) = 0;
};

}  // namespace edgeprobe::trace
