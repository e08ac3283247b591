// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace edgeprobe::diagnose::sensor {

/// Sums over pairs of values, relative to a nearby point so that large offsets lose no digits.
struct Line {
  /// A line through fewer values proves nothing.
  static constexpr std::size_t kFewest = 8;
  double x0 = 0, y0 = 0;
  std::size_t n = 0;
  double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  void add(double at, double value) {
    if (n == 0) x0 = at, y0 = value;
    const double dx = at - x0, dy = value - y0;
    ++n;
    x += dx, y += dy, xx += dx * dx, xy += dx * dy, yy += dy * dy;
  }
  double spread() const { return xx - x * x / static_cast<double>(n); }
  double rise() const { return xy - x * y / static_cast<double>(n); }
  double all() const { return yy - y * y / static_cast<double>(n); }
  bool tells() const { return n >= kFewest && spread() > 1e-18 * (xx + 1e-30) && spread() > 0; }
  double slope() const { return rise() / spread(); }
  double offset() const {
    const double count = static_cast<double>(n);
    return y0 + y / count - slope() * (x0 + x / count);
  }
  double squares() const { return tells() ? std::max(0.0, all() - slope() * rise()) : all(); }
};

}  // namespace edgeprobe::diagnose::sensor
