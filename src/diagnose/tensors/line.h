// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnose/tensors/pairs.h"

namespace edgeprobe::diagnose::tensors {

/// fed = gain * wanted + offset, in what Pairs holds.
struct Line {
  double gain = 1, offset = 0;
};

/// Sums that a line is fitted from.
class LineFit {
 public:
  void add(double x, double y) {
    ++n_;
    const double dx = x - mean_x_, dy = y - mean_y_;
    mean_x_ += dx / double(n_);
    mean_y_ += dy / double(n_);
    xx_ += dx * (x - mean_x_);
    xy_ += dx * (y - mean_y_);
    yy_ += dy * (y - mean_y_);
  }
  std::size_t count() const { return n_; }
  double deviation() const { return n_ ? std::sqrt(yy_ / double(n_)) : 0; }  ///< Of y.
  /// Nothing where x does not vary.
  std::optional<Line> line() const;

 private:
  std::size_t n_ = 0;
  double mean_x_ = 0, mean_y_ = 0, xx_ = 0, xy_ = 0, yy_ = 0;
};

/// The values that a line makes: of codes the nearest, cut off at both ends.
class LineMaker {
 public:
  explicit LineMaker(const Pairs& pairs) : pairs_(pairs) {}
  /// Whether the line is fitted from this value: codes at an end say only on which side they are.
  bool tells(float wanted, float fed) const;
  /// Whether the line makes `fed` of `wanted`. Codes were rounded, and may stand for what was cut
  /// off.
  bool makes(const Line& line, float wanted, float fed) const;

 private:
  bool at_end(float code) const;
  const Pairs& pairs_;
};

}  // namespace edgeprobe::diagnose::tensors
