// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>

#include "postprocess/detection/recipe.h"
#include "postprocess/detection/words.h"

namespace edgeprobe::postprocess::detection {
namespace {

/// The shortest text that reads back as the same double.
std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string outputs_text(const Outputs& outputs) {
  std::string text = "outputs(boxes=" + std::to_string(outputs.boxes) +
                     ", scores=" + std::to_string(outputs.scores);
  if (outputs.classes) text += ", classes=" + std::to_string(*outputs.classes);
  if (outputs.count) text += ", count=" + std::to_string(*outputs.count);
  return text + ")";
}

std::string decode_text(const Recipe& recipe) {
  const Decoding& decoding = recipe.decoding;
  const std::string order(word_of(kCodeOrderWords, decoding.order));
  if (recipe.is_suppressed()) return "detections(" + order + ")";
  std::string text = "decode(" + std::string(word_of(kCoderWords, decoding.coder));
  if (decoding.coder != Coder::kBoxes) {
    text += ", " + recipe.anchors.source;
    if (decoding.coder == Coder::kOffset) text += ", " + number_text(decoding.side);
    text +=
        ", " + number_text(decoding.centre_variance) + ", " + number_text(decoding.size_variance);
  }
  return text + ", order=" + order + ")";
}

std::string nms_text(const Suppression& rule) {
  std::string text =
      "nms(" + number_text(rule.limit) + ", " + std::string(word_of(kRivalWords, rule.rivals));
  if (rule.of != OverlapOf::kUnion) text += ", of=" + std::string(word_of(kOverlapWords, rule.of));
  return text + ")";
}

}  // namespace

std::string to_text(const Recipe& recipe) {
  std::string out = outputs_text(recipe.outputs);
  const auto add = [&](const std::string& step) { out += " | " + step; };
  add(recipe.reading == Reading::kCodes ? "codes" : "dequantize");
  add(decode_text(recipe));
  for (const Activation activation : recipe.activations)
    add(std::string(word_of(kActivationWords, activation)));
  if (recipe.skip != 0) add("skip(" + std::to_string(recipe.skip) + ")");
  if (recipe.best_class) add("best_class");
  if (recipe.threshold != 0) add("threshold(" + number_text(recipe.threshold) + ")");
  if (recipe.suppression.rivals != Rivals::kNone) add(nms_text(recipe.suppression));
  if (recipe.suppression.most != Suppression{}.most)
    add("topk(" + std::to_string(recipe.suppression.most) + ")");
  if (recipe.labels) {
    const Labels& labels = *recipe.labels;
    add("labels(" + labels.table.file +
        (labels.shift == 0 ? "" : ", shift=" + std::to_string(labels.shift)) + ")");
  }
  std::string boxes = "boxes(" + std::string(word_of(kReportWords, recipe.report)) + ", " +
                      std::string(word_of(kScaleWords, recipe.placement.scale));
  add(boxes + (recipe.placement.is_cut ? ", cut)" : ")"));
  if (recipe.percent) add("percent");
  return out;
}

}  // namespace edgeprobe::postprocess::detection
