// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

namespace edgeprobe::engine {

/// A session whose server reports the engine's times at the end instead of with each answer: until
/// then Inference::latency is the time of the whole exchange, including the network.
class DeviceTimes {
 public:
  virtual ~DeviceTimes() = default;
  /// Times of all inferences since the last call, in order. Empty if the server does not report
  /// them; the session then has one more warning.
  virtual std::vector<std::chrono::nanoseconds> device_times() = 0;
};

}  // namespace edgeprobe::engine
