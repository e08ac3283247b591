// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>

#include "postprocess/segmentation/recipe.h"
#include "postprocess/segmentation/words.h"

namespace edgeprobe::postprocess::segmentation {
namespace {

/// The shortest text that reads back as the same double.
std::string threshold_text(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string resize_text(const Recipe& recipe) {
  const Resizing& resizing = *recipe.resizing;
  std::string text =
      "resize(" + (resizing.to ? std::to_string(static_cast<int>(resizing.to->height)) + "x" +
                                     std::to_string(static_cast<int>(resizing.to->width))
                               : "picture");
  text += ", " + std::string(word_of(kKernelWords, resizing.is_bilinear));
  if (resizing.align != preprocess::Align::kHalfPixel)
    text += ", align=" + std::string(word_of(preprocess::kAlignWords, resizing.align));
  if (recipe.frame != detection::Scale::kStretched)
    text += ", frame=" + std::string(word_of(kFrameWords, recipe.frame));
  return text + ")";
}

std::string decision_text(const Recipe& recipe) {
  switch (recipe.decision) {
    case Decision::kIds: return "ids";
    case Decision::kArgmax: return recipe.is_channels_first ? "argmax(axis=first)" : "argmax";
    case Decision::kThreshold: break;
  }
  return "mask(" + threshold_text(recipe.threshold) + ")";
}

}  // namespace

std::string to_text(const Recipe& recipe) {
  std::string out;
  const auto add = [&](const std::string& step) { out += (out.empty() ? "" : " | ") + step; };
  if (recipe.output != 0) add("output(" + std::to_string(recipe.output) + ")");
  add(recipe.reading == Reading::kCodes ? "codes" : "dequantize");
  for (const Activation activation : recipe.activations)
    add(activation == Activation::kSoftmax ? "softmax" : "sigmoid");
  const bool is_resized = recipe.resizing.has_value();
  if (is_resized && recipe.resizing->is_of_scores) add(resize_text(recipe));
  add(decision_text(recipe));
  if (is_resized && !recipe.resizing->is_of_scores) add(resize_text(recipe));
  if (recipe.colors) add("colors(" + recipe.colors->file + ")");
  return out;
}

}  // namespace edgeprobe::postprocess::segmentation
