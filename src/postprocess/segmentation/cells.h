// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/tensor.h"
#include "postprocess/segmentation/recipe.h"

namespace edgeprobe::postprocess::segmentation {

/// Limit for one output.
inline constexpr std::size_t kMostCells = 100'000'000;

/// Positions of cells among values. A view: rotations and misreadings are strides, in values.
struct Grid {
  std::size_t height = 0, width = 0;
  std::ptrdiff_t first = 0, down = 0, right = 0;

  std::size_t index(std::size_t y, std::size_t x) const {
    return static_cast<std::size_t>(first + static_cast<std::ptrdiff_t>(y) * down +
                                    static_cast<std::ptrdiff_t>(x) * right);
  }
};

/// Values of an output, read and activated: `classes` for each cell, 1 for ids and for a single
/// score.
struct Cells {
  std::shared_ptr<const std::vector<float>> values;
  Grid grid;
  std::size_t classes = 1;
  std::ptrdiff_t next_class = 0;
  bool are_finite = true;

  const float* at(std::size_t y, std::size_t x) const { return values->data() + grid.index(y, x); }
};

/// The chosen class of each cell.
struct Classes {
  std::shared_ptr<const std::vector<std::int32_t>> values;
  Grid grid;

  std::int32_t at(std::size_t y, std::size_t x) const { return (*values)[grid.index(y, x)]; }
};

/// Source of a mask's pixels. Copies share the values.
struct DecidedCells {
  Cells cells;
  Classes classes;
};

/// The output's cells according to its shape: [1, H, W, C], [1, C, H, W], or [1, H, W] for one
/// class. kUsage for an output of another rank.
Result<Cells> cells_of(const Recipe& recipe, std::span<const TensorView> outputs);
/// Same, misread as the recipe states, with the class chosen for each.
DecidedCells decided(const Recipe& recipe, Cells cells);
DecidedCells turned(Turn turn, DecidedCells decided);

}  // namespace edgeprobe::postprocess::segmentation
