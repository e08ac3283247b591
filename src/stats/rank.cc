// SPDX-License-Identifier: Apache-2.0
#include "stats/rank.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "stats/autocorrelation.h"
#include "stats/splitmix.h"

namespace edgeprobe::stats {
namespace {

/// Midranks of all values together, the first sample's first.
std::vector<double> midranks(const std::vector<double>& all, double& ties) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return all[a] < all[b]; });
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

/// P(U <= u) without ties, by counting arrangements (Mann and Whitney 1947).
double exact_lower_tail(std::size_t n, std::size_t m, double u) {
  // ways[i][k]: arrangements of i of the first and the current number of the second with U = k.
  const std::size_t most = n * m;
  std::vector<std::vector<double>> ways(n + 1, std::vector<double>(most + 1, 0));
  for (auto& row : ways) row[0] = 1;  // no value of the second
  for (std::size_t j = 1; j <= m; ++j)
    for (std::size_t i = 1; i <= n; ++i)
      for (std::size_t k = most + 1; k-- > 0;)
        // The largest value belongs to the second sample (it exceeds i of the first) or to the
        // first.
        ways[i][k] = (k >= i ? ways[i][k - i] : 0) + ways[i - 1][k];
  double all = 0, below = 0;
  for (std::size_t k = 0; k <= most; ++k) {
    all += ways[n][k];
    if (static_cast<double>(k) <= u) below += ways[n][k];
  }
  return below / all;
}

// Maximum additions for the exact permutation test, and the number of permutations beyond that.
constexpr double kMostAdditions = 4e7;
constexpr std::size_t kMostPermutations = 9'999;

// Values of both samples, the first sample's first.
std::vector<double> pooled(std::span<const double> first, std::span<const double> second) {
  std::vector<double> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

// Doubled midranks: integers.
std::vector<std::size_t> doubled(const std::vector<double>& ranks) {
  std::vector<std::size_t> out;
  for (const double rank : ranks) out.push_back(static_cast<std::size_t>(std::lround(2 * rank)));
  return out;
}

// Number of subsets of `count` ranks with each sum (Streitberg and Roehmel 1986).
std::vector<double> subset_sums(const std::vector<std::size_t>& ranks, std::size_t count) {
  const std::size_t most = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<std::vector<double>> ways(count + 1, std::vector<double>(most + 1, 0));
  ways[0][0] = 1;
  for (const std::size_t rank : ranks)
    for (std::size_t k = count; k > 0; --k)
      for (std::size_t sum = most; sum >= rank; --sum) ways[k][sum] += ways[k - 1][sum - rank];
  return ways[count];
}

}  // namespace

PermutationTest rank_permutation(std::span<const double> first, std::span<const double> second) {
  PermutationTest test;
  if (first.empty() || second.empty()) return test;
  double ties = 0;
  std::vector<std::size_t> ranks = doubled(midranks(pooled(first, second), ties));
  const std::size_t total = ranks.size() * (ranks.size() + 1);
  const auto middle = ranks.begin() + static_cast<std::ptrdiff_t>(first.size());
  const std::size_t of_first = std::accumulate(ranks.begin(), middle, std::size_t{0});
  // The smaller sample needs less work; both rank sums deviate equally from their means.
  const std::size_t count = std::min(first.size(), second.size());
  const std::size_t observed = count == first.size() ? of_first : total - of_first;
  // Multiplied by the number of values, so that the mean is an integer.
  const auto distance = [&](std::size_t sum) {
    const std::size_t a = sum * ranks.size(), b = total * count;
    return a > b ? a - b : b - a;
  };
  const double n = static_cast<double>(first.size()), m = static_cast<double>(second.size());
  test.probability_of_superiority =
      (static_cast<double>(total - of_first) / 2 - m * (m + 1) / 2) / (n * m);
  test.exact = (n + m) * static_cast<double>(count * total) <= kMostAdditions;
  if (!test.exact) {
    std::uint64_t state = 1;
    std::size_t hits = 0;
    for (std::size_t round = 0; round < kMostPermutations; ++round) {
      std::size_t sum = 0;
      for (std::size_t i = 0; i < count; ++i) {
        std::swap(ranks[i], ranks[i + splitmix64(state) % (ranks.size() - i)]);
        sum += ranks[i];
      }
      hits += distance(sum) >= distance(observed);
    }
    test.p = static_cast<double>(hits + 1) / (kMostPermutations + 1);
    test.least_p = 1.0 / (kMostPermutations + 1);
    return test;
  }
  const std::vector<double> ways = subset_sums(ranks, count);
  std::size_t most = 0;
  for (std::size_t sum = 0; sum < ways.size(); ++sum)
    if (ways[sum] > 0) most = std::max(most, distance(sum));
  double splits = 0, far = 0, farthest = 0;
  for (std::size_t sum = 0; sum < ways.size(); ++sum) {
    splits += ways[sum];
    far += distance(sum) >= distance(observed) ? ways[sum] : 0;
    farthest += distance(sum) >= most ? ways[sum] : 0;
  }
  test.p = far / splits;
  test.least_p = farthest / splits;
  return test;
}

RankTest mann_whitney(std::span<const double> first, std::span<const double> second) {
  RankTest test;
  if (first.empty() || second.empty()) return test;
  double ties = 0;
  const std::vector<double> ranks = midranks(pooled(first, second), ties);
  const double n = static_cast<double>(first.size()), m = static_cast<double>(second.size());
  const std::span first_ranks = std::span(ranks).first(first.size());
  const std::span second_ranks = std::span(ranks).subspan(first.size());
  const double rank_sum = std::accumulate(second_ranks.begin(), second_ranks.end(), 0.0);
  const double u = rank_sum - m * (m + 1) / 2;  // pairs in which the second is larger
  test.probability_of_superiority = u / (n * m);
  if (ties == 0 && first.size() * second.size() <= 400) {
    test.p =
        std::min(1.0, 2 * exact_lower_tail(first.size(), second.size(), std::min(u, n * m - u)));
    return test;
  }
  const double count = n + m;
  const double variance = n * m / 12 * (count + 1 - ties / (count * (count - 1)));
  if (variance <= 0) return test;  // All values are the same.
  const double wider = (integrated_autocorrelation_time(first_ranks) / n +
                        integrated_autocorrelation_time(second_ranks) / m) /
                       (1 / n + 1 / m);
  const double z = std::max(0.0, std::abs(u - n * m / 2) - 0.5) / std::sqrt(variance * wider);
  test.p = std::min(1.0, std::erfc(z / std::sqrt(2.0)));
  return test;
}

std::vector<double> holm(std::span<const double> p) {
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

}  // namespace edgeprobe::stats
