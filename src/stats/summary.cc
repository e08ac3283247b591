#include "stats/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace edgeprobe::stats {


namespace {

constexpr double kOutside = 0.025;  // on each side of a 95 % interval

std::uint64_t next(std::uint64_t& state) {  // splitmix64: the same on every machine
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// P(X <= k) for k = 0 … n of a binomial distribution.
std::vector<double> binomial_cdf(std::size_t n, double p) {
  std::vector<double> cdf(n + 1);
  double sum = 0;
  for (std::size_t k = 0; k <= n; ++k) {
    const double count = static_cast<double>(n), hits = static_cast<double>(k);
    sum += std::exp(std::lgamma(count + 1) - std::lgamma(hits + 1) - std::lgamma(count - hits + 1) + hits * std::log(p) +
                    (count - hits) * std::log1p(-p));
    cdf[k] = std::min(1.0, sum);
  }
  return cdf;
}

std::vector<double> sorted_copy(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

double median_of_resample(const std::vector<double>& values, std::size_t block, std::uint64_t& seed, std::vector<double>& scratch) {
  scratch.clear();
  while (scratch.size() < values.size()) {
    const std::size_t start = static_cast<std::size_t>(next(seed) % (values.size() - block + 1));
    for (std::size_t i = 0; i < block && scratch.size() < values.size(); ++i) scratch.push_back(values[start + i]);
  }
  const auto middle = scratch.begin() + static_cast<std::ptrdiff_t>(scratch.size() / 2);
  std::nth_element(scratch.begin(), middle, scratch.end());
  if (scratch.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(scratch.begin(), middle)) / 2;
}

}  // namespace

double quantile_of(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

Quantile quantile_with_interval(const std::vector<double>& sorted, double share, double independent) {
  Quantile result{quantile_of(sorted, share), {}, {}};
  const std::size_t n = sorted.size();
  const auto effective = static_cast<std::size_t>(std::clamp(independent, 1.0, static_cast<double>(n)));
  const std::vector<double> cdf = binomial_cdf(effective, share);
  // Ranks from 1 of the effective sample: the quantile is below order statistic r with probability P(X < r).
  std::size_t low = 0, high = effective + 1;
  for (std::size_t k = 0; k < effective; ++k)
    if (cdf[k] <= kOutside) low = k + 1;
  for (std::size_t k = effective; k-- > 0;)
    if (cdf[k] >= 1 - kOutside) high = k + 1;
  const double scale = static_cast<double>(n) / static_cast<double>(effective);
  if (low >= 1) {
    const auto rank = static_cast<std::size_t>(std::floor(static_cast<double>(low) * scale));
    result.low = sorted[std::clamp<std::size_t>(rank, 1, n) - 1];
  }
  if (high <= effective) {
    const auto rank = static_cast<std::size_t>(std::ceil(static_cast<double>(high) * scale));
    result.high = sorted[std::clamp<std::size_t>(rank, 1, n) - 1];
  }
  return result;
}

double independent_count(const std::vector<double>& values, double share) {
  if (values.size() < 4) return static_cast<double>(values.size());
  const double at = quantile_of(sorted_copy(values), share);
  std::vector<double> below;
  below.reserve(values.size());
  for (const double value : values) below.push_back(value <= at ? 1 : 0);
  return static_cast<double>(values.size()) / dependence(below);
}

Summary summarize(const std::vector<double>& values) {
  Summary summary;
  if (values.empty()) return summary;
  const std::vector<double> sorted = sorted_copy(values);
  const double n = static_cast<double>(values.size());
  summary.count = values.size();
  summary.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
  double squares = 0;
  for (const double value : sorted) squares += (value - summary.mean) * (value - summary.mean);
  summary.std = values.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;
  summary.min = sorted.front();
  summary.max = sorted.back();
  summary.independent = independent_count(values, 0.5);
  summary.p50 = quantile_with_interval(sorted, 0.5, summary.independent);
  summary.p90 = quantile_with_interval(sorted, 0.9, independent_count(values, 0.9));
  summary.p99 = quantile_with_interval(sorted, 0.99, independent_count(values, 0.99));
  return summary;
}

Ratio median_ratio(const std::vector<double>& first, const std::vector<double>& second) {
  if (first.empty() || second.empty()) return {};
  const double below = quantile_of(sorted_copy(first), 0.5), above = quantile_of(sorted_copy(second), 0.5);
  if (!(below > 0)) return {};
  const auto block_of = [](const std::vector<double>& values) {
    const double length = std::ceil(static_cast<double>(values.size()) / independent_count(values, 0.5));
    return std::clamp<std::size_t>(static_cast<std::size_t>(length), 1, std::max<std::size_t>(1, values.size() / 4));
  };
  const std::size_t first_block = block_of(first), second_block = block_of(second);
  // Large samples need fewer resamples for the same steadiness; the work stays bounded.
  const std::size_t resamples = std::clamp<std::size_t>(20'000'000 / (first.size() + second.size()), 200, 1000);
  std::uint64_t seed = 1;
  std::vector<double> ratios, scratch;
  for (std::size_t i = 0; i < resamples; ++i) {
    const double down = median_of_resample(first, first_block, seed, scratch);
    const double up = median_of_resample(second, second_block, seed, scratch);
    if (down > 0) ratios.push_back(up / down);
  }
  std::sort(ratios.begin(), ratios.end());
  return {above / below, quantile_of(ratios, kOutside), quantile_of(ratios, 1 - kOutside)};
}

}  // namespace edgeprobe::stats
