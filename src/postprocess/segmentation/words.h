// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "postprocess/segmentation/recipe.h"
#include "postprocess/words.h"

/// The words of the text, for the parser and the printer alike.
namespace edgeprobe::postprocess::segmentation {

inline constexpr std::array kKernelWords{Word<bool>{"nearest", false},
                                         Word<bool>{"bilinear", true}};
inline constexpr std::array kAxisWords{Word<bool>{"last", false}, Word<bool>{"first", true}};
inline constexpr std::array kFrameWords{
    Word<detection::Scale>{"stretched", detection::Scale::kStretched},
    Word<detection::Scale>{"letterbox", detection::Scale::kLetterbox},
    Word<detection::Scale>{"letterbox_centered", detection::Scale::kCentredLetterbox},
    Word<detection::Scale>{"letterbox_whole", detection::Scale::kWholeLetterbox},
};

}  // namespace edgeprobe::postprocess::segmentation
