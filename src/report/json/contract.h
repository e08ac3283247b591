// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "contract/finding.h"
#include "contract/mutate/mutate.h"
#include "contract/update.h"

namespace edgeprobe::report {

/// What a contract says of a trace, as JSON (docs/reference/contract.md). `contract` and `trace`:
/// names of the files.
std::string contract_json(const contract::Report& report, const std::string& contract,
                          const std::string& trace);

/// The same with what an update has changed; `report` is of the changed contract.
std::string contract_update_json(const contract::Report& report,
                                 const std::vector<contract::Change>& changes,
                                 const std::string& contract, const std::string& trace);

/// The same as JSON (docs/reference/contract.md).
std::string mutation_json(const contract::MutationReport& report);

/// "agrees", "differs", "undecided".
const char* outcome_word(contract::State state);

}  // namespace edgeprobe::report
