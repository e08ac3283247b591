// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "meter/machine.h"
#include "meter/reading.h"

namespace edgeprobe::meter {

/// What one sensor says at one moment. A sensor that says nothing has a reason in the place of
/// values.
struct SensorReading {
  std::string name;  ///< "accelerometer", "light", "temperature thermal_zone0 x86_pkg_temp".
  std::vector<double> values;  ///< In `unit`; x, y, z where there are three. Empty: none.
  std::string unit;            ///< "m/s^2", "rad/s", "Gauss", "lx", "degC", "Hz", "W".
  /// "iio device 'mpu6050': accel_x, accel_y, accel_z", "/sys/class/thermal/thermal_zone0/temp".
  std::string source;
  std::string reason;  ///< Why there are no values.
};

/// This machine's temperatures, frequencies (the mean of its CPUs) and power as sensors. Power that
/// the kernel counts as energy is left out: it needs two moments.
std::vector<SensorReading> machine_sensors(const Root& root);

/// "memory in use" and "cpu in use" (a value for each CPU), both in percent of all. CPUs are busy
/// over the time between two calls, so the first call has none.
class MachineUse {
 public:
  explicit MachineUse(Root root = {}) : root_(std::move(root)) {}
  std::vector<SensorReading> read();

 private:
  Root root_;
  std::vector<CpuTicks> ticks_;
};

}  // namespace edgeprobe::meter
