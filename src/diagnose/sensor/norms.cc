// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sensor/norms.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace edgeprobe::diagnose::sensor {
namespace {

using readings::FrontEnd;

constexpr double kMeasuredMean = 1.0, kMeasuredBoth = 1.5;
constexpr std::size_t kMostPermuted = 4;

std::vector<double> permuted(const std::vector<double>& list, const std::vector<std::size_t>& by) {
  std::vector<double> out;
  for (const std::size_t i : by) out.push_back(list[i]);
  return out;
}

}  // namespace

std::vector<Norm> norms_of(const FrontEnd& reference) {
  const auto &m = reference.mean, &d = reference.std;
  const std::size_t n = m.size();
  std::vector<Norm> norms{{m, d, 0}};
  const auto add = [&](std::vector<double> mean, std::vector<double> std) {
    if (std::any_of(std.begin(), std.end(), [](double v) { return !(std::abs(v) > 1e-12); }))
      return;
    for (const Norm& one : norms)
      if (one.mean == mean && one.std == std) return;
    norms.push_back({std::move(mean), std::move(std), 0});
  };
  const auto mapped = [](std::vector<double> list, auto&& f) {
    for (double& value : list) value = f(value);
    return list;
  };
  const std::vector<double> zeros(n, 0), ones(n, 1);
  add(zeros, ones);
  add(zeros, d);
  add(m, ones);
  for (std::size_t i = 0; i < n; ++i)
    add(std::vector<double>(n, m[i]), std::vector<double>(n, d[i]));
  add(m, mapped(d, [](double v) { return v * v; }));
  add(m, mapped(d, [](double v) { return std::sqrt(std::abs(v)); }));
  add(m, mapped(d, [](double v) { return 1 / v; }));
  add(mapped(m, [](double v) { return -v; }), d);
  add(d, m);
  // Read as minimum and maximum, and vice versa.
  std::vector<double> apart(n), whole(n);
  for (std::size_t i = 0; i < n; ++i) apart[i] = d[i] - m[i], whole[i] = m[i] + d[i];
  add(m, apart);
  add(m, whole);
  std::vector<std::size_t> by(n);
  std::iota(by.begin(), by.end(), std::size_t{0});
  if (n <= kMostPermuted) {
    while (std::next_permutation(by.begin(), by.end())) add(permuted(m, by), permuted(d, by));
  } else {
    for (std::size_t shift = 1; shift < n; ++shift) {
      std::rotate(by.begin(), by.begin() + 1, by.end());
      add(permuted(m, by), permuted(d, by));
    }
  }
  return norms;
}

std::vector<Norm> measured_norms(const Problem& problem, const Fit& fit) {
  const FrontEnd& reference = problem.reference();
  Norm both{reference.mean, reference.std, kMeasuredBoth}, mean = both;
  mean.measured = kMeasuredMean;
  for (std::size_t a = 0; a < fit.axes.size(); ++a) {
    const AxisFit& line = fit.axes[a];
    if (!line.known) return {};
    both.std[a] = std::abs(reference.scale[a] / line.slope);
    both.mean[a] = -line.offset * both.std[a];
    mean.mean[a] = -line.offset * mean.std[a];
  }
  return {both, mean};
}

}  // namespace edgeprobe::diagnose::sensor
