// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "meter/sensors.h"

namespace edgeprobe::meter {

/// Returns the sensors' current readings.
using SensorSource = std::function<std::vector<SensorReading>()>;
/// Receives one reading, like `sensor(name, values, unit)` of a recording. `time_ns` since
/// 1970-01-01 UTC.
using SensorSink = std::function<void(std::uint64_t time_ns, const SensorReading&)>;

/// Samples sensors periodically in a separate thread until destruction. A sensor without values is
/// passed on only when its reason changes.
class SensorSampler {
 public:
  SensorSampler(std::vector<SensorSource> sources, SensorSink sink,
                std::chrono::milliseconds period);
  SensorSampler(const SensorSampler&) = delete;
  SensorSampler& operator=(const SensorSampler&) = delete;
  ~SensorSampler();  ///< Returns once the current reading is done.

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace edgeprobe::meter
