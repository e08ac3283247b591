// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "contract/contract.h"
#include "contract/evidence.h"

namespace edgeprobe::contract {

/// Terms that the trace itself fulfils, with the margins of contract.h. `recipe`: canonical text of
/// how the inputs are made, or empty; `tool`: the program and its version; `with_speed`: latency
/// and memory as well, which hold on the machine that measured them.
Contract learn(const Evidence& evidence, const std::string& recipe, const std::string& tool,
               bool with_speed);

}  // namespace edgeprobe::contract
