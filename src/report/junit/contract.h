// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "contract/finding.h"

namespace edgeprobe::report {

/// What a contract says of a trace, as JUnit XML: a test case for each assertion, a failure for one
/// that fails, an error for one that cannot be told.
std::string contract_junit(const contract::Report& report, const std::string& contract,
                           const std::string& trace);

}  // namespace edgeprobe::report
