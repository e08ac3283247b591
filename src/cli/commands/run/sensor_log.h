// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "meter/reading.h"
#include "trace/record/writer.h"

namespace edgeprobe::cli {

/// --sensors [URI]: this machine's temperature, frequency and power, and the sensors of a libiio
/// context.
struct SensorFlag {
  bool wanted = false;
  std::string uri;  ///< Empty: the local one, and none is no error.
};

/// Starts recording beside the frames, as /sensor/<name>: what it returns must be gone before the
/// trace is closed. May be empty: nothing is recorded.
using BesideLog = std::function<std::shared_ptr<void>(trace::Writer&)>;

/// Of the sensors, five times a second; empty when the flag is not given. Fails when the URI that
/// was given leads nowhere.
Result<BesideLog> sensor_log(const SensorFlag& flag);
/// Of this machine's memory and CPUs in use, ten times a second, and of `other`.
BesideLog machine_log(BesideLog other);

/// The sensors of a libiio context at this moment, one reading for each of their values; one with
/// the reason when there is no context.
std::vector<meter::Reading> iio_readings(const std::string& uri);

}  // namespace edgeprobe::cli
