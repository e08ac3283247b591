#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace edgeprobe::bench {
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

/// 1 + 2 * the sum of autocorrelations of `series`: by how much its mean varies more than with independent values.
double dependence(const std::vector<double>& series) {
  const std::size_t n = series.size();
  if (n < 4) return 1;
  const double mean = std::accumulate(series.begin(), series.end(), 0.0) / static_cast<double>(n);
  const auto covariance = [&](std::size_t lag) {
    double sum = 0;
    for (std::size_t i = 0; i + lag < n; ++i) sum += (series[i] - mean) * (series[i + lag] - mean);
    return sum;
  };
  const double variance = covariance(0);
  if (variance <= 0) return 1;
  double sum = 0;
  constexpr std::size_t kLongestLag = 500;
  for (std::size_t lag = 1; lag + 1 < std::min(n / 2, kLongestLag); lag += 2) {
    const double pair = (covariance(lag) + covariance(lag + 1)) / variance;
    if (pair <= 0) break;
    sum += pair;
  }
  return std::max(1.0, 1 + 2 * sum);
}

std::vector<double> sorted_copy(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

/// Midranks of all values together, the first sample's in front.
std::vector<double> midranks(const std::vector<double>& all, double& ties) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return all[a] < all[b]; });
  std::vector<double> ranks(all.size());
  ties = 0;
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && all[order[end]] == all[order[i]]) ++end;
    const double count = static_cast<double>(end - i);
    ties += count * count * count - count;
    for (std::size_t j = i; j < end; ++j) ranks[order[j]] = (static_cast<double>(i + end) + 1) / 2;
    i = end;
  }
  return ranks;
}

/// P(U <= u) without ties, by the number of ways to split (Mann and Whitney 1947).
double exact_lower_tail(std::size_t n, std::size_t m, double u) {
  // ways[i][k]: arrangements of i of the first and the current number of the second with U = k.
  const std::size_t most = n * m;
  std::vector<std::vector<double>> ways(n + 1, std::vector<double>(most + 1, 0));
  for (auto& row : ways) row[0] = 1;  // no value of the second
  for (std::size_t j = 1; j <= m; ++j)
    for (std::size_t i = 1; i <= n; ++i)
      for (std::size_t k = most + 1; k-- > 0;)
        // The largest of all is one of the second (it beats i of the first), or one of the first.
        ways[i][k] = (k >= i ? ways[i][k - i] : 0) + ways[i - 1][k];
  double all = 0, below = 0;
  for (std::size_t k = 0; k <= most; ++k) {
    all += ways[n][k];
    if (static_cast<double>(k) <= u) below += ways[n][k];
  }
  return below / all;
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

RankTest mann_whitney(const std::vector<double>& first, const std::vector<double>& second) {
  RankTest test;
  if (first.empty() || second.empty()) return test;
  std::vector<double> all = first;
  all.insert(all.end(), second.begin(), second.end());
  double ties = 0;
  const std::vector<double> ranks = midranks(all, ties);
  const double n = static_cast<double>(first.size()), m = static_cast<double>(second.size());
  const double rank_sum = std::accumulate(ranks.begin() + static_cast<std::ptrdiff_t>(first.size()), ranks.end(), 0.0);
  const double u = rank_sum - m * (m + 1) / 2;  // pairs in which the second is larger
  test.superiority = u / (n * m);
  if (ties == 0 && first.size() * second.size() <= 400) {
    test.p = std::min(1.0, 2 * exact_lower_tail(first.size(), second.size(), std::min(u, n * m - u)));
    return test;
  }
  const double count = n + m;
  const double variance = n * m / 12 * (count + 1 - ties / (count * (count - 1)));
  if (variance <= 0) return test;  // All values are the same.
  const std::vector<double> first_ranks(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(first.size()));
  const std::vector<double> second_ranks(ranks.begin() + static_cast<std::ptrdiff_t>(first.size()), ranks.end());
  const double wider = (dependence(first_ranks) / n + dependence(second_ranks) / m) / (1 / n + 1 / m);
  const double z = std::max(0.0, std::abs(u - n * m / 2) - 0.5) / std::sqrt(variance * wider);
  test.p = std::min(1.0, std::erfc(z / std::sqrt(2.0)));
  return test;
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double most = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    most = std::max(most, std::min(1.0, static_cast<double>(p.size() - i) * p[order[i]]));
    adjusted[order[i]] = most;
  }
  return adjusted;
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

}  // namespace edgeprobe::bench
