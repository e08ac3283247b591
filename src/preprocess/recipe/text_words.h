// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "preprocess/recipe/recipe_words.h"
#include "text/front_end.h"

/// The words of recipes of text, for the parser and the printer alike.
namespace edgeprobe::preprocess {

/// Steps in front of tokenize that take no argument.
inline constexpr std::array kTextChangeWords{
    Word<text::Change>{"lower", text::Change::kLower},
    Word<text::Change>{"upper", text::Change::kUpper},
    Word<text::Change>{"strip_accents", text::Change::kStripAccents},
    Word<text::Change>{"nfc", text::Change::kNfc},
    Word<text::Change>{"nfd", text::Change::kNfd},
    Word<text::Change>{"nfkc", text::Change::kNfkc},
    Word<text::Change>{"collapse_spaces", text::Change::kCollapse},
    Word<text::Change>{"strip", text::Change::kStrip},
    Word<text::Change>{"one_line", text::Change::kOneLine},
    Word<text::Change>{"drop_punctuation", text::Change::kNoPunctuation},
    Word<text::Change>{"ascii", text::Change::kAscii},
    Word<text::Change>{"latin1", text::Change::kLatin1},
    Word<text::Change>{"json_escape", text::Change::kEscaped},
};
inline constexpr std::array kTextAroundWords{
    Word<text::Change>{"prefix", text::Change::kPrefix},
    Word<text::Change>{"suffix", text::Change::kSuffix},
};
inline constexpr std::array kTextSideWords{
    Word<text::Side>{"right", text::Side::kRight},
    Word<text::Side>{"left", text::Side::kLeft},
};
inline constexpr std::array kPairWords{
    Word<text::Pair>{"both", text::Pair::kBoth},
    Word<text::Pair>{"swapped", text::Pair::kSwapped},
    Word<text::Pair>{"first", text::Pair::kFirst},
    Word<text::Pair>{"second", text::Pair::kSecond},
};
inline constexpr std::array kMaskWords{
    Word<text::Mask>{"tokens", text::Mask::kTokens},
    Word<text::Mask>{"ones", text::Mask::kOnes},
    Word<text::Mask>{"zeros", text::Mask::kZeros},
    Word<text::Mask>{"inverted", text::Mask::kInverted},
    Word<text::Mask>{"other_side", text::Mask::kOtherSide},
};
inline constexpr std::array kTokenMemoryWords{
    Word<text::Memory>{"as_declared", text::Memory::kAsDeclared},
    Word<text::Memory>{"int64_as_int32", text::Memory::kPairs},
};
inline constexpr std::array kSpecialCutWords{
    Word<bool>{"kept", false},
    Word<bool>{"cut", true},
};

}  // namespace edgeprobe::preprocess
