// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "contract/finding.h"
#include "report/rulings/rulings.h"

namespace edgeprobe::report {

/// A line for each assertion. `place`: the contract's line with the assertion of that id.
Rulings rulings_of(const contract::Report& report, const std::string& contract,
                   const std::string& trace,
                   const std::function<Place(const std::string& id)>& place);

}  // namespace edgeprobe::report
