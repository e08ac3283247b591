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
  std::string uri;  ///< URI of the libiio context; empty: the local one, which may be missing.
};

/// Starts recording in parallel with the frames, as /sensor/<name>; destroy the returned object
/// before the trace is closed. May be empty: nothing is recorded.
using BesideLog = std::function<std::shared_ptr<void>(trace::Writer&)>;

/// Records the sensors five times a second; empty if the flag is not given. Fails if the given URI
/// does not work.
Result<BesideLog> sensor_log(const SensorFlag& flag);
/// Records this machine's memory and CPU use ten times a second, and `other`.
BesideLog machine_log(BesideLog other);

/// The sensors of a libiio context at this moment, one reading per value; a single one with the
/// reason if there is no context.
std::vector<meter::Reading> iio_readings(const std::string& uri);

}  // namespace edgeprobe::cli
