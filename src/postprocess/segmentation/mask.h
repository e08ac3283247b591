// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/tensor.h"
#include "postprocess/segmentation/recipe.h"
#include "trace/answer.h"

namespace edgeprobe::postprocess::segmentation {

/// Values of an output, read and activated, as rows x columns x classes (1 for ids and for one
/// score). A view: turns and misreadings are strides.
struct Cells {
  std::shared_ptr<const std::vector<float>> values;
  std::size_t height = 0, width = 0, classes = 1;
  std::ptrdiff_t first = 0, down = 0, right = 0, next_class = 0;  ///< In values.

  float at(std::size_t y, std::size_t x, std::size_t c) const {
    return (*values)[static_cast<std::size_t>(first + static_cast<std::ptrdiff_t>(y) * down +
                                              static_cast<std::ptrdiff_t>(x) * right +
                                              static_cast<std::ptrdiff_t>(c) * next_class)];
  }
};

/// The output's cells as its shape says: [1, H, W, C], [1, C, H, W], or [1, H, W] of one class.
/// kUsage for an output of another rank.
Result<Cells> cells_of(const Recipe& recipe, std::span<const TensorView> outputs);
/// The same as the recipe misreads and turns them.
Cells as_seen(const Recipe& recipe, Cells cells);

/// Place in a row or column of cells that one of the mask looks at.
struct Tap {
  std::size_t low = 0, high = 0;
  double weight = 0;    ///< Of `high`.
  bool is_tie = false;  ///< Rounding decides for the nearest cell: `high` is as near.
};

/// Where each row and column of a mask comes from.
struct Plan {
  std::size_t height = 0, width = 0;
  std::vector<Tap> rows, columns;
};
/// `picture` is the size in pixels of what the app got, `model` that of the model's input.
Plan plan_of(const Recipe& recipe, const Cells& cells, Size picture, Size model);

/// The class that each cell decides for, row-major.
trace::Mask decided(const Recipe& recipe, const Cells& cells);

/// Class at one place of the mask, before classes are renamed or coloured: `classes` is decided()
/// where the recipe decides first, else not looked at.
std::int32_t class_at(const Recipe& recipe, const Cells& cells, const trace::Mask& classes,
                      const Plan& plan, std::size_t y, std::size_t x);
/// The same where ties of the nearest cell fall the other way, in rows, in columns or both.
std::int32_t class_at_tie(const Recipe& recipe, const Cells& cells, const trace::Mask& classes,
                          const Plan& plan, std::size_t y, std::size_t x, bool rows, bool columns);
/// The first score at one place of the mask, that of a recipe with a threshold.
double score_at(const Recipe& recipe, const Cells& cells, const Plan& plan, std::size_t y,
                std::size_t x);
/// The number that the mask holds for a class.
std::int32_t number_of(const Recipe& recipe, std::int32_t of_class);

/// The answer to one frame. kUsage for outputs that do not fit the recipe.
Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> outputs, Size picture,
                          Size model);

}  // namespace edgeprobe::postprocess::segmentation
