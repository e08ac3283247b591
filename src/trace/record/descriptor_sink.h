// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/descriptor.h"
#include "trace/record/record_sink.h"

namespace edgeprobe::trace {

/// A trace through a socket or a pipe, blocking or not; what was appended is with the kernel. A
/// peer that goes is an error (kTarget), never a signal; it has what was sent until then, and the
/// end of the trace is the end of the stream. Flags of the descriptor stay as they are.
class DescriptorSink final : public RecordSink {
 public:
  struct Options {
    /// A peer that takes nothing for so long is given up (kLimit).
    std::chrono::milliseconds longest_wait{30'000};
  };
  explicit DescriptorSink(Descriptor descriptor)
      : DescriptorSink(std::move(descriptor), Options()) {}
  DescriptorSink(Descriptor descriptor, const Options& options);

  Status append(const std::vector<ByteView>& parts, const Shorten& shorten) override;
  std::uint64_t size() const override { return size_; }
  Status sync() override { return status_; }  ///< Nothing: the peer alone knows.
  Status end(End how) override;

 private:
  enum class Kind { kSocket, kPipe, kOther };

  Status failure(int code);
  Status wait();
  /// Bytes taken, or -1 with errno.
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
