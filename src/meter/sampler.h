// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "meter/sensors.h"

namespace edgeprobe::meter {

/// Gives the sensors' readings of this moment.
using SensorSource = std::function<std::vector<SensorReading>()>;
/// Takes one reading: what `sensor(name, values, unit)` is to a recording. `time_ns` since
/// 1970-01-01 UTC.
using SensorSink = std::function<void(std::uint64_t time_ns, const SensorReading&)>;

/// Reads sensors now and then in a thread of its own, until it is destroyed. A sensor without
/// values is handed on when its reason changes, not every time.
class SensorSampler {
 public:
  SensorSampler(std::vector<SensorSource> sources, SensorSink sink,
                std::chrono::milliseconds period);
  SensorSampler(const SensorSampler&) = delete;
  SensorSampler& operator=(const SensorSampler&) = delete;
  ~SensorSampler();  ///< Returns when the reading under way is done.

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace edgeprobe::meter
