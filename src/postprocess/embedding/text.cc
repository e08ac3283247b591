// SPDX-License-Identifier: Apache-2.0
#include "postprocess/embedding/recipe.h"
#include "postprocess/embedding/words.h"

namespace edgeprobe::postprocess::embedding {

std::string to_text(const Recipe& recipe) {
  std::string out = "output(" + std::to_string(recipe.output) + ")";
  const auto add = [&](const std::string& step) { out += " | " + step; };
  add(recipe.reading == Reading::kCodes ? "codes" : "dequantize");
  std::string pool = "pool(" + std::string(word_of(kPoolWords, recipe.pool));
  if (recipe.mask) pool += ", mask=" + std::to_string(*recipe.mask);
  if (recipe.rows != Rows::kReal) pool += ", rows=" + std::string(word_of(kRowWords, recipe.rows));
  add(pool + ")");
  const std::string cut = recipe.length ? "cut(" + std::to_string(*recipe.length) + ")" : "";
  if (recipe.length && !recipe.is_cut_after) add(cut);
  add("normalize(" + std::string(word_of(kNormWords, recipe.norm)) + ")");
  if (recipe.length && recipe.is_cut_after) add(cut);
  if (recipe.bits == Bits::kValues) add("quantize(127)");
  if (recipe.bits == Bits::kCodes) add("quantize(127, as=codes)");
  return out;
}

}  // namespace edgeprobe::postprocess::embedding
