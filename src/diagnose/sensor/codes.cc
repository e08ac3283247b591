// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sensor/codes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "diagnose/sensor/units.h"

namespace edgeprobe::diagnose::sensor {
namespace {

using readings::Codes;
using readings::FrontEnd;

constexpr std::array kCodeScales{1.0,       1.0 / 127, 1.0 / 128, 1.0 / 127.5, 1.0 / 255, 1.0 / 256,
                                 2.0 / 255, 1.0 / 64,  1.0 / 32,  1.0 / 16,    0.1};

/// Remainder of a line's offset after a normalisation, in code steps.
double shift_of(const Problem& problem, const AxisFit& line, const FrontEnd& f, std::size_t axis) {
  return (line.offset + f.mean[axis] / f.std[axis]) / f.code_scale.value_or(problem.coding().scale);
}

}  // namespace

std::span<const double> usual_code_scales() { return kCodeScales; }

bool lies_on(const Problem& problem, const Fit& fit, const FrontEnd& f) {
  constexpr double kStep = 1.5;
  const double zero = f.code_zero ? *f.code_zero - problem.coding().zero : 0;
  for (std::size_t a = 0; a < fit.axes.size(); ++a) {
    const AxisFit& line = fit.axes[a];
    if (!line.known) continue;
    const double slope = std::abs(f.scale[a] / f.std[a]);
    if (std::abs(std::abs(line.slope) / slope - 1) > 5 * line.slope_error + kSlopeSnap ||
        std::abs(shift_of(problem, line, f, a) - zero) > kStep)
      return false;
  }
  return true;
}

std::vector<Candidate> other_codes(const Problem& problem, const Fit& fit, const FrontEnd& base) {
  std::vector<Candidate> out;
  if (!problem.is_coded()) return out;
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
    largest_error = std::max(largest_error, 5 * fit.axes[a].slope_error + kSlopeSnap);
    offset += fit.axes[a].offset - gain * start;
    ++known;
  }
  if (known == 0) return out;
  const double gain = std::accumulate(gains.begin(), gains.end(), 0.0) / static_cast<double>(known);
  for (const double one : gains)
    if (std::abs(one - gain) > 2 * largest_error * gain) return out;
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
    add(scale, z, kMeasuredFactor);
  }
  return out;
}

std::optional<int> other_zero(const Problem& problem, const Fit& fit, const FrontEnd& f) {
  if (!problem.is_coded()) return std::nullopt;
  const readings::Coding& coding = problem.coding();
  double least = 1e300, most = -least;
  for (std::size_t a = 0; a < fit.axes.size(); ++a) {
    if (!fit.axes[a].known) continue;
    const double shift = shift_of(problem, fit.axes[a], f, a);
    least = std::min(least, shift);
    most = std::max(most, shift);
  }
  double shift = (least + most) / 2;
  const double span = coding.high - coding.low + 1;
  // Codes that wrap round determine the offset only up to whole turns.
  if (f.codes == Codes::kWrap) shift -= std::round(shift / span) * span;
  if (most - least > 1 || std::abs(shift) < 1 || std::abs(shift) > 60000) return std::nullopt;
  return static_cast<int>(std::lround(coding.zero + shift));
}

}  // namespace edgeprobe::diagnose::sensor
