// SPDX-License-Identifier: Apache-2.0
#include "search/words.h"

#include <gtest/gtest.h>

namespace edgeprobe::search {
namespace {

const char* const kRecipe = "codes(no_zero_point) | pool(mean, mask=1) | normalize(l2)";

TEST(DifferenceWords, NameTheStepOfTheReference) {
  const std::string_view steps[] = {"dequantize", "codes", "pool"};
  EXPECT_EQ(difference_words("takes the first row", std::span(steps).last(1), kRecipe),
            "the app takes the first row; the reference's recipe has pool(mean, mask=1)");
  EXPECT_EQ(difference_words("dequantises the output", steps, kRecipe),
            "the app dequantises the output; the reference's recipe has codes(no_zero_point)");
}

TEST(DifferenceWords, SayWhereTheReferenceHasNoSuchStep) {
  const std::string_view steps[] = {"norm"};
  EXPECT_EQ(difference_words("cuts the vector", steps, kRecipe),
            "the app cuts the vector; the reference does not");
}

}  // namespace
}  // namespace edgeprobe::search
