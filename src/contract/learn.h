// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "contract/contract.h"
#include "contract/evidence.h"

namespace edgeprobe::contract {

/// Terms that this trace fulfils, with the margins of contract.h. `recipe`: canonical text of the
/// input recipe, or empty; `tool`: the program and its version; `with_speed`: includes latency and
/// memory, which hold on the machine that measured them.
Contract learn(const Evidence& evidence, const std::string& recipe, const std::string& tool,
               bool with_speed);

/// Sentences on what a learned contract leaves unjudged, or judges from too little.
std::vector<std::string> weaknesses(const Contract& learned, const Evidence& evidence);

}  // namespace edgeprobe::contract
