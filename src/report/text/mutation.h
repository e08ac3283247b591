// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "contract/mutate/mutate.h"

namespace edgeprobe::report {

/// Which planted faults a contract catches, for a terminal: those that it misses first, each with
/// what it does to the answers.
std::string mutation_text(const contract::MutationReport& report);

}  // namespace edgeprobe::report
