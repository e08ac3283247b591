// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "contract/finding.h"
#include "contract/mutate/mutate.h"

namespace edgeprobe::report {

/// What a contract says of a trace, for a terminal: what fails and what cannot be told, each with
/// frame, value, bound and what to do; what passes as a list of names. `title`: "contract.json".
std::string contract_text(const contract::Report& report, const std::string& title);

/// Which planted faults a contract catches, for a terminal: those that it misses first, each with
/// what it does to the answers.
std::string mutation_text(const contract::MutationReport& report);

/// Its last line: "contract.json: 11 of 14 assertions pass, 3 cannot be told".
std::string contract_summary(const contract::Report& report, const std::string& title);

}  // namespace edgeprobe::report
