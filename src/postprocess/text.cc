// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "postprocess/recipe.h"
#include "postprocess/words.h"

namespace edgeprobe::postprocess {
namespace {

/// The shortest text that reads back as the same double.
std::string exact_text(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string reading_text(Reading reading) {
  switch (reading) {
    case Reading::kValues: return "dequantize";
    case Reading::kCodes: break;
    case Reading::kNoZeroPoint: return "dequantize(zero_point=ignored)";
    case Reading::kOf255: return "codes(of=255)";
    case Reading::kFlippedSign: return "dequantize(sign=flipped)";
    case Reading::kFlippedCodes: return "codes(sign=flipped)";
    case Reading::kFlippedNoZeroPoint: return "dequantize(zero_point=ignored, sign=flipped)";
  }
  return "codes";
}

std::string activation_text(Activation activation) {
  if (activation == Activation::kBatchSoftmax) return "softmax(axis=batch)";
  return std::string(word_of(kActivationWords, activation));
}

std::string labels_text(const Labels& labels) {
  std::string out = "labels(" + labels.table.file;
  if (labels.other) out += ", other=" + labels.other->file;
  if (labels.shift != 0) out += ", shift=" + std::to_string(labels.shift);
  if (labels.order != TableOrder::kFile)
    out += ", order=" + std::string(word_of(kTableWords, labels.order));
  return out + ")";
}

}  // namespace

std::string to_text(const Classification& recipe) {
  std::string out;
  const auto add = [&](const std::string& step) { out += (out.empty() ? "" : " | ") + step; };
  if (recipe.output) add("output(" + std::to_string(*recipe.output) + ")");
  add(reading_text(recipe.reading));
  for (const Activation activation : recipe.activations) add(activation_text(activation));
  if (recipe.skip != 0) add("skip(" + std::to_string(recipe.skip) + ")");
  if (recipe.order != Order::kDescending)
    add("sort(" + std::string(word_of(kOrderWords, recipe.order)) + ")");
  if (recipe.most) add("topk(" + std::to_string(*recipe.most) + ")");
  if (recipe.threshold) add("threshold(" + exact_text(*recipe.threshold) + ")");
  if (recipe.labels) add(labels_text(*recipe.labels));
  if (recipe.percent) add("percent");
  return out;
}

}  // namespace edgeprobe::postprocess
