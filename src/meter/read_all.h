// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "meter/reading.h"

namespace edgeprobe::meter {

struct Group {
  std::string name;  ///< "memory", "cpu", "load", "frequency", "temperature", "power".
  std::vector<Reading> readings;
};

/// Everything that can be read about `process` and this machine. The call lasts `interval`, over
/// which energy is converted to power.
std::vector<Group> read_all(const Root& root, const std::string& process,
                            std::chrono::milliseconds interval);

}  // namespace edgeprobe::meter
