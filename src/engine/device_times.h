// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

namespace edgeprobe::engine {

/// A session whose server tells in the end what its engine took, not with each answer: until then
/// Inference::latency is the time of the whole exchange, network included.
class DeviceTimes {
 public:
  virtual ~DeviceTimes() = default;
  /// Of all inferences since the last call, in their order; empty where the server does not say,
  /// which is a further warning of the session then.
  virtual std::vector<std::chrono::nanoseconds> device_times() = 0;
};

}  // namespace edgeprobe::engine
