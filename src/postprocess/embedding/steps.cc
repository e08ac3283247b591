// SPDX-License-Identifier: Apache-2.0
#include "postprocess/common_steps.h"
#include "postprocess/embedding/recipe.h"

namespace edgeprobe::postprocess::embedding {
namespace {

using recipe::as;
using recipe::member;
using recipe::step;

bool is_pooled(const void* recipe) { return as<Recipe>(recipe).pool != Pool::kNone; }
constexpr std::array kPools{
    Word{"mean", Pool::kMean, "takes the mean of the rows", 0}.planted("rows pooled by the mean",
                                                                       is_pooled),
    Word{"sum", Pool::kSum, "takes the sum of the rows", 4}.planted("rows summed up", is_pooled),
    Word{"max", Pool::kLargest, "takes the largest of each column", 3}.planted(
        "rows pooled by the largest", is_pooled),
    Word{"first", Pool::kFirst, "takes the first row", 1}.planted("the first row alone", is_pooled),
    Word{"last", Pool::kLast, "takes the last row", 2},
    Word{"none", Pool::kNone, "hands on all rows, without pooling them", 5},
};
constexpr std::array kRows{Word{"real", Rows::kReal}, Word{"all", Rows::kAll},
                           Word{"inner", Rows::kInner}};
constexpr std::array kMaskSlips{
    recipe::Slip{recipe::Slip::To::kNothing, "padding pooled as well", 0, is_pooled}};
constexpr std::array kPool{
    recipe::word("pool", member<&Recipe::pool>, kPools)
        .needed("mean, sum, max, first, last or none")
        .always(),
    recipe::whole("mask", member<&Recipe::mask>, 0, kMostTensors).planted(kMaskSlips),
    recipe::word("rows", member<&Recipe::rows>, kRows),
};

constexpr std::array kLengthSlips{recipe::Slip{recipe::Slip::To::kNothing, "not cut"}};
constexpr std::array kCut{recipe::whole("length", member<&Recipe::length>, 1, 1'000'000)
                              .needed("how many leading numbers stay")
                              .planted(kLengthSlips)};
bool is_cut_before(const void* recipe) {
  return as<Recipe>(recipe).length && !as<Recipe>(recipe).is_cut_after;
}
bool is_cut_after(const void* recipe) {
  return as<Recipe>(recipe).length && as<Recipe>(recipe).is_cut_after;
}

bool is_not_normalised(const void* recipe) { return as<Recipe>(recipe).norm == Norm::kNone; }
constexpr std::array kNorms{
    Word{"l2", Norm::kL2, "divides the vector by its L2 norm", 1}.planted("normalised (L2)",
                                                                          is_not_normalised),
    Word{"l1", Norm::kL1, "divides the vector by its L1 norm", 2},
    Word{"max", Norm::kLargest, "divides the vector by its largest number", 3},
    Word{"min_max", Norm::kMinMax, "stretches the vector to 0..1", 4},
    Word{"none", Norm::kNone, "does not normalise the vector", 0}.planted("not normalised"),
};
constexpr std::array kNormalize{recipe::word("norm", member<&Recipe::norm>, kNorms)
                                    .needed("l2, l1, max, min_max or none")
                                    .always()};

Status read_code_of_one(recipe::Arguments& arguments, const recipe::Argument& given, void* recipe) {
  EP_CHECK(arguments.whole(given, 127, 127));
  as<Recipe>(recipe).bits = Bits::kValues;
  return {};
}
constexpr std::array kBitsWords{
    Word{"values", Bits::kValues, "rounds the vector to 8 bits", 0},
    Word{"codes", Bits::kCodes, "hands on codes of 8 bits, 127 times the vector", 1},
    // By omitting the step.
    Word{"", Bits::kNone, "keeps the vector in floating point", 2}.planted("not rounded to 8 bits"),
};
constexpr std::array kQuantize{
    recipe::own("one", {}, read_code_of_one, [](const void*) { return std::string("127"); })
        .needed("127: the code of 1"),
    recipe::word("as", member<&Recipe::bits>, kBitsWords).shown_if([](const void* recipe) {
      return as<Recipe>(recipe).bits == Bits::kCodes;
    }),
};

constexpr std::array kVectorSteps{
    step("output", 0, kOutputFields<Recipe>).there_if(recipe::always),
    kDequantizeStep<Recipe>,
    kCodesStep<Recipe>,
    step("pool", 2, kPool).of_this_kind().there_if(recipe::always),
    step("cut", 3, kCut).beside_others().there_if(is_cut_before),
    step("normalize", 3, kNormalize).of_this_kind().beside_others().there_if(recipe::always),
    step("cut", 3, kCut).only_shown().there_if(is_cut_after),
    step("quantize", 4, kQuantize).there_if([](const void* recipe) {
      return as<Recipe>(recipe).bits != Bits::kNone;
    }),
};

Result<Recipe> read_recipe(std::string_view text) {
  Recipe recipe;
  EP_TRY(auto steps_read, recipe::read_steps(text, kVectorSteps, &recipe));
  for (std::size_t i = 1; i < steps_read.size(); ++i)
    recipe.is_cut_after = recipe.is_cut_after ||
                          (steps_read[i]->name == "cut" && steps_read[i - 1]->name == "normalize");
  return recipe;
}

}  // namespace

recipe::Steps steps() { return kVectorSteps; }

bool is_embedding(std::string_view text) { return recipe::is_of_kind(text, kVectorSteps); }

Result<Recipe> parse(std::string_view text) { return read_behind_bars(text, read_recipe); }

std::string to_text(const Recipe& recipe) { return recipe::steps_text(kVectorSteps, &recipe); }

}  // namespace edgeprobe::postprocess::embedding
