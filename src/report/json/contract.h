// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "contract/finding.h"

namespace edgeprobe::report {

/// What a contract says of a trace, as JSON (docs/reference/contract.md). `contract` and `trace`:
/// names of the files.
std::string contract_json(const contract::Report& report, const std::string& contract,
                          const std::string& trace);

}  // namespace edgeprobe::report
