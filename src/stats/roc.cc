// SPDX-License-Identifier: Apache-2.0
#include "stats/roc.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/proportion.h"

namespace edgeprobe::stats {
namespace {

constexpr double kNormal95 = 1.959963984540054;  // 97.5 % quantile of the normal distribution

// For each value, the fraction of `others` below it; ties count half.
std::vector<double> fractions_below(std::span<const double> values,
                                    std::span<const double> others) {
  std::vector<double> sorted(others.begin(), others.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> fractions;
  for (const double value : values) {
    const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), value);
    const auto below = static_cast<double>(low - sorted.begin()),
               equal = static_cast<double>(high - low);
    fractions.push_back((below + equal / 2) / static_cast<double>(sorted.size()));
  }
  return fractions;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double covariance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2) return 0;
  const double mean_a = mean_of(a), mean_b = mean_of(b);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - mean_a) * (b[i] - mean_b);
  return sum / static_cast<double>(a.size() - 1);
}

// DeLong's structural components: one value for each item of either kind.
struct Components {
  std::vector<double> higher, lower;
  Components(std::span<const double> low, std::span<const double> high)
      : higher(fractions_below(high, low)), lower(fractions_below(low, high)) {
    for (double& one : lower) one = 1 - one;
  }
  double value() const { return mean_of(higher); }
};

double covariance(const Components& a, const Components& b) {
  return covariance(a.higher, b.higher) / static_cast<double>(a.higher.size()) +
         covariance(a.lower, b.lower) / static_cast<double>(a.lower.size());
}

}  // namespace

std::optional<AreaUnderCurve> area_under_curve(std::span<const double> lower,
                                               std::span<const double> higher) {
  if (lower.empty() || higher.empty()) return std::nullopt;
  const Components components(lower, higher);
  AreaUnderCurve area;
  area.value = components.value();
  area.variance = covariance(components, components);
  if (area.variance > 0) {
    const double half = kNormal95 * std::sqrt(area.variance);
    area.ci95 = {std::max(0.0, area.value - half), std::min(1.0, area.value + half)};
  } else {
    const auto pairs = static_cast<double>(std::min(lower.size(), higher.size()));
    area.ci95 = wilson(static_cast<std::uint64_t>(std::llround(area.value * pairs)),
                       static_cast<std::uint64_t>(pairs));
  }
  return area;
}

std::optional<AreaDifference> area_difference(std::span<const double> first_lower,
                                              std::span<const double> first_higher,
                                              std::span<const double> second_lower,
                                              std::span<const double> second_higher) {
  if (first_lower.empty() || first_higher.empty()) return std::nullopt;
  const Components first(first_lower, first_higher), second(second_lower, second_higher);
  AreaDifference difference;
  difference.value = second.value() - first.value();
  const double variance =
      covariance(first, first) + covariance(second, second) - 2 * covariance(first, second);
  if (!(variance > 1e-18)) {
    if (std::fabs(difference.value) > 1e-12) return std::nullopt;
    return difference;
  }
  const double error = std::sqrt(variance);
  difference.ci95 = {difference.value - kNormal95 * error, difference.value + kNormal95 * error};
  difference.p_value = std::erfc(std::fabs(difference.value) / error / std::sqrt(2.0));
  return difference;
}

}  // namespace edgeprobe::stats
