// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/record/record_sink.h"

namespace edgeprobe::trace {

/// Writes a trace to memory. `out` must outlive the sink; between append() calls it holds whole
/// records. Fails with kLimit if memory runs out.
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
