// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "diagnose/case/case.h"
#include "diagnose/verdict/verdict.h"
#include "trace/answer.h"

namespace edgeprobe::diagnose {

/// The reference recipe's answer for the target's outputs in a frame: classes, boxes or points.
/// Nothing if the recipe has no such part, or some of its inputs are unknown. Fails if the trace
/// cannot be read.
Result<std::optional<trace::Answer>> expected_answer(const Case& known, std::uint32_t frame);

/// The app's recorded mask of a frame, translucent over its raw picture: each class but the first
/// in a separate colour, or in that of the reference's colour file. Nothing if the app recorded no
/// mask.
std::optional<Picture> answered_mask(const Case& known, std::uint32_t frame, const Picture& raw);

}  // namespace edgeprobe::diagnose
