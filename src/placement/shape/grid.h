// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace edgeprobe::placement::shape {

/// Seconds of one branch by depth, width and channels read, measured at some of each and linear
/// between them. It never falls where depth, width or channels grow: measured values that do are
/// replaced by the middle between the largest one below and the smallest one above.
class Grid {
 public:
  using Point = std::array<std::int64_t, 3>;  ///< Depth, width, channels read.

  /// Ascending values of each coordinate; at least one.
  explicit Grid(std::array<std::vector<std::int64_t>, 3> axes) : axes_(std::move(axes)) {}

  std::vector<Point> points() const;
  /// In the order of points().
  void set(std::vector<double> seconds);
  /// Points outside the axes have the value at their nearest end.
  double at(const Point& point) const;

 private:
  std::size_t size() const { return axes_[0].size() * axes_[1].size() * axes_[2].size(); }
  std::array<std::size_t, 3> place(std::size_t index) const;
  std::size_t index(const std::array<std::size_t, 3>& place) const;

  std::array<std::vector<std::int64_t>, 3> axes_;
  std::vector<double> seconds_;
};

/// Up to `count` of these ascending values, evenly spread, with the first and the last.
std::vector<std::int64_t> spread(const std::vector<std::int64_t>& values, std::size_t count);

}  // namespace edgeprobe::placement::shape
