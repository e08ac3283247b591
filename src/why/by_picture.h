// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dataset/raw_input.h"
#include "why/answer.h"
#include "why/sides.h"

namespace edgeprobe::why {

/// From the picture of both tensors, finds the recipe for the reference's, and what the app does
/// differently. Undecided answers state how close each side came.
Answer by_picture(const Sides& sides, const dataset::Picture& picture);

/// For tensors of different sizes: whether the recipes differ only in size. Empty if the
/// reference's recipe or the app's is unknown.
std::optional<Answer> by_other_size(const Sides& sides, const dataset::Picture& picture);

/// Same without a picture, if the values of one side are 8-bit pixels: searches the other side from
/// these. Empty if no difference is found.
std::optional<Answer> by_pixels(const Sides& sides);

}  // namespace edgeprobe::why
