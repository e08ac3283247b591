// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "why/answer.h"
#include "why/sides.h"

namespace edgeprobe::why {

/// Usual changes of scores: softmax, the logistic function, sorting, reordered classes, off by one
/// label. One row, or several with the same change.
std::optional<Answer> by_scores(const Sides& sides);

/// Class numbers where the other side has scores; one more class on one side.
std::optional<Answer> by_classes(const Sides& sides);

/// Boxes in another form: corners, centres, sizes, x and y swapped, pixels or fractions.
std::optional<Answer> by_boxes(const Sides& sides);

}  // namespace edgeprobe::why
