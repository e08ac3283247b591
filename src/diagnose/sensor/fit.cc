// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sensor/fit.h"

#include <cmath>
#include <limits>

#include "diagnose/sensor/line.h"

namespace edgeprobe::diagnose::sensor {
namespace {

/// Another column than the reference's must reduce the residual to this fraction.
constexpr double kBetter = 0.999;

}  // namespace

Fit fit(const Problem& problem, const std::vector<Shown>& shown, const Reading& reading) {
  Fit best;
  const std::size_t columns = shown.front().window.axes;
  std::vector<readings::Table> recorded;
  std::vector<std::vector<bool>> cut;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    recorded.push_back(problem.recorded(k, reading));
    cut.push_back(problem.saturated(k, reading));
  }
  double squares = 0;
  std::size_t count = 0;
  for (std::size_t a = 0; a < problem.axes(); ++a) {
    const auto wanted = static_cast<std::size_t>(problem.reference().axes[a].of);
    std::vector<Line> lines(columns);
    for (std::size_t k = 0; k < shown.size(); ++k)
      for (std::size_t t = 0; t < problem.steps(); ++t) {
        if (shown[k].filled[t] || cut[k][t * problem.axes() + a]) continue;
        for (std::size_t c = 0; c < columns; ++c)
          lines[c].add(shown[k].window.at(t, c), recorded[k].at(t, a));
      }
    std::size_t chosen = wanted;
    for (std::size_t c = 0; c < columns; ++c)
      if (lines[c].tells() &&
          (!lines[chosen].tells() || lines[c].squares() < kBetter * lines[chosen].squares()))
        chosen = c;
    const Line& line = lines[chosen];
    AxisFit axis{chosen, 0, 0, 0, line.tells() && line.slope() != 0};
    if (axis.known) {
      axis.slope = line.slope();
      axis.offset = line.offset();
      // Pure rounding leaves a variance of 1/12 of a squared step.
      const double rounding = problem.is_coded() ? problem.unit() * problem.unit() / 12 : 0;
      const double variance = line.squares() / static_cast<double>(line.n) + rounding;
      axis.slope_error = std::sqrt(variance / line.spread()) / std::abs(axis.slope);
    }
    squares += line.n > 0 ? line.squares() : 0;
    count += line.n;
    best.axes.push_back(axis);
  }
  best.left = count > 0 ? std::sqrt(squares / static_cast<double>(count)) / problem.unit()
                        : std::numeric_limits<double>::infinity();
  return best;
}

Fit scaled(Fit fit, double by) {
  for (AxisFit& axis : fit.axes) {
    axis.slope *= by;
    axis.offset *= by;
  }
  return fit;
}

}  // namespace edgeprobe::diagnose::sensor
