// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/tensor.h"
#include "postprocess/segmentation/cells.h"
#include "postprocess/segmentation/plan.h"
#include "postprocess/segmentation/recipe.h"
#include "trace/answer.h"

namespace edgeprobe::postprocess::segmentation {

/// Class at one position of the mask, before classes are renamed or coloured.
std::int32_t class_at(const Recipe& recipe, const DecidedCells& cells, const Tap& row,
                      const Tap& column);
/// The first score there, for a recipe with a threshold.
double score_at(const Recipe& recipe, const Cells& cells, const Tap& row, const Tap& column);
/// The number that the mask stores for a class.
std::int32_t number_of(const Recipe& recipe, std::int32_t of_class);

/// The answer to one frame. kUsage for outputs that do not fit the recipe.
Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> outputs, Size picture,
                          Size model);

}  // namespace edgeprobe::postprocess::segmentation
