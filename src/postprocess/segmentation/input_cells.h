// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "postprocess/segmentation/cells.h"

namespace edgeprobe::postprocess::segmentation {

/// The output's cells, with `through=input` resized to the model's input, whose size in pixels is
/// `model`. As cells_of(), and kLimit for what is too large then.
Result<Cells> input_cells(const Recipe& recipe, std::span<const TensorView> outputs, Size model);

}  // namespace edgeprobe::postprocess::segmentation
