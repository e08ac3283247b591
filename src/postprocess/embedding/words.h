// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "postprocess/embedding/recipe.h"
#include "preprocess/recipe/recipe_words.h"

/// The words of the text, for the parser and the printer alike.
namespace edgeprobe::postprocess::embedding {

using preprocess::Word;
using preprocess::word_of;

inline constexpr std::array kPoolWords{
    Word<Pool>{"mean", Pool::kMean},   Word<Pool>{"sum", Pool::kSum},
    Word<Pool>{"max", Pool::kLargest}, Word<Pool>{"first", Pool::kFirst},
    Word<Pool>{"last", Pool::kLast},   Word<Pool>{"none", Pool::kNone},
};
inline constexpr std::array kRowWords{
    Word<Rows>{"real", Rows::kReal},
    Word<Rows>{"all", Rows::kAll},
    Word<Rows>{"inner", Rows::kInner},
};
inline constexpr std::array kNormWords{
    Word<Norm>{"l2", Norm::kL2},       Word<Norm>{"l1", Norm::kL1},
    Word<Norm>{"max", Norm::kLargest}, Word<Norm>{"min_max", Norm::kMinMax},
    Word<Norm>{"none", Norm::kNone},
};
inline constexpr std::array kBitsWords{
    Word<Bits>{"values", Bits::kValues},
    Word<Bits>{"codes", Bits::kCodes},
};

}  // namespace edgeprobe::postprocess::embedding
