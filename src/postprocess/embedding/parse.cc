// SPDX-License-Identifier: Apache-2.0
#include "postprocess/common_steps.h"
#include "postprocess/embedding/recipe.h"
#include "postprocess/embedding/words.h"

namespace edgeprobe::postprocess::embedding {
namespace {

using preprocess::Arguments;

constexpr int kMostLength = 1'000'000;

Status read_pool(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("mean, sum, max, first, last or none");
  if (!argument) return std::move(argument).error();
  auto pool = arguments.word(*argument, kPoolWords);
  if (!pool) return std::move(pool).error();
  recipe.pool = *pool;
  if (const auto mask = arguments.take("mask")) {
    auto input = arguments.whole(*mask, 0, kMostTensors);
    if (!input) return std::move(input).error();
    recipe.mask = static_cast<std::size_t>(*input);
  }
  return arguments.assign("rows", kRowWords, recipe.rows);
}

Status read_cut(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("how many leading numbers stay");
  if (!argument) return std::move(argument).error();
  auto length = arguments.whole(*argument, 1, kMostLength);
  if (!length) return std::move(length).error();
  recipe.length = static_cast<std::size_t>(*length);
  return {};
}

Status read_normalize(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("l2, l1, max, min_max or none");
  if (!argument) return std::move(argument).error();
  auto norm = arguments.word(*argument, kNormWords);
  if (!norm) return std::move(norm).error();
  recipe.norm = *norm;
  return {};
}

Status read_quantize(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("127: the code of 1");
  if (!argument) return std::move(argument).error();
  if (auto most = arguments.whole(*argument, 127, 127); !most) return std::move(most).error();
  recipe.bits = Bits::kValues;
  return arguments.assign("as", kBitsWords, recipe.bits);
}

constexpr std::array<KnownStep<Recipe>, 7> kVectorSteps{{
    {"output", 0, Beside::kNothing, postprocess::read_output<Recipe>},
    {"dequantize", 1, Beside::kNothing, postprocess::read_dequantize<Recipe>},
    {"codes", 1, Beside::kNothing, postprocess::read_codes<Recipe>},
    {"pool", 2, Beside::kNothing, read_pool},
    {"cut", 3, Beside::kOthers, read_cut},
    {"normalize", 3, Beside::kOthers, read_normalize},
    {"quantize", 4, Beside::kNothing, read_quantize},
}};

Result<Recipe> read(std::string_view text) {
  Recipe recipe;
  auto steps = read_steps(text, kVectorSteps, recipe);
  if (!steps) return std::move(steps).error();
  for (std::size_t i = 1; i < steps->size(); ++i)
    recipe.is_cut_after =
        recipe.is_cut_after || ((*steps)[i]->name == "cut" && (*steps)[i - 1]->name == "normalize");
  return recipe;
}

}  // namespace

bool is_embedding(std::string_view text) { return has_step(text, {"pool", "normalize"}); }

Result<Recipe> parse(std::string_view text) {
  auto recipe = read(text);
  if (!recipe) return std::move(recipe).error().during("behind \"||\"");
  return recipe;
}

}  // namespace edgeprobe::postprocess::embedding
