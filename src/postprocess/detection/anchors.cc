// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/anchors.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::postprocess::detection {
namespace {

/// Sides of the anchors of one cell, as shares of the input.
struct Sides {
  double width = 0, height = 0;
};

/// One feature map: the positions of its cells in cells per unit of the input, and the anchors of
/// each.
struct Map {
  Grid grid;
  double cells_x = 1, cells_y = 1;  ///< Number of cells across the input's width and height.
  std::vector<Sides> sides;
};

std::vector<Anchor> by_rows(const std::vector<Map>& maps) {
  std::vector<Anchor> out;
  for (const Map& map : maps)
    for (int row = 0; row < map.grid.rows; ++row)
      for (int column = 0; column < map.grid.columns; ++column)
        for (const Sides& sides : map.sides)
          out.push_back(
              {(column + 0.5) / map.cells_x, (row + 0.5) / map.cells_y, sides.width, sides.height});
  return out;
}

Map strided_map(int width, int height, int stride, std::vector<Sides> sides) {
  return {{(width + stride - 1) / stride, (height + stride - 1) / stride},
          double(width) / stride,
          double(height) / stride,
          std::move(sides)};
}

}  // namespace

SsdRule ssd_rule(int width, int height, int maps) {
  SsdRule rule;
  Grid grid{(width + 15) / 16, (height + 15) / 16};
  for (int map = 0; map < maps; ++map) {
    rule.grids.push_back(grid);
    grid = {(grid.columns + 1) / 2, (grid.rows + 1) / 2};
  }
  return rule;
}

std::vector<Anchor> anchors(const SsdRule& rule) {
  const auto count = rule.grids.size();
  const auto scale = [&](std::size_t map) {
    if (map >= count) return 1.0;
    const double step =
        count > 1 ? (rule.largest_scale - rule.least_scale) / double(count - 1) : 0.0;
    return rule.least_scale + step * double(map);
  };
  std::vector<Map> maps;
  for (std::size_t i = 0; i < count; ++i) {
    Map map{rule.grids[i], double(rule.grids[i].columns), double(rule.grids[i].rows), {}};
    const auto add = [&map](double side, double ratio) {
      map.sides.push_back({side * std::sqrt(ratio), side / std::sqrt(ratio)});
    };
    if (i == 0 && rule.is_reduced) {
      // A half of the usual smallest side, regardless of the least scale.
      add(0.1, 1), add(rule.least_scale, 2), add(rule.least_scale, 0.5);
    } else {
      for (const double ratio : rule.aspect_ratios) add(scale(i), ratio);
      if (rule.interpolated_ratio > 0)
        add(std::sqrt(scale(i) * scale(i + 1)), rule.interpolated_ratio);
    }
    maps.push_back(std::move(map));
  }
  return by_rows(maps);
}

std::vector<Anchor> anchors(const SquaresRule& rule) {
  std::vector<Map> maps;
  for (std::size_t i = 0; i < std::min(rule.strides.size(), rule.sides.size()); ++i) {
    std::vector<Sides> sides;
    for (const double side : rule.sides[i])
      sides.push_back({side / rule.width, side / rule.height});
    maps.push_back(strided_map(rule.width, rule.height, rule.strides[i], std::move(sides)));
  }
  std::vector<Anchor> out = by_rows(maps);
  const auto cut = [](double& value) { value = std::clamp(value, 0.0, 1.0); };
  for (Anchor& anchor : out) cut(anchor.x), cut(anchor.y), cut(anchor.width), cut(anchor.height);
  return out;
}

std::vector<Anchor> anchors(const PointsRule& rule) {
  std::vector<Map> maps;
  for (std::size_t i = 0; i < std::min(rule.strides.size(), rule.counts.size()); ++i)
    maps.push_back(strided_map(rule.width, rule.height, rule.strides[i],
                               std::vector<Sides>(std::size_t(rule.counts[i]), Sides{1, 1})));
  return by_rows(maps);
}

std::vector<Anchor> anchors(const CellsRule& rule) {
  std::vector<Anchor> out;
  for (const int stride : rule.strides) {
    const double width = double(stride) / rule.width, height = double(stride) / rule.height;
    for (int row = 0; row < rule.height / stride; ++row)
      for (int column = 0; column < rule.width / stride; ++column)
        out.push_back({column * width, row * height, width, height});
  }
  return out;
}

std::vector<Anchor> walked(std::vector<Anchor> rows, AnchorWalk walk) {
  if (walk == AnchorWalk::kReversed) std::reverse(rows.begin(), rows.end());
  if (walk == AnchorWalk::kCentre)
    for (Anchor& anchor : rows) anchor.x += anchor.width / 2, anchor.y += anchor.height / 2;
  if (walk != AnchorWalk::kColumns && walk != AnchorWalk::kCorner) return rows;
  for (auto map = rows.begin(); map != rows.end();) {
    const auto end = std::adjacent_find(map, rows.end(),
                                        [](const Anchor& a, const Anchor& b) { return b.y < a.y; });
    const auto next = end == rows.end() ? end : end + 1;
    // The centre of the first cell is half a cell from the edge.
    const double half_x = map->x, half_y = map->y;
    if (walk == AnchorWalk::kCorner)
      std::for_each(map, next, [&](Anchor& anchor) { anchor.x -= half_x, anchor.y -= half_y; });
    else std::stable_sort(map, next, [](const Anchor& a, const Anchor& b) { return a.x < b.x; });
    map = next;
  }
  return rows;
}

}  // namespace edgeprobe::postprocess::detection
