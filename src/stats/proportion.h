// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "stats/interval.h"

/// Intervals, tests and sample sizes for counts of successes.
namespace edgeprobe::stats {

/// Wilson's score interval (1927) of a fraction, 95 %. 0..1 when n is zero. `successes` is at most
/// n.
Interval wilson(std::uint64_t successes, std::uint64_t n);

/// Exact two-sided McNemar test (1947): `only_first` samples that only the first got right,
/// `only_second` those that only the second did. The probability of a split at least as uneven if
/// both are equally good; 1 if there is no such sample.
double mcnemar_p(std::uint64_t only_first, std::uint64_t only_second);

/// Total number of samples (of the same mix) that distinguishes the paired difference observed in n
/// samples from chance: 5 % two-sided, 80 % power (Connor 1987). Empty if no difference was
/// observed.
std::optional<std::uint64_t> required_sample_size(std::uint64_t only_first,
                                                  std::uint64_t only_second, std::uint64_t n);

}  // namespace edgeprobe::stats
