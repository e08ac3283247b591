// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/descriptor.h"
#include "trace/record/record_sink.h"

namespace edgeprobe::trace {

/// Writes a trace to a socket or pipe, blocking or not; appended bytes are in the kernel. A closed
/// peer is an error (kTarget), never a signal; it has received everything sent before. The end of
/// the stream marks the end of the trace. Does not change the descriptor's flags.
class DescriptorSink final : public RecordSink {
 public:
  struct Options {
    /// A peer that reads nothing for this long is given up (kLimit).
    std::chrono::milliseconds longest_wait{30'000};
  };
  explicit DescriptorSink(Descriptor descriptor)
      : DescriptorSink(std::move(descriptor), Options()) {}
  DescriptorSink(Descriptor descriptor, const Options& options);

  Status append(const std::vector<ByteView>& parts, const Shorten& shorten) override;
  std::uint64_t size() const override { return size_; }
  Status sync() override { return status_; }  ///< Does nothing: only the peer knows what is stored.
  Status end(End how) override;

 private:
  enum class Kind { kSocket, kPipe, kOther };

  Status failure(int code);
  Status wait();
  /// Returns the bytes taken, or -1 with errno.
  ssize_t send(const std::vector<iovec>& parts, std::size_t first) const;
  ssize_t send_to_pipe(const std::vector<iovec>& parts, std::size_t first) const;

  Descriptor descriptor_;
  Options options_;
  Kind kind_ = Kind::kOther;
  bool blocks_ = true;
  std::uint64_t size_ = 0;
  Status status_;
};

}  // namespace edgeprobe::trace
