// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/result.h"
#include "placement/search/evidence.h"

namespace edgeprobe::placement {

/// Measures ways in rounds, each in a process of its own and in random order: all of them for
/// `rounds`; then those that may change the answer, until they have most_of()
/// processes, or until other programs leave no quiet runs. `ways` returns the present timings;
/// `measure` adds a process to the way with this index, or excludes it; `planned` is called before
/// each round with the number of processes still planned.
Status measure_rounds(std::size_t rounds, const std::function<std::vector<Way>()>& ways,
                      const std::function<Status(std::size_t index)>& measure,
                      const std::function<void(std::size_t further)>& planned);

/// Processes of a way at most: four times the rounds.
std::size_t most_of(std::size_t rounds);

}  // namespace edgeprobe::placement
