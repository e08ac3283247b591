// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "contract/finding.h"
#include "contract/mutate/mutate.h"

namespace edgeprobe::report {

/// Result of checking a trace against a contract, for a terminal: failures and undecided
/// assertions, each with frame, value, bound and remedy; passed ones as a list of names. `title`:
/// "contract.json".
std::string contract_text(const contract::Report& report, const std::string& title);

/// Which injected faults a contract detects, for a terminal: the missed ones first, each with its
/// effect on the answers.
std::string mutation_text(const contract::MutationReport& report);

/// Its last line: "contract.json: 11 of 14 assertions pass, 3 undecided".
std::string contract_summary(const contract::Report& report, const std::string& title);

}  // namespace edgeprobe::report
