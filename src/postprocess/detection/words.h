// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "postprocess/detection/coordinates.h"
#include "recipe/words.h"

/// Words of boxes that points have as well.
namespace edgeprobe::postprocess::detection {

inline constexpr std::array kScaleWords{
    recipe::Word{"pixels", Scale::kStretched},
    recipe::Word{"letterbox", Scale::kLetterbox},
    recipe::Word{"letterbox_centered", Scale::kCentredLetterbox},
    recipe::Word{"letterbox_whole", Scale::kWholeLetterbox},
    recipe::Word{"model_pixels", Scale::kModelPixels},
    recipe::Word{"shares", Scale::kShares},
};
inline constexpr std::array kCutWords{recipe::Word{"cut", true}, recipe::Word{"whole", false}};

}  // namespace edgeprobe::postprocess::detection
