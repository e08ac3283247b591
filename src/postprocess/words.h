// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "postprocess/recipe.h"
#include "recipe/words.h"

/// The words of recipe texts, shared by parser and printer.
namespace edgeprobe::postprocess {

using recipe::Word;
using recipe::word_of;

inline constexpr std::array kActivationWords{
    Word{"softmax", Activation::kSoftmax},
    Word{"sigmoid", Activation::kSigmoid},
    Word{"log_softmax", Activation::kLogSoftmax},
    Word{"share", Activation::kShare},
    Word{"of_largest", Activation::kOfLargest},
    Word{"stretch", Activation::kStretched},
    Word{"exp", Activation::kExp},
};
inline constexpr std::array kAxisWords{
    Word{"classes", Activation::kSoftmax},
    Word{"batch", Activation::kBatchSoftmax},
};
inline constexpr std::array kOrderWords{
    Word{"descending", Order::kDescending},
    Word{"ascending", Order::kAscending}.planted("the smallest scores first"),
    Word{"none", Order::kUnsorted},
};
inline constexpr std::array kTableWords{
    Word{"file", TableOrder::kFile},
    Word{"alphabetical", TableOrder::kAlphabetical}.planted("labels sorted by the alphabet"),
    Word{"no_case", TableOrder::kNoCase},
    Word{"as_text", TableOrder::kAsText},
    Word{"reversed", TableOrder::kReversed},
    Word{"other", TableOrder::kOther},
    Word{"numbers", TableOrder::kNumbers},
};
inline constexpr std::array kZeroPointWords{Word{"used", false}, Word{"ignored", true}};

}  // namespace edgeprobe::postprocess
