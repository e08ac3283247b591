#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace edgeprobe::stats {

struct Interval {
  double low = 0, high = 0;
};

/// Wilson's score interval (1927) for a share, 95 %. 0..1 when n is zero. `successes` is at most n.
Interval wilson(std::uint64_t successes, std::uint64_t n);

/// Exact two-sided McNemar test: `only_first` samples that only the first got right, `only_second` the other way
/// round. The chance of a split at least as uneven when both are equally good; 1 when there is no such sample.
double mcnemar_p(std::uint64_t only_first, std::uint64_t only_second);

/// 95 % percentile interval of the mean by bootstrap: for paired data, pass the differences. The same values and
/// seed give the same interval on every machine. 0..0 for no values.
Interval bootstrap_mean(const std::vector<double>& values, int resamples = 2000, std::uint64_t seed = 1);

/// Samples in all (of the same mix) after which the paired difference seen in n samples would be told from chance:
/// 5 % two-sided, 80 % power (Connor 1987). Nothing when no difference was seen.
std::optional<std::uint64_t> samples_to_decide(std::uint64_t only_first, std::uint64_t only_second, std::uint64_t n);

}  // namespace edgeprobe::stats
