// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "meter/reading.h"

namespace edgeprobe::placement {

/// Everything known about this machine that may change timings on these CPUs: the machine's
/// identity, its kernel, the CPUs available to this process and its share of them, and each CPU's
/// governor and limits. Timings with different texts are not compared. Not for display: it contains
/// the machine's id, and is only for keys. CPUs of the same kind share one text.
std::string conditions_text(const std::vector<int>& cpus, const meter::Root& root = {});

}  // namespace edgeprobe::placement
