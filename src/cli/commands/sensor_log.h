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

/// What starts recording them beside the frames, five times a second, as /sensor/<name>: what it
/// returns must be gone before the trace is closed. Nothing when the flag is not given. Fails when
/// the URI that was given leads nowhere.
Result<std::function<std::shared_ptr<void>(trace::Writer&)>> sensor_log(const SensorFlag& flag);

/// The sensors of a libiio context at this moment, one reading for each of their values; one with
/// the reason when there is no context.
std::vector<meter::Reading> iio_readings(const std::string& uri);

}  // namespace edgeprobe::cli
