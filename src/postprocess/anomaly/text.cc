// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "postprocess/anomaly/recipe.h"
#include "postprocess/anomaly/words.h"

namespace edgeprobe::postprocess::anomaly {
namespace {

/// The shortest text that reads back as the same double.
std::string shortest_text(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace

std::string to_text(const Recipe& recipe) {
  std::string out = "output(" + std::to_string(recipe.output) + ") | ";
  out += recipe.reading == Reading::kCodes ? "codes" : "dequantize";
  out += " | score(" + std::string(word_of(kMeasureWords, recipe.measure)) +
         ", windows=" + std::string(word_of(kWindowWords, recipe.windows));
  if (recipe.input) out += ", input=" + std::to_string(*recipe.input);
  out += ")";
  if (recipe.threshold)
    out += " | threshold(" + shortest_text(*recipe.threshold) +
           (recipe.is_inverted ? ", alarm=below)" : ")");
  return out;
}

}  // namespace edgeprobe::postprocess::anomaly
