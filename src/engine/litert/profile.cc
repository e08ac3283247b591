// SPDX-License-Identifier: Apache-2.0
#include "engine/litert/session.h"

namespace edgeprobe::engine::litert {
namespace {

constexpr std::uint64_t kOperator = 2;
constexpr std::uint64_t kInsideDelegate = 4;
constexpr std::uint64_t kDelegateOperator = 8;  // Event type of operators reported by XNNPACK.

}  // namespace

std::vector<OpTime> op_times(const std::vector<ProfilerEvent>& events, int op_count) {
  std::vector<OpTime> times;
  for (const ProfilerEvent& event : events) {
    const auto type = event.type & 0xffffffffu;  // The upper half is padding.
    const bool inner = type == kInsideDelegate || type == kDelegateOperator;
    if (!inner && (type != kOperator || event.subgraph != 0)) continue;
    OpTime op;
    op.type = event.tag ? event.tag : "";
    op.inner = inner;
    // Indices after the file's operators are the delegates' own nodes.
    if (!inner && event.index < static_cast<std::uint64_t>(op_count))
      op.layers = {static_cast<int>(event.index)};
    op.time = std::chrono::microseconds(event.elapsed_us);
    times.push_back(std::move(op));
  }
  return times;
}

}  // namespace edgeprobe::engine::litert
