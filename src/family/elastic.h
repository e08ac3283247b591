// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "family/configuration.h"

namespace edgeprobe::family {

/// Networks of a supernet (Configuration::elastic): the largest one, the smallest one, then drawn
/// ones, all different, in an order that depends on the seed only. Fewer than `count` if the
/// supernet has fewer. Each branch has its own depth and width; widths are multiples of the grid.
/// kUsage for a configuration without `elastic`, and for one whose blocks share no weights.
Result<std::vector<Configuration>> subnets_of(const Configuration& supernet, std::size_t count,
                                              std::uint64_t seed);

/// Number of networks of a supernet; may exceed 2^53, where it is no longer exact.
double size_of_space(const Configuration& supernet);

}  // namespace edgeprobe::family
