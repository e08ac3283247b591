// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "postprocess/segmentation/cells.h"

namespace edgeprobe::postprocess::segmentation {

/// The output's cells, with `through=input` resized to the model's input, whose size in pixels is
/// `model`. Errors of cells_of(), and kLimit if that becomes too large.
Result<Cells> input_cells(const Recipe& recipe, std::span<const TensorView> outputs, Size model);

}  // namespace edgeprobe::postprocess::segmentation
