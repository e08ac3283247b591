// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/proposal.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "core/text.h"
#include "postprocess/detection/head.h"

namespace edgeprobe::postprocess::detection {
namespace {

std::string property(const Exported& exported, const char* key) {
  const auto found = exported.properties.find(key);
  return found == exported.properties.end() ? "" : found->second;
}

// Of "{0: 'person', 1: 'bicycle'}", as Python writes a dictionary.
std::size_t entries_of(std::string_view text) {
  std::size_t entries = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote && text[i] == '\\') ++i;
    else if (quote) quote = text[i] == quote ? '\0' : quote;
    else if (text[i] == '\'' || text[i] == '"') quote = text[i];
    else entries += text[i] == ':';
  }
  return entries;
}

// A picture is fitted in with gray bars around; boxes go back as in Ultralytics' scale_boxes
// since March 2026.
std::string letterboxed(Size model) {
  return "letterbox(" + number(model.height) + "x" + number(model.width) +
         ", bilinear, like=opencv, fill=114) | color(rgb) | scale(0..1) | layout(nchw) ";
}

// Of two steps that may be it, the first one.
std::string step_of(const Look& look, bool has_shares) {
  std::string step = look.step.substr(0, look.step.find(", or "));
  if (has_shares && step != "decode(yolox)") step.insert(step.size() - 1, ", unit=shares");
  return step;
}

bool is_row_of(const Shape& shape, std::int64_t count) {
  return !shape.empty() && shape.back() == count && shape.size() <= 2;
}

// Boxes of their own, whose scores another output has: nothing says how they are coded.
bool are_boxes(const TensorSpec& output) {
  return output.shape.size() >= 2 && output.shape.back() == 4;
}

// Files of Ultralytics also hold classifiers and turned boxes, which a recipe does not read, and
// RT-DETR, whose boxes have the sizes of YOLO's.
bool is_read(const Exported& exported) {
  const std::string task = property(exported, "task");
  std::string words = property(exported, "description");
  std::transform(words.begin(), words.end(), words.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return (task.empty() || task == "detect" || task == "segment" || task == "pose") &&
         words.find("rtdetr") == std::string::npos && words.find("rt-detr") == std::string::npos;
}

// TFLite_Detection_PostProcess: boxes, classes, scores, and how many.
bool are_detections(std::span<const TensorSpec> outputs) {
  if (outputs.size() != 4) return false;
  const Shape& boxes = outputs[0].shape;
  if (boxes.size() != 3 || boxes[2] != 4) return false;
  return is_row_of(outputs[1].shape, boxes[1]) && is_row_of(outputs[2].shape, boxes[1]) &&
         is_row_of(outputs[3].shape, 1);
}

}  // namespace

std::optional<Proposal> proposal(std::span<const TensorSpec> outputs, Size model,
                                 const Exported& exported) {
  if (are_detections(outputs))
    return Proposal{"boxes that TensorFlow Lite's detection operator has suppressed",
                    "|| dequantize | detections(yxyx) | threshold(0.5) | boxes(xyxy, pixels)"};
  if (std::any_of(outputs.begin(), outputs.end(), are_boxes)) return std::nullopt;
  if (!is_read(exported)) return std::nullopt;
  const bool is_ultralytics = property(exported, "author") == "Ultralytics";
  const std::size_t names = entries_of(property(exported, "names"));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto look = look_of(outputs[i].shape, model, names, 1);
    if (!look || !look->is_certain) continue;
    std::string recipe = is_ultralytics ? letterboxed(model) : "";
    recipe += "|| outputs(boxes=" + std::to_string(i) + ") | ";
    if (is_integer(outputs[i].dtype)) recipe += "dequantize | ";
    recipe += step_of(*look, exported.has_shares);
    // Ultralytics' predict() keeps boxes that overlap by up to 0.7; YOLOv5 and others 0.45.
    const bool is_newer = is_ultralytics && look->kind == HeadKind::kScores;
    if (is_suppressed(look->kind)) recipe += " | threshold(0.25)";
    else
      recipe += std::string(" | best_class | threshold(0.25) | nms(") +
                (is_newer ? "0.7" : "0.45") + ", per_class) | topk(300)";
    recipe += is_ultralytics ? " | boxes(xyxy, letterbox_whole, cut)" : " | boxes(xyxy, pixels)";
    return Proposal{look->words, recipe};
  }
  return std::nullopt;
}

}  // namespace edgeprobe::postprocess::detection
