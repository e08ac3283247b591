// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/numbers/precision.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::diagnose::numbers {
namespace {

constexpr int kMostDecimals = 6;
// Relative error of a decimal number stored as float32.
constexpr double kOfFloat = 1e-7;
// Relative limit below which only the last bits of a double differ.
constexpr double kOfDouble = 1e-12;
// Most bits that one factor counts; finer agreement adds little evidence.
constexpr double kMostBits = 16, kFinest = 1e-6;

// True if IEEE binary16 can represent the value.
bool is_half(double value) {
  const double size = std::fabs(value);
  if (size == 0) return true;
  if (!(size <= 65504)) return false;
  int exponent = 0;
  std::frexp(size, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - 11, -24));
  return size == unit * std::nearbyint(size / unit);
}

}  // namespace

double Precision::slack(double value) const {
  // Half a unit in the last of eleven bits, plus half a subnormal unit.
  return half_unit + (is_float16 ? std::ldexp(std::fabs(value), -11) + std::ldexp(1.0, -25) : 0);
}

Precision precision_of(const std::vector<double>& values, double coarsest) {
  Precision out;
  double squares = 0, largest = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) return out;
    squares += value * value;
    largest = std::max(largest, std::fabs(value));
  }
  if (values.empty() || squares == 0) return out;
  const double rms = std::sqrt(squares / static_cast<double>(values.size()));
  out.is_float16 = std::all_of(values.begin(), values.end(), is_half);
  for (int decimals = 0; decimals <= kMostDecimals; ++decimals) {
    const double unit = std::pow(10.0, -decimals);
    // Below the resolution of float32 every number is a multiple of the unit.
    if (unit > coarsest * rms || unit < 8 * kOfFloat * largest) continue;
    if (std::all_of(values.begin(), values.end(), [&](double value) {
          return std::fabs(value - unit * std::nearbyint(value / unit)) <=
                 kOfFloat * std::fabs(value);
        })) {
      out.half_unit = unit / 2;
      break;
    }
  }
  return out;
}

double shortest_between(double low, double high) {
  const double largest = std::max(std::fabs(low), std::fabs(high));
  if (!(largest > 0) || !std::isfinite(largest)) return high;
  if (low < 0 && high >= 0) return 0;
  const double first = std::floor(std::log10(largest));
  for (int digits = 0; digits < 17; ++digits) {
    const double unit = std::pow(10.0, first - digits);
    const double value = std::floor(high / unit + 1e-9) * unit;
    if (value - low > kOfDouble * largest) return std::min(value, high);
  }
  return high;
}

void Factors::add(double factor, double precision) {
  precision = std::max(precision, kFinest);
  if (!std::isfinite(factor) || std::fabs(factor - 1) <= 2 * precision) return;
  for (const double known : seen_)
    if (std::fabs(factor - known) <= 4 * precision * std::fabs(known)) return;
  seen_.push_back(factor);
  bits_ += std::clamp(-std::log2(2 * precision), 0.0, kMostBits);
}

}  // namespace edgeprobe::diagnose::numbers
