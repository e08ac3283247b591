#include "engine/litert/profile.h"

namespace edgeprobe::engine::litert {
namespace {

constexpr std::uint64_t kOperator = 2;
constexpr std::uint64_t kInsideDelegate = 4;
constexpr std::uint64_t kDelegateOperator = 8;  // What XNNPACK reports.

}  // namespace

std::vector<OpTime> op_times(const std::vector<ProfilerEvent>& events, int op_count) {
  std::vector<OpTime> times;
  for (const ProfilerEvent& event : events) {
    const auto type = event.type & 0xffffffffu;  // The upper half is padding.
    const bool inner = type == kInsideDelegate || type == kDelegateOperator;
    if (!inner && (type != kOperator || event.subgraph != 0)) continue;
    const auto index = static_cast<int>(event.index);
    times.push_back({inner || index < op_count ? index : -1, event.tag ? event.tag : "", inner,
                     std::chrono::microseconds(event.elapsed_us)});
  }
  return times;
}

}  // namespace edgeprobe::engine::litert
