// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "meter/reading.h"

namespace edgeprobe::placement {

/// All that is known of this machine and may change what something takes on these CPUs: which
/// machine it is, its kernel, the CPUs that this process may use and its share of them, and of each
/// CPU its governor and limits. Timings under two texts are not compared. Not for people: it names
/// the machine by its number, and belongs into keys alone. CPUs of one kind have one text.
std::string conditions_text(const std::vector<int>& cpus, const meter::Root& root = {});

}  // namespace edgeprobe::placement
