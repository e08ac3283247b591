// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dataset/raw_input.h"
#include "why/answer.h"
#include "why/sides.h"

namespace edgeprobe::why {

/// From the picture that both tensors were made of: which recipe makes the reference's, and what
/// the app does differently. Undecided answers say how far each side came.
Answer by_picture(const Sides& sides, const dataset::Picture& picture);

/// Of tensors of other sizes: whether the sizes are all that the recipes differ in. Nothing where
/// the reference's recipe is not known, or the app's.
std::optional<Answer> by_other_size(const Sides& sides, const dataset::Picture& picture);

/// The same without a picture, where the values of one side are 8-bit pixels: the other side is
/// searched from these. Nothing where no difference is found so.
std::optional<Answer> by_pixels(const Sides& sides);

}  // namespace edgeprobe::why
