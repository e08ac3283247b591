// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "preprocess/recipe/recipe_words.h"
#include "sensor/front_end.h"

/// The words of recipes of readings.
namespace edgeprobe::preprocess {

inline constexpr std::array kRateWords{
    Word<sensor::Kernel>{"linear", sensor::Kernel::kLinear},
    Word<sensor::Kernel>{"nearest", sensor::Kernel::kNearest},
    Word<sensor::Kernel>{"mean", sensor::Kernel::kMean},
    Word<sensor::Kernel>{"poly", sensor::Kernel::kPoly},
    Word<sensor::Kernel>{"sinc", sensor::Kernel::kSinc},
    Word<sensor::Kernel>{"soxr", sensor::Kernel::kSoxr},
};
inline constexpr std::array kWindowFillWords{
    Word<sensor::Fill>{"refuse", sensor::Fill::kRefuse},
    Word<sensor::Fill>{"zero", sensor::Fill::kZero},
    Word<sensor::Fill>{"edge", sensor::Fill::kEdge},
    Word<sensor::Fill>{"zero_last", sensor::Fill::kZeroLast},
};
inline constexpr std::array kOwnWords{
    Word<sensor::Own>{"none", sensor::Own::kNone},
    Word<sensor::Own>{"mean", sensor::Own::kMean},
    Word<sensor::Own>{"mean_variance", sensor::Own::kMeanAndVariance},
    Word<sensor::Own>{"range", sensor::Own::kRange},
};
inline constexpr std::array kReadingsCodesWords{
    Word<sensor::Codes>{"half_away", sensor::Codes::kNearest},
    Word<sensor::Codes>{"half_even", sensor::Codes::kHalfEven},
    Word<sensor::Codes>{"floor", sensor::Codes::kFloor},
    Word<sensor::Codes>{"trunc", sensor::Codes::kTruncated},
    Word<sensor::Codes>{"wrap", sensor::Codes::kWrap},
};
inline constexpr std::array kAtWords{Word<bool>{"start", false}, Word<bool>{"end", true}};
inline constexpr std::array kOverWords{Word<bool>{"axis", false}, Word<bool>{"all", true}};
inline constexpr std::array kStepOrderWords{Word<bool>{"oldest_first", false},
                                            Word<bool>{"newest_first", true}};
inline constexpr std::array kReadingsLayoutWords{Word<bool>{"steps_first", false},
                                                 Word<bool>{"axes_first", true}};

}  // namespace edgeprobe::preprocess
