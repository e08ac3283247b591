// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meter/machine.h"
#include "protocol/serial.h"

namespace edgeprobe::serve {

/// Measurements of one connection, reported by STATS with Kenning's keys. The machine is sampled
/// between inferences, at most ten times a second, so that sampling costs no measured time.
class Statistics {
 public:
  void add_inference(std::chrono::nanoseconds latency);
  /// A JSON object of lists: seconds, seconds of the steady clock, percent.
  std::string to_json() const;
  /// The statistics that fit a serial line: the last inference, and the engine's peak memory.
  std::vector<protocol::DeviceFigure> figures(std::optional<std::uint64_t> peak_bytes) const;

 private:
  void look_at_machine(std::chrono::steady_clock::time_point now);

  struct Look {
    double seconds = 0;
    double memory_percent = 0;
    std::vector<double> cpu_percent;
  };
  std::vector<double> latencies_, stamps_;  ///< Seconds.
  std::vector<Look> looks_;
  std::optional<std::chrono::steady_clock::time_point> last_look_;
  std::vector<meter::CpuTicks> ticks_;
};

}  // namespace edgeprobe::serve
