// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "contract/contract.h"
#include "contract/finding.h"

namespace edgeprobe::contract {

/// A changed place in the file.
struct Change {
  std::string place;          ///< "latency_ms.median"
  std::string before, after;  ///< As written in the file; empty: missing.
};

/// `old`, with the assertions that fail in `report` updated from `learned`: violated bounds are
/// widened or replaced, everything else is kept, including all margins and the user's own
/// assertions. `report`: of `old` on the trace from which `learned` was made.
Contract updated(const Contract& old, const Contract& learned, const Report& report);

/// Differences between two files, sorted by place.
std::vector<Change> changes(const Contract& before, const Contract& after);

}  // namespace edgeprobe::contract
