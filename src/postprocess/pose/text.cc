// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>

#include "postprocess/detection/words.h"
#include "postprocess/pose/recipe.h"

namespace edgeprobe::postprocess::pose {
namespace {

/// The shortest text that reads back as the same double.
std::string score_text(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace

std::string to_text(const Recipe& recipe) {
  std::string out;
  const auto add = [&](const std::string& step) { out += (out.empty() ? "" : " | ") + step; };
  if (recipe.output != 0) add("output(" + std::to_string(recipe.output) + ")");
  add(recipe.reading == Reading::kCodes ? "codes" : "dequantize");
  add("keypoints(" + recipe.numbers + (recipe.are_model_pixels ? ", model_pixels)" : ")"));
  for (std::size_t i = 0; i < recipe.activations.size(); ++i) add("sigmoid");
  if (recipe.threshold) add("threshold(" + score_text(*recipe.threshold) + ")");
  if (recipe.labels) add("labels(" + recipe.labels->table.file + ")");
  add("points(" + std::string(word_of(detection::kScaleWords, recipe.placement.scale)) +
      (recipe.placement.is_cut ? ", cut)" : ")"));
  return out;
}

}  // namespace edgeprobe::postprocess::pose
