// SPDX-License-Identifier: Apache-2.0
#include "placement/shape/grid.h"

#include <algorithm>

namespace edgeprobe::placement::shape {

std::array<std::size_t, 3> Grid::place(std::size_t index) const {
  const std::size_t inner = axes_[2].size(), middle = axes_[1].size();
  return {index / (inner * middle), index / inner % middle, index % inner};
}

std::size_t Grid::index(const std::array<std::size_t, 3>& place) const {
  return (place[0] * axes_[1].size() + place[1]) * axes_[2].size() + place[2];
}

std::vector<Grid::Point> Grid::points() const {
  std::vector<Point> points;
  for (std::size_t i = 0; i < size(); ++i) {
    const auto where = place(i);
    points.push_back({axes_[0][where[0]], axes_[1][where[1]], axes_[2][where[2]]});
  }
  return points;
}

void Grid::set(std::vector<double> seconds) {
  seconds_ = seconds;
  const auto is_below = [&](std::size_t a, std::size_t b) {
    const auto one = place(a), other = place(b);
    return one[0] <= other[0] && one[1] <= other[1] && one[2] <= other[2];
  };
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    double largest = seconds[i], smallest = seconds[i];
    for (std::size_t k = 0; k < seconds.size(); ++k) {
      if (is_below(k, i)) largest = std::max(largest, seconds[k]);
      if (is_below(i, k)) smallest = std::min(smallest, seconds[k]);
    }
    seconds_[i] = (largest + smallest) / 2;
  }
}

double Grid::at(const Point& point) const {
  std::array<std::size_t, 3> low{};
  std::array<double, 3> share{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto& values = axes_[axis];
    const auto above = std::upper_bound(values.begin(), values.end(), point[axis]);
    if (above == values.begin()) continue;
    low[axis] = static_cast<std::size_t>(above - values.begin()) - 1;
    if (above == values.end()) continue;
    const std::int64_t first = values[low[axis]];
    share[axis] = static_cast<double>(point[axis] - first) / static_cast<double>(*above - first);
  }
  double sum = 0;
  for (std::size_t corner = 0; corner < 8; ++corner) {
    double weight = 1;
    auto where = low;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool upper = (corner >> axis & 1) != 0;
      weight *= upper ? share[axis] : 1 - share[axis];
      if (upper) ++where[axis];
    }
    if (weight > 0) sum += weight * seconds_[index(where)];
  }
  return sum;
}

std::vector<std::int64_t> spread(const std::vector<std::int64_t>& values, std::size_t count) {
  if (values.size() <= count) return values;
  if (count < 2) return {values.back()};
  std::vector<std::int64_t> some;
  for (std::size_t i = 0; i < count; ++i)
    some.push_back(values[i * (values.size() - 1) / (count - 1)]);
  return some;
}

}  // namespace edgeprobe::placement::shape
