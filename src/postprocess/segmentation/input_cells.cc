// SPDX-License-Identifier: Apache-2.0
#include "postprocess/segmentation/input_cells.h"

#include "postprocess/segmentation/plan.h"

namespace edgeprobe::postprocess::segmentation {
namespace {

// Enlarges bilinearly to that many pixels.
Result<Cells> enlarged(const Recipe& recipe, const Cells& cells, Size to) {
  Recipe step;
  step.resizing = Resizing{to, true, recipe.resizing->align};
  const Plan plan = plan_of(step, cells.grid, to, to);
  const std::size_t pixels = plan.height * plan.width;
  if (pixels > kMostCells / cells.classes)
    return Error{ErrorKind::kLimit, "scores of " + std::to_string(cells.classes) +
                                        " classes at the size of the model's input are over " +
                                        std::to_string(kMostCells) + " values"};
  std::vector<float> values(pixels * cells.classes);
  float* out = values.data();
  for (const Tap& row : plan.rows)
    for (const Tap& column : plan.columns) {
      const float* const at[4] = {cells.at(row.low, column.low), cells.at(row.low, column.high),
                                  cells.at(row.high, column.low), cells.at(row.high, column.high)};
      const double weights[4] = {(1 - row.weight) * (1 - column.weight),
                                 (1 - row.weight) * column.weight, row.weight * (1 - column.weight),
                                 row.weight * column.weight};
      for (std::size_t c = 0; c < cells.classes; ++c) {
        double sum = 0;
        for (std::size_t i = 0; i < 4; ++i)
          sum += weights[i] * at[i][std::ptrdiff_t(c) * cells.next_class];
        *out++ = static_cast<float>(sum);
      }
    }
  Cells made = cells;
  made.values = std::make_shared<const std::vector<float>>(std::move(values));
  made.grid = {plan.height, plan.width, 0, std::ptrdiff_t(plan.width * cells.classes),
               std::ptrdiff_t(cells.classes)};
  made.next_class = 1;
  return made;
}

}  // namespace

Result<Cells> input_cells(const Recipe& recipe, std::span<const TensorView> outputs, Size model) {
  EP_TRY(auto cells, cells_of(recipe, outputs));
  if (!recipe.resizing || !recipe.resizing->is_through_input) return cells;
  return enlarged(recipe, cells, model);
}

}  // namespace edgeprobe::postprocess::segmentation
