// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "diagnose/tensors/pairs.h"

namespace edgeprobe::diagnose::tensors {

/// fed = gain * wanted + offset, in the units of Pairs.
struct Line {
  double gain = 1, offset = 0;
};

/// Sums for fitting a line.
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
  /// Standard deviation of y.
  double deviation() const { return n_ ? std::sqrt(yy_ / double(n_)) : 0; }
  /// Nothing if x is constant.
  std::optional<Line> line() const;

 private:
  std::size_t n_ = 0;
  double mean_x_ = 0, mean_y_ = 0, xx_ = 0, xy_ = 0, yy_ = 0;
};

/// Values predicted by a line: for codes the nearest one, clipped at both ends.
class LineMaker {
 public:
  explicit LineMaker(const Pairs& pairs) : pairs_(pairs) {}
  /// True if the line may be fitted to this value: codes at an end are only bounds.
  bool tells(float wanted, float fed) const;
  /// True if the line maps `wanted` to `fed`. Codes are rounded and may be clipped.
  bool makes(const Line& line, float wanted, float fed) const;

 private:
  bool at_end(float code) const;
  const Pairs& pairs_;
};

/// Squared distances of both sides, with and without a line.
struct Squares {
  double own = 0, left = 0;

  void add(const Line& line, float wanted, float fed) {
    const double apart = double(fed) - double(wanted),
                 off = double(fed) - line.gain * double(wanted) - line.offset;
    if (!std::isfinite(apart)) return;
    own += apart * apart;
    left += std::min(off * off, apart * apart);
  }
  /// A line must remove most of the distance: it cannot remove rounding.
  bool are_explained() const { return left <= 0.25 * own; }
};

/// A line fitted to the frames that differ.
struct Fitted {
  Line line;
  bool some = false;  ///< The remaining values are the reference's own.
};
/// Line through all values; `some`: only through those that differ, with the others equal. `bent`:
/// the reference's values passed through a curve, and may be equal to the fed ones.
std::optional<Fitted> fitted(const Pairs& pairs, bool some, bool bent = false);
/// "is the reference's times 2 plus 1", in real values.
std::string in_words(const Pairs& pairs, const Line& line);

}  // namespace edgeprobe::diagnose::tensors
