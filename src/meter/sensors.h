// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "meter/machine.h"
#include "meter/reading.h"

namespace edgeprobe::meter {

/// The values of one sensor at one moment; a sensor without values has a reason instead.
struct SensorReading {
  std::string name;  ///< "accelerometer", "light", "temperature thermal_zone0 x86_pkg_temp".
  std::vector<double> values;  ///< In `unit`; x, y, z if there are three. Empty: none.
  std::string unit;            ///< "m/s^2", "rad/s", "Gauss", "lx", "degC", "Hz", "W".
  /// "iio device 'mpu6050': accel_x, accel_y, accel_z", "/sys/class/thermal/thermal_zone0/temp".
  std::string source;
  std::string reason;  ///< Why there are no values.
};

/// This machine's temperatures, frequencies (the mean of its CPUs) and power as sensors. Power
/// derived from energy counters is excluded: it needs two moments.
std::vector<SensorReading> machine_sensors(const Root& root);

/// "memory in use" and "cpu in use" (a value for each CPU), both in percent of the total. CPU use
/// covers the time between two calls, so the first call has none.
class MachineUse {
 public:
  explicit MachineUse(Root root = {}) : root_(std::move(root)) {}
  std::vector<SensorReading> read();

 private:
  Root root_;
  std::vector<CpuTicks> ticks_;
};

}  // namespace edgeprobe::meter
