// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "why/answer.h"
#include "why/sides.h"

namespace edgeprobe::why {

/// Usual changes of scores: softmax, the logistic function, sorted, classes in another order, one
/// label off. One row, or several alike.
std::optional<Answer> by_scores(const Sides& sides);

/// Classes where the other side has their scores; one class more on one side.
std::optional<Answer> by_classes(const Sides& sides);

/// Boxes in another form: corners, centres, sizes, x and y exchanged, pixels or fractions.
std::optional<Answer> by_boxes(const Sides& sides);

}  // namespace edgeprobe::why
