// SPDX-License-Identifier: Apache-2.0
#include "postprocess/segmentation/cells.h"

#include <algorithm>
#include <cmath>

#include "postprocess/classify.h"
#include "postprocess/segmentation/decide.h"

namespace edgeprobe::postprocess::segmentation {
namespace {

Error no_cells(const Recipe& recipe, const TensorSpec& spec) {
  const char* const wanted =
      recipe.decision == Decision::kArgmax
          ? recipe.is_channels_first ? "[1,C,H,W] of scores" : "[1,H,W,C] of scores"
          : "[1,H,W] or [1,H,W,1]";
  return Error{ErrorKind::kUsage, "output " + std::to_string(recipe.output) + " is " +
                                      edgeprobe::to_text(spec.shape) + ": a mask is made of " +
                                      wanted};
}

std::ptrdiff_t stride(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

// Activates the classes of each cell.
void activate_cells(const Recipe& recipe, const Cells& cells, std::vector<float>& values) {
  std::vector<double> scores(cells.classes);
  for (std::size_t y = 0; y < cells.grid.height; ++y)
    for (std::size_t x = 0; x < cells.grid.width; ++x) {
      float* const own = values.data() + cells.grid.index(y, x);
      for (std::size_t c = 0; c < cells.classes; ++c) scores[c] = own[stride(c) * cells.next_class];
      for (const Activation activation : recipe.activations) activate(activation, scores);
      for (std::size_t c = 0; c < cells.classes; ++c)
        own[stride(c) * cells.next_class] = static_cast<float>(scores[c]);
    }
}

void transpose(Grid& grid) {
  std::swap(grid.height, grid.width);
  std::swap(grid.down, grid.right);
}

void mirror(Grid& grid) {
  grid.first += stride(grid.width - 1) * grid.right;
  grid.right = -grid.right;
}

void flip(Grid& grid) {
  grid.first += stride(grid.height - 1) * grid.down;
  grid.down = -grid.down;
}

void turn_grid(Turn turn, Grid& grid) {
  switch (turn) {
    case Turn::kNone: break;
    case Turn::kTransposed: transpose(grid); break;
    case Turn::kLeftRight: mirror(grid); break;
    case Turn::kUpsideDown: flip(grid); break;
    case Turn::kHalf: mirror(grid), flip(grid); break;
    case Turn::kQuarter: transpose(grid), flip(grid); break;
    case Turn::kThreeQuarters: transpose(grid), mirror(grid); break;
    case Turn::kAntiTransposed: transpose(grid), mirror(grid), flip(grid); break;
  }
}

Cells misread(const Recipe& recipe, Cells cells) {
  Grid& grid = cells.grid;
  switch (recipe.misreading) {
    case Misreading::kNone: break;
    case Misreading::kOtherLayout:
      if (recipe.is_channels_first) {
        grid.right = stride(cells.classes), cells.next_class = 1;
      } else {
        grid.right = 1, cells.next_class = stride(grid.height * grid.width);
      }
      grid.down = stride(grid.width) * grid.right;
      break;
    case Misreading::kOverRows:
      std::swap(grid.height, cells.classes), std::swap(grid.down, cells.next_class);
      transpose(grid);
      break;
    case Misreading::kOverColumns:
      std::swap(grid.width, cells.classes), std::swap(grid.right, cells.next_class);
      break;
  }
  return cells;
}

}  // namespace

Result<Cells> cells_of(const Recipe& recipe, std::span<const TensorView> outputs) {
  if (recipe.output >= outputs.size())
    return Error{ErrorKind::kUsage, "output(" + std::to_string(recipe.output) +
                                        "): the model has " + std::to_string(outputs.size()) +
                                        " outputs, counted from 0"};
  const TensorView& output = outputs[recipe.output];
  Shape shape = output.spec->shape;
  if (shape.size() > 2 && shape.front() == 1) shape.erase(shape.begin());
  const bool has_classes = recipe.decision == Decision::kArgmax;
  if (!has_classes && shape.size() == 3 && shape.back() == 1) shape.pop_back();
  if (!has_classes && shape.size() == 3 && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() != (has_classes ? 3U : 2U)) return no_cells(recipe, *output.spec);
  std::size_t all = 1;
  for (const std::int64_t side : shape) {
    if (side <= 0 || static_cast<std::size_t>(side) > kMostCells)
      return no_cells(recipe, *output.spec);
    all *= static_cast<std::size_t>(side);
    if (all > kMostCells) return no_cells(recipe, *output.spec);
  }
  Cells cells;
  Grid& grid = cells.grid;
  const bool is_planes = has_classes && recipe.is_channels_first;
  const auto side = [&shape](std::size_t i) { return static_cast<std::size_t>(shape[i]); };
  grid.height = side(is_planes ? 1 : 0), grid.width = side(is_planes ? 2 : 1);
  cells.classes = has_classes ? side(is_planes ? 0 : 2) : 1;
  grid.right = is_planes ? 1 : stride(cells.classes);
  grid.down = stride(grid.width) * grid.right;
  cells.next_class = is_planes ? stride(grid.height * grid.width) : 1;
  EP_TRY(auto read, read_values(recipe.reading, output));
  if (read.size() != all) return no_cells(recipe, *output.spec);
  std::vector<float> values(read.begin(), read.end());
  if (!recipe.activations.empty()) activate_cells(recipe, cells, values);
  cells.are_finite =
      std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
  cells.values = std::make_shared<const std::vector<float>>(std::move(values));
  return cells;
}

DecidedCells decided(const Recipe& recipe, Cells cells) {
  DecidedCells out{misread(recipe, std::move(cells)), {}};
  const Grid& grid = out.cells.grid;
  std::vector<std::int32_t> classes;
  classes.reserve(grid.height * grid.width);
  for (std::size_t y = 0; y < grid.height; ++y)
    for (std::size_t x = 0; x < grid.width; ++x) {
      const float* const own = out.cells.at(y, x);
      const std::ptrdiff_t next = out.cells.next_class;
      classes.push_back(decide(recipe, out.cells.classes,
                               [&](std::size_t c) { return double{own[stride(c) * next]}; }));
    }
  out.classes = {std::make_shared<const std::vector<std::int32_t>>(std::move(classes)),
                 {grid.height, grid.width, 0, stride(grid.width), 1}};
  return out;
}

DecidedCells turned(Turn turn, DecidedCells decided) {
  turn_grid(turn, decided.cells.grid);
  turn_grid(turn, decided.classes.grid);
  return decided;
}

}  // namespace edgeprobe::postprocess::segmentation
