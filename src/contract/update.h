// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "contract/contract.h"
#include "contract/finding.h"

namespace edgeprobe::contract {

/// One place in the file that has changed.
struct Change {
  std::string place;          ///< "latency_ms.median"
  std::string before, after;  ///< As they stand in the file; empty: not there.
};

/// `old` with what `report` says no longer holds, as `learned` has it: bounds that were broken are
/// widened or replaced, the rest stays as it is, margins and the user's own assertions always.
/// `report`: of `old` on the trace that `learned` is of.
Contract updated(const Contract& old, const Contract& learned, const Report& report);

/// Where the two files differ, in the order of the places.
std::vector<Change> changes(const Contract& before, const Contract& after);

}  // namespace edgeprobe::contract
