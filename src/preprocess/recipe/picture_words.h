// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "preprocess/recipe/recipe.h"
#include "recipe/words.h"

/// Words for picture steps that are needed beyond the parser and the printer.
namespace edgeprobe::preprocess {

inline constexpr std::array kOrderWords{
    recipe::Word{"rgb", ChannelOrder::kRgb}, recipe::Word{"bgr", ChannelOrder::kBgr},
    recipe::Word{"rbg", ChannelOrder::kRbg}, recipe::Word{"grb", ChannelOrder::kGrb},
    recipe::Word{"gbr", ChannelOrder::kGbr}, recipe::Word{"brg", ChannelOrder::kBrg},
};
inline constexpr std::array kAlignWords{
    recipe::Word{"half_pixel", Align::kHalfPixel}.planted("resized from centres of pixels"),
    recipe::Word{"corners", Align::kCorners}.planted("resized with aligned corners"),
    recipe::Word{"legacy", Align::kLegacy}.planted("resized from corners of pixels"),
};
/// Roundings for all steps except resize.
inline constexpr std::array kWholeWords{recipe::Word{"float", Rounding::kFloat},
                                        recipe::Word{"uint8", Rounding::kUint8}};
inline constexpr std::array kRoundingWords{
    recipe::Word{"float", Rounding::kFloat},       recipe::Word{"uint8", Rounding::kUint8},
    recipe::Word{"opencv", Rounding::kOpencv},     recipe::Word{"pillow", Rounding::kPillow},
    recipe::Word{"pillow12", Rounding::kPillow12},
};

}  // namespace edgeprobe::preprocess
