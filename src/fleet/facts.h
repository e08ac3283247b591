// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/result.h"
#include "trace/read/reader.h"

namespace edgeprobe::fleet {

struct Measured {
  double value = 0;
  std::string unit;  ///< "" if unknown.
};

/// Facts in a trace about its device and the software on it. Untrusted text.
struct DeviceFacts {
  /// "device_id", or else "serial", or else the series of a recording in parts; empty if there is
  /// none.
  std::string device;
  /// Facts described by the app ("driver"), other groups of metadata ("phone.soc"), constant texts
  /// and marks ("mark camera"); "(several)" for those that change.
  std::map<std::string, std::string> texts;
  /// Medians over the frames of sensors and variables ("sensor thermal") and of the latency; number
  /// of marks of a name ("marks camera"), and of dropped frames.
  std::map<std::string, Measured> numbers;
};

/// Excludes facts about the recording itself: its start, and its frames.
Result<DeviceFacts> facts_of(const trace::Reader& reader);

}  // namespace edgeprobe::fleet
