// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contract/contract.h"
#include "contract/evidence.h"
#include "contract/finding.h"

namespace edgeprobe::contract {

/// Judges everything except the user's Python functions. `evidence` was measured for the contract's
/// recipe, with layers if needs_layers().
Report check(const Contract& contract, const Evidence& evidence);

/// The states named in a contract.
std::vector<pipeline::CarriedState> states_of(const Contract& contract);

/// True if a line of the contract names a layer.
bool needs_layers(const Contract& contract);

}  // namespace edgeprobe::contract
