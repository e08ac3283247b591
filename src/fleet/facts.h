// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/result.h"
#include "trace/read/reader.h"

namespace edgeprobe::fleet {

struct Measured {
  double value = 0;
  std::string unit;  ///< "" when it is not known.
};

/// Facts that a trace states about its device and what ran there. Untrusted text.
struct DeviceFacts {
  /// "device_id", else "serial", else the series of a recording in parts; empty when it has none.
  std::string device;
  /// What an app described ("driver"), other groups of metadata ("phone.soc"), texts and marks that
  /// never change ("mark camera"); "(several)" for those that do.
  std::map<std::string, std::string> texts;
  /// Medians of sensors and variables over the frames ("sensor thermal"), of the latency; how many
  /// marks of a name there are ("marks camera"), and frames that were dropped.
  std::map<std::string, Measured> numbers;
};

/// Left out is what belongs to the recording alone: when it began, which frames it has.
Result<DeviceFacts> facts_of(const trace::Reader& reader);

}  // namespace edgeprobe::fleet
