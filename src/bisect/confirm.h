// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "bisect/runs.h"

namespace edgeprobe::bisect {

/// Whether the unit that a search ended at is wrong by itself, or with a neighbour: it is run
/// alone on the host's tensors, and others too where it may be one of many. `probes` are the
/// prefixes of [start, …) that were run. Nothing, with Outcome::kDrifts, where no single unit is.
Result<std::optional<Wrong>> confirmed(Runs& runs, int start, int unit, const Probes& probes);

}  // namespace edgeprobe::bisect
