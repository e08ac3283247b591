// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/proposal.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "core/text.h"
#include "postprocess/detection/head.h"
#include "postprocess/detection/maps.h"
#include "postprocess/detection/recipe.h"

namespace edgeprobe::postprocess::detection {
namespace {

constexpr std::int64_t kMostQueries = 1000;

std::string property(const Exported& exported, const char* key) {
  const auto found = exported.properties.find(key);
  return found == exported.properties.end() ? "" : found->second;
}

// Number of entries in "{0: 'person', 1: 'bicycle'}", as Python prints a dictionary.
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

// A picture is fitted with gray bars around it; boxes are mapped back as in Ultralytics'
// scale_boxes since March 2026.
std::string letterboxed(Size model) {
  return "letterbox(" + number(model.height) + "x" + number(model.width) +
         ", bilinear, like=opencv, fill=114) | color(rgb) | scale(0..1) | layout(nchw) ";
}

// The first of two candidate steps.
std::string step_of(const Look& look, bool has_shares) {
  std::string step = look.step.substr(0, look.step.find(", or "));
  if (has_shares && step != "decode(yolox)") step.insert(step.find(')'), ", unit=shares");
  return step;
}

bool is_row_of(const Shape& shape, std::int64_t count) {
  return !shape.empty() && shape.back() == count && shape.size() <= 2;
}

// Boxes in an output separate from their scores: their coding is unknown.
bool are_boxes(const TensorSpec& output) {
  return output.shape.size() >= 2 && output.shape.back() == 4;
}

// Files from Ultralytics may also hold classifiers, or RT-DETR, whose boxes have the sizes of
// YOLO's.
bool is_read(const Exported& exported) {
  const std::string task = property(exported, "task");
  std::string words = property(exported, "description");
  std::transform(words.begin(), words.end(), words.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return (task.empty() || task == "detect" || task == "segment" || task == "pose" ||
          task == "obb") &&
         words.find("rtdetr") == std::string::npos && words.find("rt-detr") == std::string::npos;
}

// TFLite_Detection_PostProcess: boxes, classes, scores, and count.
bool are_detections(std::span<const TensorSpec> outputs) {
  if (outputs.size() != 4) return false;
  const Shape& boxes = outputs[0].shape;
  if (boxes.size() != 3 || boxes[2] != 4) return false;
  return is_row_of(outputs[1].shape, boxes[1]) && is_row_of(outputs[2].shape, boxes[1]) &&
         is_row_of(outputs[3].shape, 1);
}

// Number of points per box and of numbers per point: "[17, 3]".
struct PointShape {
  std::size_t count = 0, numbers = 0;
};
PointShape points_of(const Exported& exported) {
  PointShape out;
  const std::string text = property(exported, "kpt_shape");
  std::size_t* to = &out.count;
  for (const char c : text) {
    if (c >= '0' && c <= '9')
      *to = std::min<std::size_t>(*to * 10 + static_cast<std::size_t>(c - '0'), 10'000);
    if (c == ',') to = &out.numbers;
  }
  return out;
}

std::string keypoints_step(const PointShape& points) {
  return " | keypoints(" + std::to_string(points.count) +
         (points.numbers == 2 ? ", xy)" : ", xys)");
}

// For a pose model that includes suppression: a row has its points after the class.
std::optional<Look> poses_of(const Shape& shape, const Exported& exported) {
  const PointShape points = points_of(exported);
  const std::size_t width = 6 + points.count * points.numbers;
  if (width == 6 || shape.empty() || shape.back() != static_cast<std::int64_t>(width))
    return std::nullopt;
  return Look{"boxes that the model has suppressed, each with its score, class and " +
                  std::to_string(points.count) + " points",
              "detections(xyxy, row=box_score_class)" + keypoints_step(points),
              HeadKind::kBoxScoreClass};
}

// Steps after the head's, with the authors' usual parameters.
std::string after(const Look& look, bool is_ultralytics, bool is_turned) {
  if (is_suppressed(look.kind)) return " | threshold(0.25)";
  const bool is = look.kind == HeadKind::kMaps;
  if (is && look.step.find("(scrfd)") != std::string::npos)
    return " | threshold(0.5) | nms(0.4, all_classes, of=union_of_pixels)";
  if (is && look.step.find("(yunet)") != std::string::npos)
    return " | threshold(0.6) | nms(0.3, all_classes)";
  if (is && look.step.find("(centernet)") != std::string::npos)
    return " | sigmoid | threshold(0.3) | topk(100)";
  if (is && look.step.find("(yolo8_raw)") == std::string::npos)
    return " | best_class | threshold(0.4) | nms(0.6, per_class)";
  if (is) return " | sigmoid | best_class | threshold(0.25) | nms(0.7, per_class) | topk(300)";
  if (is_turned)
    return " | angle | best_class | threshold(0.25) | nms(0.7, per_class, of=gaussians, by=all) | "
           "topk(300)";
  // Ultralytics' predict() keeps boxes that overlap by up to 0.7; YOLOv5 and others 0.45.
  const bool is_newer = is_ultralytics && look.kind == HeadKind::kScores;
  return std::string(" | best_class | threshold(0.25) | nms(") + (is_newer ? "0.7" : "0.45") +
         ", per_class) | topk(300)";
}

// A pose model without names has one class.
std::size_t names_in(const Exported& exported) {
  const std::size_t names = entries_of(property(exported, "names"));
  return names == 0 && property(exported, "task") == "pose" ? 1 : names;
}

// Interprets numbers after the scores as points in the exporter's format.
void name_points(std::string& words, std::string& step, const PointShape& points) {
  const std::string extra = ", extra=" + std::to_string(points.count * points.numbers) + ")";
  const std::size_t as_extra = step.find(extra), as_points = step.find(" | keypoints(");
  if (points.count == 0 || (as_extra == std::string::npos && as_points == std::string::npos))
    return;
  if (as_extra != std::string::npos) step.replace(as_extra, extra.size(), ")");
  else step.erase(as_points);
  step += keypoints_step(points);
  const std::size_t last = words.rfind(" + ");
  if (last != std::string::npos)
    words.replace(last, std::string::npos, " + " + std::to_string(points.count) + " points)");
}

// Offsets from MediaPipe's anchors, and one score each: faces, palms, persons.
std::optional<Proposal> of_mediapipe(std::span<const TensorSpec> outputs, Size model) {
  constexpr std::array kThings{std::pair{16, "faces (6 points)"}, std::pair{18, "palms (7 points)"},
                               std::pair{12, "persons (4 points)"}};
  constexpr std::array kRules{"short_range", "back_camera", "full_range"};
  if (outputs.size() != 2 || model.width != model.height) return std::nullopt;
  const std::size_t boxes = outputs[0].shape.size() == 3 && outputs[0].shape[2] > 1 ? 0 : 1;
  const Shape &of_boxes = outputs[boxes].shape, &of_scores = outputs[1 - boxes].shape;
  if (of_boxes.size() != 3 || of_scores != Shape{1, of_boxes[1], 1}) return std::nullopt;
  const auto thing = std::find_if(kThings.begin(), kThings.end(),
                                  [&](const auto& one) { return one.first == of_boxes[2]; });
  if (thing == kThings.end()) return std::nullopt;
  for (const char* const rule : kRules) {
    Recipe recipe;
    recipe.decoding.coder = Coder::kOffset;
    recipe.anchors.source = rule;
    const int side = static_cast<int>(model.width);
    if (!load_anchors(recipe, side, side, static_cast<std::size_t>(of_boxes[1]))) continue;
    const std::string numbers = number(model.width);
    return Proposal{"MediaPipe's detector of " + std::string(thing->second),
                    "|| outputs(boxes=" + std::to_string(boxes) +
                        ", scores=" + std::to_string(1 - boxes) + ") | decode(offset, " + rule +
                        ", " + numbers + ") | keypoints(" + std::to_string(thing->first / 2 - 2) +
                        ", xy) | sigmoid | threshold(0.5) | nms(0.3, all_classes, "
                        "merge=weighted) | boxes(xyxy, letterbox_centered)"};
  }
  return std::nullopt;
}

// Boxes and logits of a transformer, recognised by its exporter's names or Hugging Face's model
// type: the sizes do not reveal whether there is a "no object" class.
std::optional<Proposal> of_transformer(std::span<const TensorSpec> outputs,
                                       const Exported& exported) {
  constexpr std::array kSoftmax{"detr", "yolos", "table-transformer"};
  constexpr std::array kSigmoid{"rt_detr",         "rt_detr_v2",       "d_fine",
                                "deformable_detr", "conditional_detr", "rf_detr"};
  if (outputs.size() != 2) return std::nullopt;
  const std::size_t boxes = are_boxes(outputs[0]) ? 0 : 1, scores = 1 - boxes;
  const Shape &of_boxes = outputs[boxes].shape, &of_scores = outputs[scores].shape;
  if (!are_boxes(outputs[boxes]) || of_boxes.size() != 3 || of_scores.size() != 3 ||
      of_boxes[1] != of_scores[1] || of_boxes[1] > kMostQueries)
    return std::nullopt;
  const auto is_one_of = [&](const auto& types) {
    return std::find(types.begin(), types.end(), exported.model_type) != types.end();
  };
  const bool is_rfdetr = outputs[boxes].name == "dets" && outputs[scores].name == "labels";
  const std::string read = "|| outputs(boxes=" + std::to_string(boxes) +
                           ", scores=" + std::to_string(scores) +
                           ") | decode(none, order=cxcywh) | ";
  const std::string queries = std::to_string(of_boxes[1]) + " queries";
  if (is_one_of(kSoftmax))
    return Proposal{"DETR's boxes and logits (" + queries + ", the last class is no object)",
                    read +
                        "softmax | skip(1, last) | best_class | threshold(0.7) | "
                        "boxes(xyxy, pixels)"};
  if (is_one_of(kSigmoid) || is_rfdetr)
    return Proposal{(is_rfdetr ? "RF-DETR's" : "RT-DETR's") + std::string(" boxes and logits (") +
                        queries + ")",
                    read + "sigmoid | threshold(0.5) | topk(" + std::to_string(of_boxes[1]) +
                        ") | boxes(xyxy, pixels)"};
  return std::nullopt;
}

Proposal of_look(const Look& look, DType dtype, Size model, const Exported& exported,
                 std::size_t output) {
  const bool is_ultralytics = property(exported, "author") == "Ultralytics";
  const bool has_maps = look.kind == HeadKind::kMaps;
  const bool is_turned = property(exported, "task") == "obb";
  std::string words = look.words;
  std::string step = step_of(look, exported.has_shares && !has_maps);
  if (is_turned && !has_maps) {
    // The angle is the remaining number; a box then has no points.
    step.erase(std::min(step.find(" | keypoints("), step.size()));
    if (const std::size_t more = step.find(", extra="); more != std::string::npos)
      step.erase(more, step.find(')', more) - more);
    words += ", an angle";
  } else if (!has_maps) {
    name_points(words, step, points_of(exported));
  }
  std::string recipe = is_ultralytics ? letterboxed(model) : "";
  recipe += "|| ";
  if (!has_maps) recipe += "outputs(boxes=" + std::to_string(output) + ") | ";
  const std::size_t decode = has_maps ? step.find(" | ") + 3 : 0;
  const std::string reading = is_integer(dtype) ? "dequantize | " : "";
  step.insert(decode, reading);
  recipe += step + after(look, is_ultralytics, is_turned && !has_maps);
  recipe += is_ultralytics ? " | boxes(xyxy, letterbox_whole, cut)" : " | boxes(xyxy, pixels)";
  return {words, recipe};
}

}  // namespace

std::optional<Proposal> proposal(std::span<const TensorSpec> outputs, Size model,
                                 const Exported& exported) {
  if (are_detections(outputs))
    return Proposal{"boxes that TensorFlow Lite's detection operator has suppressed",
                    "|| dequantize | detections(yxyx) | threshold(0.5) | boxes(xyxy, pixels)"};
  if (!is_read(exported)) return std::nullopt;
  const std::size_t names = names_in(exported);
  if (const auto look = look_of_maps(outputs, model, names))
    return of_look(*look, outputs[0].dtype, model, exported, 0);
  if (auto found = of_transformer(outputs, exported)) return found;
  if (auto found = of_mediapipe(outputs, model)) return found;
  if (std::any_of(outputs.begin(), outputs.end(), are_boxes)) return std::nullopt;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto look = poses_of(outputs[i].shape, exported);
    if (!look) look = look_of(outputs[i].shape, model, names, 1);
    if (look && look->is_certain) return of_look(*look, outputs[i].dtype, model, exported, i);
  }
  return std::nullopt;
}

}  // namespace edgeprobe::postprocess::detection
