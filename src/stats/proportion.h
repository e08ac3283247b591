// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "stats/interval.h"

/// Counts of successes: intervals, tests and sample sizes.
namespace edgeprobe::stats {

/// Wilson's score interval (1927) of a fraction, 95 %. 0..1 when n is zero. `successes` is at most
/// n.
Interval wilson(std::uint64_t successes, std::uint64_t n);

/// Exact two-sided McNemar test (1947): `only_first` samples that only the first got right,
/// `only_second` the other way round. The chance of a split at least as uneven when both are
/// equally good; 1 when there is no such sample.
double mcnemar_p(std::uint64_t only_first, std::uint64_t only_second);

/// Samples in all (of the same mix) after which the paired difference seen in n samples would be
/// told from chance: 5 % two-sided, 80 % power (Connor 1987). Nothing when no difference was seen.
std::optional<std::uint64_t> required_sample_size(std::uint64_t only_first,
                                                  std::uint64_t only_second, std::uint64_t n);

}  // namespace edgeprobe::stats
