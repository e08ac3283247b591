// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fleet/facts.h"

namespace edgeprobe::fleet {

/// A trace of a device, and whether it fails there; nothing where that is not known.
struct Recording {
  std::string file;  ///< As it is shown; untrusted text.
  DeviceFacts facts;
  std::optional<bool> fails;
};

struct Device {
  std::string name;  ///< What it calls itself, else the file of its trace.
  DeviceFacts facts;
  bool fails = false;
};
/// Recordings of one device as one, since they are not independent of each other: it fails where
/// one of them does, and what they state otherwise becomes "(several)", of numbers the median.
/// Those of which nothing is known are left out.
std::vector<Device> devices_of(const std::vector<Recording>& recordings);

}  // namespace edgeprobe::fleet
