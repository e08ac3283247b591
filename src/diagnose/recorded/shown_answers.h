// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "diagnose/case/case.h"
#include "diagnose/verdict/verdict.h"
#include "trace/answer.h"

namespace edgeprobe::diagnose {

/// What the reference's recipe makes of the target's outputs in a frame: classes, boxes or points.
/// Nothing where it has no such part, or not all is known that they are made of. Fails when the
/// trace does.
Result<std::optional<trace::Answer>> expected_answer(const Case& known, std::uint32_t frame);

/// The mask that the app recorded in a frame, translucent over the raw picture of it: each class
/// but the first in a colour of its own, or in that of the reference's colour file. Nothing where
/// the app recorded none.
std::optional<Picture> answered_mask(const Case& known, std::uint32_t frame, const Picture& raw);

}  // namespace edgeprobe::diagnose
