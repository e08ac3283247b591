// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "diagnose/sensor/fit.h"
#include "diagnose/sensor/line.h"

namespace edgeprobe::diagnose::sensor {
namespace {

using readings::Codes;

constexpr int kRefinements = 60;
/// Over-relaxation: each projection step overshoots the interval by this factor, for faster
/// convergence.
constexpr double kOver = 1.6;

/// Real values that round to one code.
struct Interval {
  double low = 0, high = 0;
};
Interval interval_of(double value, const readings::Coding& coding, Codes codes) {
  const double code = std::round(value / coding.scale + coding.zero), step = coding.scale;
  switch (codes) {
    case Codes::kFloor: return {value, value + step};
    case Codes::kTruncated:
      return {code > 0 ? value : value - step, code < 0 ? value : value + step};
    default: return {value - step / 2, value + step / 2};
  }
}

/// Shortest difference of codes modulo the span.
double shortest(double apart, double span) { return apart - std::round(apart / span) * span; }

double span_of(const Problem& problem) {
  return (problem.coding().high - problem.coding().low + 1) * problem.coding().scale;
}

/// The line's offset up to whole turns: the mean of the residuals.
double wrapped_offset(const Problem& problem, const std::vector<Shown>& shown,
                      const std::vector<readings::Table>& recorded, std::size_t axis,
                      std::size_t column, double slope) {
  const double span = span_of(problem);
  double first = 0, sum = 0;
  std::size_t count = 0;
  for (std::size_t k = 0; k < shown.size(); ++k)
    for (std::size_t t = 0; t < problem.steps(); ++t) {
      if (shown[k].filled[t]) continue;
      const double left = recorded[k].at(t, axis) - slope * shown[k].window.at(t, column);
      if (count == 0) first = left;
      sum += shortest(left - first, span);
      ++count;
    }
  return count > 0 ? first + sum / static_cast<double>(count) : 0;
}

}  // namespace

Fit refined(const Problem& problem, const std::vector<Shown>& shown, const Reading& reading,
            Fit fit, Codes codes) {
  for (std::size_t a = 0; a < fit.axes.size(); ++a) {
    AxisFit& axis = fit.axes[a];
    if (!axis.known) continue;
    std::vector<double> at;
    std::vector<Interval> wanted;
    for (std::size_t k = 0; k < shown.size(); ++k) {
      const readings::Table recorded = problem.recorded(k, reading);
      const std::vector<bool> cut = problem.saturated(k, reading);
      for (std::size_t t = 0; t < problem.steps(); ++t) {
        if (shown[k].filled[t] || cut[t * problem.axes() + a]) continue;
        at.push_back(shown[k].window.at(t, axis.of));
        wanted.push_back(interval_of(recorded.at(t, a), problem.coding(), codes));
      }
    }
    for (int i = 0; i < kRefinements; ++i) {
      Line line;
      bool outside = false;
      for (std::size_t j = 0; j < at.size(); ++j) {
        const double value = axis.slope * at[j] + axis.offset;
        const double inside = std::clamp(value, wanted[j].low, wanted[j].high);
        outside = outside || inside != value;
        line.add(at[j], value + kOver * (inside - value));
      }
      if (!outside || !line.tells()) break;
      axis.slope = line.slope();
      axis.offset = line.offset();
    }
  }
  return fit;
}

Fit fit_wrapped(const Problem& problem, const std::vector<Shown>& shown, const Reading& reading) {
  Fit best;
  const double span = span_of(problem);
  std::vector<readings::Table> recorded;
  for (std::size_t k = 0; k < shown.size(); ++k) recorded.push_back(problem.recorded(k, reading));
  double squares = 0;
  std::size_t count = 0;
  for (std::size_t a = 0; a < problem.axes(); ++a) {
    std::vector<Line> lines(shown.front().window.axes);
    for (std::size_t k = 0; k < shown.size(); ++k)
      for (std::size_t t = 1; t < problem.steps(); ++t) {
        if (shown[k].filled[t] || shown[k].filled[t - 1]) continue;
        const double moved = shortest(recorded[k].at(t, a) - recorded[k].at(t - 1, a), span);
        for (std::size_t c = 0; c < lines.size(); ++c)
          lines[c].add(shown[k].window.at(t, c) - shown[k].window.at(t - 1, c), moved);
      }
    std::size_t chosen = 0;
    for (std::size_t c = 1; c < lines.size(); ++c)
      if (lines[c].squares() < lines[chosen].squares()) chosen = c;
    const Line& line = lines[chosen];
    AxisFit axis{chosen, 0, 0, 0, line.tells() && line.slope() != 0};
    if (axis.known) {
      axis.slope = line.slope();
      axis.offset = wrapped_offset(problem, shown, recorded, a, chosen, axis.slope);
      axis.slope_error = std::sqrt(line.squares() / static_cast<double>(line.n) / line.spread()) /
                         std::abs(axis.slope);
    }
    squares += line.n > 0 ? line.squares() : 0;
    count += line.n;
    best.axes.push_back(axis);
  }
  best.left = count > 0 ? std::sqrt(squares / static_cast<double>(count)) / problem.unit()
                        : std::numeric_limits<double>::infinity();
  return best;
}

bool jumps(const Problem& problem, const Reading& reading) {
  if (!problem.is_coded()) return false;
  for (std::size_t k = 0; k < problem.observations(); ++k) {
    const readings::Table recorded = problem.recorded(k, reading);
    for (std::size_t t = 1; t < recorded.steps; ++t)
      for (std::size_t a = 0; a < recorded.axes; ++a)
        if (std::abs(recorded.at(t, a) - recorded.at(t - 1, a)) > span_of(problem) / 2) return true;
  }
  return false;
}

}  // namespace edgeprobe::diagnose::sensor
