// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/detectors/detector.h"
#include "postprocess/detection/recipe.h"

namespace edgeprobe::diagnose {

/// Boxes that the app recorded, against those that the reference's recipe makes of the target's own
/// outputs; as find_answers, which calls it.
Result<Findings> find_boxes(const Examination& examined,
                            const postprocess::detection::Recipe& recipe, const Control& control);

}  // namespace edgeprobe::diagnose
