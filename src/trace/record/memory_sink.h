// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/record/record_sink.h"

namespace edgeprobe::trace {

/// A trace in memory. `out` must outlive the sink; it holds whole records whenever no append() is
/// under way. Fails with kLimit when there is no more memory.
class MemorySink final : public RecordSink {
 public:
  explicit MemorySink(Bytes& out);

  Status append(const std::vector<ByteView>& parts, const Shorten& shorten) override;
  std::uint64_t size() const override { return out_.size(); }
  Status sync() override { return status_; }
  Status end(End how) override;

 private:
  Bytes& out_;
  Status status_;
};

}  // namespace edgeprobe::trace
