// SPDX-License-Identifier: Apache-2.0
#include "meter/sensors.h"

#include "meter/power.h"
#include "meter/temperature.h"

namespace edgeprobe::meter {
namespace {

SensorReading sensor_of(Reading reading) {
  SensorReading sensor{std::move(reading.name),
                       {},
                       std::move(reading.unit),
                       std::move(reading.source),
                       std::move(reading.reason)};
  if (reading.value) sensor.values.push_back(*reading.value);
  return sensor;
}

}  // namespace

std::vector<SensorReading> machine_sensors(const Root& root) {
  std::vector<SensorReading> sensors;
  for (Reading& reading : temperature(root)) sensors.push_back(sensor_of(std::move(reading)));
  SensorReading cpus{"frequency", {}, "Hz", "", "absent"};
  double sum = 0, count = 0;
  for (const Reading& reading : frequency(root)) {
    if (cpus.source.empty()) cpus.source = reading.source;
    if (reading.value) sum += *reading.value, ++count;
    else if (count == 0) cpus.reason = reading.reason;
  }
  if (count > 0) cpus.values = {sum / count}, cpus.reason.clear();
  sensors.push_back(std::move(cpus));
  for (Reading& reading : power_now(root)) sensors.push_back(sensor_of(std::move(reading)));
  return sensors;
}

std::vector<SensorReading> MachineUse::read() {
  std::vector<SensorReading> readings{sensor_of(memory_used(root_))};
  std::vector<CpuTicks> ticks = cpu_ticks(root_);
  SensorReading cpus{"cpu in use", {}, "%", "/proc/stat", ""};
  for (const auto& percent : busy_percent(ticks_, ticks)) {
    if (percent) cpus.values.push_back(*percent);
    else cpus.reason = "the clock of a CPU did not move between two readings";
  }
  if (ticks.empty()) cpus.reason = "absent";
  if (!cpus.reason.empty()) cpus.values.clear();
  const bool first = ticks_.empty();
  ticks_ = std::move(ticks);
  if (!first || ticks_.empty()) readings.push_back(std::move(cpus));
  return readings;
}

}  // namespace edgeprobe::meter
