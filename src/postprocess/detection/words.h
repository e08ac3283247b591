// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "postprocess/detection/recipe.h"
#include "postprocess/words.h"

/// The words of the text, for the parser and the printer alike.
namespace edgeprobe::postprocess::detection {

inline constexpr std::array kCoderWords{
    Word<Coder>{"none", Coder::kBoxes},
    Word<Coder>{"ssd", Coder::kSsd},
    Word<Coder>{"linear", Coder::kLinear},
    Word<Coder>{"offset", Coder::kOffset},
};
inline constexpr std::array kCodeOrderWords{
    Word<CodeOrder>{"xyxy", CodeOrder::kXyxy},     Word<CodeOrder>{"yxyx", CodeOrder::kYxyx},
    Word<CodeOrder>{"xxyy", CodeOrder::kXxyy},     Word<CodeOrder>{"cxcywh", CodeOrder::kCxcywh},
    Word<CodeOrder>{"cycxhw", CodeOrder::kCycxhw}, Word<CodeOrder>{"whcxcy", CodeOrder::kWhcxcy},
    Word<CodeOrder>{"cxcyhw", CodeOrder::kCxcyhw},
};
inline constexpr std::array kRivalWords{
    Word<Rivals>{"per_class", Rivals::kSameClass},
    Word<Rivals>{"all_classes", Rivals::kAllClasses},
};
inline constexpr std::array kOverlapWords{
    Word<OverlapOf>{"union", OverlapOf::kUnion},
    Word<OverlapOf>{"smaller_area", OverlapOf::kSmallerArea},
    Word<OverlapOf>{"union_of_pixels", OverlapOf::kUnionOfPixels},
};
inline constexpr std::array kReportWords{
    Word<Report>{"xyxy", Report::kXyxy}, Word<Report>{"yxyx", Report::kYxyx},
    Word<Report>{"xywh", Report::kXywh}, Word<Report>{"cxcywh", Report::kCxcywh},
    Word<Report>{"yxhw", Report::kYxhw},
};
inline constexpr std::array kScaleWords{
    Word<Scale>{"pixels", Scale::kStretched},
    Word<Scale>{"letterbox", Scale::kLetterbox},
    Word<Scale>{"letterbox_centered", Scale::kCentredLetterbox},
    Word<Scale>{"letterbox_whole", Scale::kWholeLetterbox},
    Word<Scale>{"model_pixels", Scale::kModelPixels},
    Word<Scale>{"shares", Scale::kShares},
};
inline constexpr std::array kCutWords{Word<bool>{"cut", true}, Word<bool>{"whole", false}};

}  // namespace edgeprobe::postprocess::detection
