// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "postprocess/common_steps.h"
#include "postprocess/embedding/recipe.h"
#include "postprocess/embedding/words.h"

namespace edgeprobe::postprocess::embedding {
namespace {

using preprocess::Arguments;
using preprocess::StepText;

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

/// A step of the text; steps stand in the order of `place`. cut stands on either side of normalize.
struct Known {
  std::string_view name;
  int place;
  Status (*read)(Arguments&, Recipe&);
};
constexpr int kReadPlace = 1, kNormPlace = 3;
constexpr std::array<Known, 7> kSteps{{
    {"output", 0, postprocess::read_output<Recipe>},
    {"dequantize", kReadPlace, postprocess::read_dequantize<Recipe>},
    {"codes", kReadPlace, postprocess::read_codes<Recipe>},
    {"pool", 2, read_pool},
    {"cut", kNormPlace, read_cut},
    {"normalize", kNormPlace, read_normalize},
    {"quantize", 4, read_quantize},
}};

Result<Recipe> read_steps(std::string_view text) {
  auto scanned = preprocess::scan_recipe(text);
  if (!scanned) return std::move(scanned).error();
  Recipe recipe;
  std::vector<const Known*> seen;
  for (const StepText& step : scanned->steps) {
    Arguments arguments(text, step);
    const auto known = std::find_if(kSteps.begin(), kSteps.end(),
                                    [&](const Known& one) { return one.name == step.name; });
    if (known == kSteps.end()) return unknown_step(arguments, step, kSteps);
    for (const Known* other : seen) {
      if (other->name == known->name)
        return arguments.error(step.at, std::string(step.name) + " is there twice");
      if (other->place == kReadPlace && known->place == kReadPlace)
        return arguments.error(step.at, "dequantize and codes exclude each other");
    }
    if (!seen.empty() && seen.back()->place > known->place)
      return arguments.error(step.at, std::string(step.name) + " stands in front of " +
                                          std::string(seen.back()->name));
    if (auto done = known->read(arguments, recipe); !done) return std::move(done).error();
    if (auto taken = arguments.finish(); !taken) return std::move(taken).error();
    if (known->name == "cut" && !seen.empty() && seen.back()->name == "normalize")
      recipe.is_cut_after = true;
    seen.push_back(&*known);
  }
  return recipe;
}

}  // namespace

bool is_embedding(std::string_view text) { return has_step(text, {"pool", "normalize"}); }

Result<Recipe> parse(std::string_view text) {
  auto recipe = read_steps(text);
  if (!recipe) return std::move(recipe).error().during("behind \"||\"");
  return recipe;
}

}  // namespace edgeprobe::postprocess::embedding
