// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "meter/sensors.h"

namespace edgeprobe::meter {

/// Accelerometers, gyroscopes, magnetometers, light, proximity, pressure, humidity and temperature
/// of Linux's Industrial I/O subsystem, through libiio 0.x. The library is opened on demand: the
/// program does not depend on it. Not thread-safe.
class IioSensors {
 public:
  /// `uri` in libiio's form: "local:", "ip:HOST" (a board that runs iiod), "usb:", "xml:FILE" (a
  /// description: sensors without values). `library`: a file other than libiio.so.0. kNotFound if
  /// the library or the context is missing, kUnsupported if it is a different library.
  static Result<IioSensors> open(const std::string& uri, const std::string& library = "");
  IioSensors(IioSensors&&) noexcept;
  IioSensors& operator=(IioSensors&&) noexcept;
  ~IioSensors();

  /// Current values of every sensor, in the order of the devices. Never empty: without sensors, one
  /// reading states that.
  std::vector<SensorReading> read();
  /// For example "0.24".
  const std::string& version() const;

 private:
  struct State;
  explicit IioSensors(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace edgeprobe::meter
