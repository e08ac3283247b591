// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sensor/naming.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

namespace edgeprobe::diagnose::sensor {
namespace {

using readings::Codes;
using readings::FrontEnd;

constexpr double kPi = 3.14159265358979323846;
/// Between units that sensors, systems and data sets have: standard gravity and its usual
/// roundings, degrees, thousands, tesla, the steps of 16-bit sensors per g and per degree a second.
constexpr std::array kUnits{9.80665, 9.81,  9.8,    10.0,   180 / kPi, 1000.0,  100.0,   60.0,
                            1e6,     256.0, 2048.0, 4096.0, 8192.0,    16384.0, 32768.0, 16.4,
                            32.8,    65.5,  131.0,  2.0,    4.0,       8.0};
constexpr std::array kCodeScales{1.0,       1.0 / 127, 1.0 / 128, 1.0 / 127.5, 1.0 / 255, 1.0 / 256,
                                 2.0 / 255, 1.0 / 64,  1.0 / 32,  1.0 / 16,    0.1};
constexpr double kSnap = 2e-6;  ///< Relative, beside five standard errors of a slope.
constexpr double kMeasuredUnit = 0.5, kMeasuredMean = 1.0, kMeasuredBoth = 1.5;
constexpr std::size_t kMostPermuted = 4;

struct Norm {
  std::vector<double> mean, std;
  double measured = 0;
};

std::vector<double> permuted(const std::vector<double>& list, const std::vector<std::size_t>& by) {
  std::vector<double> out;
  for (const std::size_t i : by) out.push_back(list[i]);
  return out;
}

/// Other normalisations by the reference's own numbers.
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
  // Taken for the least and the largest value, and the other way round.
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

/// Factors on the reference's scale that the slopes are under a normalisation.
struct Unit {
  std::vector<double> scale;
  double measured = 0;
};
std::vector<Unit> units_of(const Problem& problem, const Fit& fit, const Norm& norm) {
  const std::vector<double>& own = problem.reference().scale;
  std::vector<double> ratio(own.size(), 1), error(own.size(), 1);
  std::size_t known = 0;
  for (std::size_t a = 0; a < own.size(); ++a) {
    if (!fit.axes[a].known) continue;
    ratio[a] = std::abs(fit.axes[a].slope * norm.std[a] / own[a]);
    error[a] = 5 * fit.axes[a].slope_error + kSnap;
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
  // Repeated values are rounded alike, so a slope may lie beyond its error: this one is always
  // tried.
  add(ones, 0);
  std::vector<double> usual;
  for (const double unit : kUnits) usual.insert(usual.end(), {unit, 1 / unit});
  for (const double factor : own) usual.insert(usual.end(), {1 / factor, 1 / (factor * factor)});
  for (const double factor : usual) {
    if (factor == 1) continue;
    if (all(factor)) add(std::vector<double>(own.size(), factor), 0);
    // Some axes alone, as of one of two sensors.
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
  if (problem.observations() < 2) return out;
  double sum = 0, weight = 0;
  for (std::size_t a = 0; a < own.size(); ++a)
    if (fit.axes[a].known) {
      const double w = 1 / (error[a] * error[a]);
      sum += w * ratio[a];
      weight += w;
    }
  const double common = sum / weight;
  if (all(common)) add(std::vector<double>(own.size(), common), kMeasuredUnit);
  return out;
}

/// Mean and deviation that are the lines themselves, under the reference's units.
std::vector<Norm> measured_norms(const Problem& problem, const Fit& fit) {
  if (problem.observations() < 2) return {};
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

/// The same with other scale and zero point of the codes, when one line leads from the reference's
/// codes to those recorded.
void add_codes(const Problem& problem, const Fit& fit, const FrontEnd& base,
               std::vector<Candidate>& out) {
  if (!problem.is_coded()) return;
  const FrontEnd& reference = problem.reference();
  const readings::Coding& coding = problem.coding();
  std::vector<double> gains;
  double offset = 0, largest_error = 0;
  std::size_t known = 0;
  for (std::size_t a = 0; a < fit.axes.size(); ++a) {
    if (!fit.axes[a].known) continue;
    const double slope = reference.scale[a] / reference.std[a],
                 start = -reference.mean[a] / reference.std[a];
    const double gain = std::abs(fit.axes[a].slope / slope);
    gains.push_back(gain);
    largest_error = std::max(largest_error, 5 * fit.axes[a].slope_error + kSnap);
    offset += fit.axes[a].offset - gain * start;
    ++known;
  }
  if (known == 0) return;
  const double gain = std::accumulate(gains.begin(), gains.end(), 0.0) / static_cast<double>(known);
  for (const double one : gains)
    if (std::abs(one - gain) > 2 * largest_error * gain) return;
  const double zero = coding.zero + offset / static_cast<double>(known) / coding.scale;
  const double scale = coding.scale / gain;
  const auto add = [&](double s, double z, double measured) {
    if (s == coding.scale && std::lround(z) == std::lround(coding.zero)) return;
    for (const Codes codes :
         {Codes::kNearest, Codes::kHalfEven, Codes::kFloor, Codes::kTruncated}) {
      FrontEnd f = base;
      f.code_scale = s;
      f.code_zero = static_cast<int>(std::lround(z));
      f.codes = codes;
      out.push_back({f, measured});
    }
  };
  std::vector<double> zeros{zero, std::floor(zero), std::ceil(zero)};
  for (const double z : zeros) {
    if (std::abs(gain - 1) <= largest_error) add(coding.scale, z, 0);
    for (const double usual : kCodeScales)
      if (std::abs(scale / usual - 1) <= 2 * largest_error) add(usual, z, 0);
    if (problem.observations() > 1) add(scale, z, kMeasuredUnit);
  }
}

/// The zero point that the codes have beside a normalisation and units, where one fits all axes and
/// is another than the model's.
std::optional<int> other_zero(const Problem& problem, const Fit& fit, const FrontEnd& f) {
  if (!problem.is_coded()) return std::nullopt;
  const readings::Coding& coding = problem.coding();
  double least = 1e300, most = -least;
  for (std::size_t a = 0; a < fit.axes.size(); ++a) {
    if (!fit.axes[a].known) continue;
    const double shift = (fit.axes[a].offset + f.mean[a] / f.std[a]) / coding.scale;
    least = std::min(least, shift);
    most = std::max(most, shift);
  }
  const double shift = (least + most) / 2;
  if (most - least > 1 || std::abs(shift) < 1 || std::abs(shift) > 60000) return std::nullopt;
  return static_cast<int>(std::lround(coding.zero + shift));
}

/// With the lines' axes and signs; `turned`: axes without a line are the other way up.
std::vector<Candidate> with_signs(const Problem& problem, const FrontEnd& structure, const Fit& fit,
                                  bool turned) {
  std::vector<Candidate> out;
  const FrontEnd& reference = problem.reference();
  FrontEnd base = structure;
  for (std::size_t a = 0; a < base.axes.size(); ++a) {
    const AxisFit& line = fit.axes[a];
    base.axes[a].of = static_cast<int>(line.of);
    const double sign = reference.scale[a] / reference.std[a];
    if (line.known) base.axes[a].negative = (line.slope < 0) != (sign < 0);
    else if (turned) base.axes[a].negative = !base.axes[a].negative;
  }
  std::vector<Norm> norms = norms_of(reference);
  for (Norm& norm : measured_norms(problem, fit)) norms.push_back(std::move(norm));
  for (const Norm& norm : norms)
    for (Unit& unit : units_of(problem, fit, norm)) {
      // Measured once is enough.
      if (norm.measured > 0 && unit.measured > 0) continue;
      FrontEnd f = base;
      f.mean = norm.mean;
      f.std = norm.std;
      f.scale = std::move(unit.scale);
      // A negative divisor turns an axis, too.
      for (std::size_t a = 0; a < f.axes.size(); ++a)
        if (fit.axes[a].known)
          f.axes[a].negative = (fit.axes[a].slope < 0) != (f.scale[a] / f.std[a] < 0);
      if (const auto zero = other_zero(problem, fit, f)) {
        FrontEnd shifted = f;
        shifted.code_zero = *zero;
        out.push_back({std::move(shifted), norm.measured + unit.measured});
      }
      out.push_back({std::move(f), norm.measured + unit.measured});
    }
  // The reference's normalisation of the recorded order, and the axes taken behind it.
  std::vector<std::size_t> place(base.axes.size(), base.axes.size());
  bool whole = !(base.axes == reference.axes) && base.own == reference.own;
  for (std::size_t a = 0; a < reference.axes.size(); ++a)
    if (static_cast<std::size_t>(reference.axes[a].of) < place.size())
      place[static_cast<std::size_t>(reference.axes[a].of)] = a;
  for (std::size_t i = 0; i < place.size(); ++i) whole = whole && place[i] < place.size();
  if (whole) {
    FrontEnd f = base;
    f.axes_last = true;
    for (std::size_t i = 0; i < place.size(); ++i) {
      f.scale[i] = reference.scale[place[i]];
      f.mean[i] = reference.mean[place[i]];
      f.std[i] = reference.std[place[i]];
    }
    out.push_back({std::move(f), 0});
  }
  add_codes(problem, fit, base, out);
  return out;
}

}  // namespace

std::vector<Candidate> named(const Problem& problem, const FrontEnd& structure, const Fit& fit) {
  const bool some_unknown = std::any_of(fit.axes.begin(), fit.axes.end(),
                                        [](const AxisFit& axis) { return !axis.known; });
  std::vector<Candidate> out = with_signs(problem, structure, fit, false);
  // The sign of an axis that is cut off everywhere is told by the exact input alone.
  if (some_unknown && problem.is_coded())
    for (Candidate& other : with_signs(problem, structure, fit, true))
      out.push_back(std::move(other));
  return out;
}

std::vector<Candidate> unfitted(const Problem& problem, const FrontEnd& structure) {
  std::vector<Candidate> out{{structure, 0}};
  if (structure.own == readings::Own::kNone) return out;
  FrontEnd alone = structure;
  alone.mean.assign(alone.mean.size(), 0);
  alone.std.assign(alone.std.size(), 1);
  if (structure.own == problem.reference().own) out.push_back({std::move(alone), 0});
  else out.insert(out.begin(), {std::move(alone), 0});
  return out;
}

std::vector<Candidate> listed(const Problem& problem) {
  std::vector<Candidate> out;
  const FrontEnd& reference = problem.reference();
  if (problem.is_coded())
    for (const Codes codes :
         {Codes::kNearest, Codes::kHalfEven, Codes::kFloor, Codes::kTruncated, Codes::kWrap}) {
      FrontEnd f = reference;
      f.codes = codes;
      if (codes != reference.codes) out.push_back({f, 0});
    }
  for (const double unit : kUnits)
    for (const double factor : {unit, 1 / unit}) {
      FrontEnd f = reference;
      for (double& scale : f.scale) scale *= factor;
      out.push_back({f, 0});
      f.codes = Codes::kWrap;
      if (problem.is_coded()) out.push_back({f, 0});
    }
  return out;
}

}  // namespace edgeprobe::diagnose::sensor
