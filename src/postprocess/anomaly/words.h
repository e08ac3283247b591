// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "postprocess/anomaly/recipe.h"
#include "preprocess/recipe/recipe_words.h"

/// The words of the text, for the parser and the printer alike.
namespace edgeprobe::postprocess::anomaly {

using preprocess::Word;
using preprocess::word_of;

inline constexpr std::array kMeasureWords{
    Word<Measure>{"mse", Measure::kMse},
    Word<Measure>{"mae", Measure::kMae},
    Word<Measure>{"rmse", Measure::kRmse},
    Word<Measure>{"sse", Measure::kSse},
    Word<Measure>{"sae", Measure::kSae},
    Word<Measure>{"l2", Measure::kL2},
    Word<Measure>{"max_square", Measure::kLargestSquare},
    Word<Measure>{"max_absolute", Measure::kLargestAbsolute},
    Word<Measure>{"output", Measure::kOutput},
};
inline constexpr std::array kWindowWords{
    Word<Windows>{"mean", Windows::kMean},     Word<Windows>{"max", Windows::kLargest},
    Word<Windows>{"median", Windows::kMedian}, Word<Windows>{"first", Windows::kFirst},
    Word<Windows>{"last", Windows::kLast},     Word<Windows>{"sum", Windows::kSum},
};
inline constexpr std::array kAlarmWords{
    Word<bool>{"above", false},
    Word<bool>{"below", true},
};

}  // namespace edgeprobe::postprocess::anomaly
