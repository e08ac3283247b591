// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fleet/facts.h"

namespace edgeprobe::fleet {

/// A trace of a device, and whether the device fails; unset if unknown.
struct Recording {
  std::string file;  ///< Name for display; untrusted text.
  DeviceFacts facts;
  std::optional<bool> fails;
};

struct Device {
  std::string name;  ///< The name in the trace, or else the trace's file.
  DeviceFacts facts;
  bool fails = false;
};
/// Merges the recordings of one device, which are not independent: it fails if one of them does;
/// differing facts become "(several)", and numbers the median. Recordings without a known result
/// are excluded.
std::vector<Device> devices_of(const std::vector<Recording>& recordings);

}  // namespace edgeprobe::fleet
