// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "postprocess/recipe.h"
#include "preprocess/recipe/recipe_words.h"

/// The words of the text, for the parser and the printer alike.
namespace edgeprobe::postprocess {

using preprocess::Word;
using preprocess::word_of;

inline constexpr std::array kActivationWords{
    Word<Activation>{"softmax", Activation::kSoftmax},
    Word<Activation>{"sigmoid", Activation::kSigmoid},
    Word<Activation>{"log_softmax", Activation::kLogSoftmax},
    Word<Activation>{"share", Activation::kShare},
    Word<Activation>{"of_largest", Activation::kOfLargest},
    Word<Activation>{"stretch", Activation::kStretched},
    Word<Activation>{"exp", Activation::kExp},
};
inline constexpr std::array kAxisWords{
    Word<Activation>{"classes", Activation::kSoftmax},
    Word<Activation>{"batch", Activation::kBatchSoftmax},
};
inline constexpr std::array kOrderWords{
    Word<Order>{"descending", Order::kDescending},
    Word<Order>{"ascending", Order::kAscending},
    Word<Order>{"none", Order::kUnsorted},
};
inline constexpr std::array kTableWords{
    Word<TableOrder>{"file", TableOrder::kFile},
    Word<TableOrder>{"alphabetical", TableOrder::kAlphabetical},
    Word<TableOrder>{"no_case", TableOrder::kNoCase},
    Word<TableOrder>{"as_text", TableOrder::kAsText},
    Word<TableOrder>{"reversed", TableOrder::kReversed},
    Word<TableOrder>{"other", TableOrder::kOther},
    Word<TableOrder>{"numbers", TableOrder::kNumbers},
};
inline constexpr std::array kZeroPointWords{Word<bool>{"used", false}, Word<bool>{"ignored", true}};
inline constexpr std::array kFlippedWords{Word<bool>{"kept", false}, Word<bool>{"flipped", true}};

}  // namespace edgeprobe::postprocess
