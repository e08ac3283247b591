// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "meter/sensors.h"

namespace edgeprobe::meter {

/// Accelerometers, gyroscopes, magnetometers, light, proximity, pressure, humidity and temperature
/// of Linux's Industrial I/O subsystem, through libiio 0.x. The library is opened when it is asked
/// for: the program does not depend on it. Not thread-safe.
class IioSensors {
 public:
  /// `uri` as libiio has it: "local:", "ip:HOST" (a board that runs iiod), "usb:", "xml:FILE" (a
  /// description: sensors without values). `library`: another file than libiio.so.0. kNotFound when
  /// the library or the context is not there, kUnsupported when the library is another one.
  static Result<IioSensors> open(const std::string& uri, const std::string& library = "");
  IioSensors(IioSensors&&) noexcept;
  IioSensors& operator=(IioSensors&&) noexcept;
  ~IioSensors();

  /// Every sensor at this moment, in the order of the devices. Never empty: without any, one
  /// reading says so.
  std::vector<SensorReading> read();
  /// "0.24".
  const std::string& version() const;

 private:
  struct State;
  explicit IioSensors(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace edgeprobe::meter
