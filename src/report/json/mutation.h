// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "contract/mutate/mutate.h"

namespace edgeprobe::report {

/// The same as JSON (docs/reference/contract.md).
std::string mutation_json(const contract::MutationReport& report);

}  // namespace edgeprobe::report
