// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/tensors/axes.h"
#include "why/answer.h"
#include "why/sides.h"

/// Usual changes of what a model answers: one row, or several with the same change.
namespace edgeprobe::why {

/// Fewer scores reveal neither an order nor a function.
inline constexpr std::size_t kFewestScores = 4;

/// Values along the last axis longer than 1.
std::size_t row_length(const Shape& shape);

/// The reference's values in other places of each row: sorted, reversed, turned round, reordered.
std::optional<Answer> by_order(const Sides& sides);

/// Rows whose padding is at the other end, each with its own length.
std::optional<Answer> by_padding(const Sides& sides);

/// Softmax, the logistic function and their logarithms.
std::optional<Answer> by_scores(const Sides& sides);

/// Whole numbers with a constant offset.
std::optional<Answer> by_shifted_labels(const Sides& sides);

/// Class numbers where the other side has scores; one more class on one side.
std::optional<Answer> by_classes(const Sides& sides);

/// Boxes in another form: corners, centres, sizes, x and y swapped, pixels or fractions.
std::optional<Answer> by_boxes(const Sides& sides);

}  // namespace edgeprobe::why
