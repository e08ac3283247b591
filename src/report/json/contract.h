// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "contract/finding.h"
#include "contract/mutate/mutate.h"
#include "contract/update.h"

namespace edgeprobe::report {

/// Result of checking a trace against a contract, as JSON (docs/reference/contract.md). `contract`
/// and `trace`: file names.
std::string contract_json(const contract::Report& report, const std::string& contract,
                          const std::string& trace);

/// Same, with the warnings about a learned contract.
std::string contract_learn_json(const contract::Report& report,
                                const std::vector<std::string>& warnings,
                                const std::string& contract, const std::string& trace);

/// Same, with the changes of an update; `report` is for the changed contract.
std::string contract_update_json(const contract::Report& report,
                                 const std::vector<contract::Change>& changes,
                                 const std::string& contract, const std::string& trace);

/// A mutation report as JSON (docs/reference/contract.md).
std::string mutation_json(const contract::MutationReport& report);

/// "agrees", "differs", "undecided".
const char* outcome_word(contract::State state);

}  // namespace edgeprobe::report
