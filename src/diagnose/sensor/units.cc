// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sensor/units.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace edgeprobe::diagnose::sensor {
namespace {

constexpr double kPi = 3.14159265358979323846;
/// Factors between units of sensors, systems and data sets: standard gravity and its usual
/// roundings, degrees, thousands, tesla, the steps of 16-bit sensors per g and per degree per
/// second.
constexpr std::array kUnits{9.80665, 9.81,  9.8,    10.0,   180 / kPi, 1000.0,  100.0,   60.0,
                            1e6,     256.0, 2048.0, 4096.0, 8192.0,    16384.0, 32768.0, 16.4,
                            32.8,    65.5,  131.0,  2.0,    4.0,       8.0};

}  // namespace

std::span<const double> usual_units() { return kUnits; }

std::vector<Unit> units_of(const Problem& problem, const Fit& fit, const Norm& norm) {
  const std::vector<double>& own = problem.reference().scale;
  std::vector<double> ratio(own.size(), 1), error(own.size(), 1);
  std::size_t known = 0;
  for (std::size_t a = 0; a < own.size(); ++a) {
    if (!fit.axes[a].known) continue;
    ratio[a] = std::abs(fit.axes[a].slope * norm.std[a] / own[a]);
    error[a] = 5 * fit.axes[a].slope_error + kSlopeSnap;
    ++known;
  }
  std::vector<Unit> out;
  const auto add = [&](const std::vector<double>& factors, double measured) {
    Unit unit{own, measured};
    for (std::size_t a = 0; a < own.size(); ++a) unit.scale[a] *= factors[a];
    out.push_back(std::move(unit));
  };
  if (known == 0) return out;
  const auto near = [&](std::size_t a, double factor) {
    return !fit.axes[a].known || std::abs(ratio[a] - factor) <= error[a] * factor;
  };
  const auto all = [&](double factor) {
    for (std::size_t a = 0; a < own.size(); ++a)
      if (!near(a, factor)) return false;
    return true;
  };
  const std::vector<double> ones(own.size(), 1);
  // Always tries factors of 1: repeated values round alike, so a slope may deviate by more than its
  // error.
  add(ones, 0);
  std::vector<double> usual;
  for (const double unit : kUnits) usual.insert(usual.end(), {unit, 1 / unit});
  for (const double factor : own) usual.insert(usual.end(), {1 / factor, 1 / (factor * factor)});
  for (const double factor : usual) {
    if (factor == 1) continue;
    if (all(factor)) add(std::vector<double>(own.size(), factor), 0);
    // Only some axes, for example those of one of two sensors.
    std::vector<double> some = ones;
    bool fits = true, other = false;
    for (std::size_t a = 0; a < own.size(); ++a) {
      if (near(a, 1)) continue;
      fits = fits && near(a, factor);
      some[a] = factor;
      other = true;
    }
    const bool every = std::none_of(some.begin(), some.end(), [](double v) { return v == 1; });
    if (fits && other && !every) add(some, 0);
  }
  double sum = 0, weight = 0;
  for (std::size_t a = 0; a < own.size(); ++a)
    if (fit.axes[a].known) {
      const double w = 1 / (error[a] * error[a]);
      sum += w * ratio[a];
      weight += w;
    }
  const double common = sum / weight;
  if (all(common)) add(std::vector<double>(own.size(), common), kMeasuredFactor);
  return out;
}

}  // namespace edgeprobe::diagnose::sensor
