// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "engine/engine.h"
#include "engine/tflite/api.h"

namespace edgeprobe::engine::tflite {

/// Collects the time of each operator through the telemetry profiler. Not movable: the interpreter
/// keeps the address of table().
class Profiler {
 public:
  Profiler();
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  TelemetryProfiler* table() { return &table_; }
  /// Operators of the main graph have smaller indices; a delegate's own node has a larger one.
  void set_op_count(int count) { op_count_ = count; }
  void clear();
  std::vector<OpTime> take();

 private:
  std::uint32_t begin(const char* name, std::int64_t op, std::int64_t subgraph);
  void end(std::uint32_t handle);

  struct Open {
    OpTime op;
    std::chrono::steady_clock::time_point start;
    bool counted = false;
  };
  TelemetryProfiler table_{};
  std::vector<Open> ops_;
  std::vector<OpTime> inner_;
  int op_count_ = 1 << 30;
};

}  // namespace edgeprobe::engine::tflite
