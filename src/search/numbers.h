// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace edgeprobe::search {

/// The number with the fewest digits in (low, high]: the value that a person would have typed.
double shortest_between(double low, double high);

/// `most` of all, evenly spread.
std::vector<std::size_t> spread_over(const std::vector<std::size_t>& all, std::size_t most);

}  // namespace edgeprobe::search
