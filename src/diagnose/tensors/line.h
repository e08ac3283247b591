// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>

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

/// How far both sides lie apart, with a line and without it.
struct Squares {
  double own = 0, left = 0;

  void add(const Line& line, float wanted, float fed) {
    const double apart = double(fed) - double(wanted),
                 off = double(fed) - line.gain * double(wanted) - line.offset;
    if (!std::isfinite(apart)) return;
    own += apart * apart;
    left += std::min(off * off, apart * apart);
  }
  /// Rounding makes no line.
  bool are_explained() const { return left <= 0.25 * own; }
};

/// A line through the frames that differ.
struct Fitted {
  Line line;
  bool some = false;  ///< Other values are the reference's own.
};
/// The line through all values; `some`: through those that differ where the others are equal.
/// `bent`: the reference's values went through a curve, and may be what was fed.
std::optional<Fitted> fitted(const Pairs& pairs, bool some, bool bent = false);
/// "is the reference's times 2 plus 1", in real values.
std::string in_words(const Pairs& pairs, const Line& line);

}  // namespace edgeprobe::diagnose::tensors
