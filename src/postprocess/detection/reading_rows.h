// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "postprocess/common_steps.h"
#include "postprocess/detection/maps.h"
#include "postprocess/detection/recipe.h"
#include "recipe/limits.h"

/// Rows of the steps that read outputs: outputs, maps, decode, detections, keypoints, angle.
namespace edgeprobe::postprocess::detection::rows {

using recipe::Argument;
using recipe::Arguments;
using recipe::as;
using recipe::member;

inline constexpr double kLeastVariance = 1e-6, kMostVariance = 1e3;

constexpr recipe::Field output_number(std::string_view name, recipe::Member number) {
  return recipe::whole(name, number, 0, kMostTensors);
}
inline bool is_apart(const void* recipe) { return as<Recipe>(recipe).is_apart(); }
inline bool has_maps(const void* recipe) { return as<Recipe>(recipe).has_maps(); }
inline bool has_outputs(const void* recipe) { return !has_maps(recipe); }
inline bool is_one_output(const void* recipe) { return !is_apart(recipe) && !has_maps(recipe); }
inline constexpr std::array kOutputs{
    output_number("boxes", member<&Recipe::outputs, &Outputs::boxes>).always(),
    output_number("scores", member<&Recipe::outputs, &Outputs::scores>).shown_if(is_apart),
    output_number("classes", member<&Recipe::outputs, &Outputs::classes>),
    output_number("count", member<&Recipe::outputs, &Outputs::count>),
    output_number("points", member<&Recipe::outputs, &Outputs::points>),
};
inline constexpr std::array kMaps{
    recipe::ids("boxes", member<&Recipe::maps, &Maps::boxes>, kMostTensors),
    recipe::ids("scores", member<&Recipe::maps, &Maps::scores>, kMostTensors),
    recipe::ids("object", member<&Recipe::maps, &Maps::object>, kMostTensors),
    recipe::ids("points", member<&Recipe::maps, &Maps::points>, kMostTensors),
};

// Encodes the first argument of decode(): how numbers become boxes, and where they are.
constexpr int coded(Coder coder, HeadKind kind, Family family = Family::kNone) {
  return static_cast<int>(coder) + 16 * static_cast<int>(kind) + 256 * static_cast<int>(family);
}
constexpr int of_maps(Coder coder, Family family) { return coded(coder, HeadKind::kMaps, family); }
inline constexpr std::array kCoders{
    Word{"none", coded(Coder::kBoxes, HeadKind::kApart)},
    Word{"ssd", coded(Coder::kSsd, HeadKind::kApart)},
    Word{"linear", coded(Coder::kLinear, HeadKind::kApart)},
    Word{"offset", coded(Coder::kOffset, HeadKind::kApart)},
    Word{"yolo8", coded(Coder::kBoxes, HeadKind::kScores)},
    Word{"yolo5", coded(Coder::kBoxes, HeadKind::kObject)},
    Word{"yolox", coded(Coder::kSsd, HeadKind::kObject)},
    Word{"yolo8_raw", of_maps(Coder::kDistances, Family::kYolo8)},
    Word{"nanodet", of_maps(Coder::kDistances, Family::kNanodet)},
    Word{"nanodet_plus", of_maps(Coder::kDistances, Family::kNanodetPlus)},
    Word{"picodet", of_maps(Coder::kDistances, Family::kPicodet)},
    Word{"scrfd", of_maps(Coder::kDistances, Family::kScrfd)},
    Word{"yunet", of_maps(Coder::kSsd, Family::kYunet)},
    Word{"centernet", of_maps(Coder::kCells, Family::kCenternet)},
};
inline constexpr recipe::Member kCoder{
    [](const void* recipe) -> recipe::Value {
      const auto& r = as<Recipe>(recipe);
      return std::int64_t{coded(r.decoding.coder, r.head.kind, r.head.family)};
    },
    [](void* recipe, const recipe::Value& value) {
      auto& r = as<Recipe>(recipe);
      const auto all = std::get<std::int64_t>(value);
      r.decoding.coder = static_cast<Coder>(all % 16);
      r.head.kind = static_cast<HeadKind>(all / 16 % 16);
      r.head.family = static_cast<Family>(all / 256);
    },
    []() -> recipe::Value { return std::int64_t{0}; }};
// Separates orders of corners from orders of centre and sides.
inline bool has_corners(const void* recipe) {
  return is_of_corners(as<Recipe>(recipe).decoding.order);
}
inline bool has_centre(const void* recipe) { return !has_corners(recipe); }
inline constexpr std::array kOrders{
    Word{"xyxy", CodeOrder::kXyxy, "reads the numbers of a box output as xyxy", 0}.planted(
        "codes read as xyxy", has_corners),
    Word{"yxyx", CodeOrder::kYxyx, "reads the numbers of a box output as yxyx", 1}.planted(
        "codes read as yxyx", has_corners),
    Word{"xxyy", CodeOrder::kXxyy, "reads the numbers of a box output as xxyy", 2}.planted(
        "codes read as xxyy", has_corners),
    Word{"cxcywh", CodeOrder::kCxcywh, "reads the numbers of a box output as cxcywh", 3}.planted(
        "codes read as cxcywh", has_centre),
    Word{"cycxhw", CodeOrder::kCycxhw, "reads the numbers of a box output as cycxhw", 4}.planted(
        "codes read as cycxhw", has_centre),
    Word{"whcxcy", CodeOrder::kWhcxcy, "reads the numbers of a box output as whcxcy", 5}.planted(
        "codes read as whcxcy", has_centre),
    Word{"cxcyhw", CodeOrder::kCxcyhw, "reads the numbers of a box output as cxcyhw", 6}.planted(
        "codes read as cxcyhw", has_centre),
};
inline bool has_anchors(const void* recipe) {
  return as<Recipe>(recipe).decoding.coder != Coder::kBoxes;
}
inline bool is_offset(const void* recipe) {
  return as<Recipe>(recipe).decoding.coder == Coder::kOffset;
}
inline bool has_boxes(const void* recipe) { return !has_anchors(recipe); }
inline bool names_anchors(const void* recipe) { return has_anchors(recipe) && is_apart(recipe); }
inline bool has_order(const void* recipe) { return !has_maps(recipe); }
inline bool has_distances(const void* recipe) {
  return as<Recipe>(recipe).decoding.coder == Coder::kDistances;
}
inline bool has_objectness(const void* recipe) {
  const auto& r = as<Recipe>(recipe);
  return r.head.kind == HeadKind::kObject || !r.maps.object.empty();
}
inline bool has_lines(const void* recipe) { return !is_apart(recipe); }
inline bool has_unusual_strides(const void* recipe) {
  const auto& r = as<Recipe>(recipe);
  const FamilyRule* const rule = rule_of(r.head.family);
  return rule && r.maps.strides != rule->strides;
}
inline bool has_unusual_bins(const void* recipe) {
  const auto& r = as<Recipe>(recipe);
  const FamilyRule* const rule = rule_of(r.head.family);
  return rule && r.maps.bins != rule->bins;
}
inline Objectness usual_objectness(const Recipe& recipe) {
  return recipe.head.family == Family::kYunet ? Objectness::kRoot : Objectness::kFactor;
}
inline bool has_unusual_objectness(const void* recipe) {
  const auto& r = as<Recipe>(recipe);
  return has_objectness(recipe) && r.head.objectness != usual_objectness(r);
}
inline bool has_usual_columns(const Recipe& recipe) {
  return recipe.head.kind == HeadKind::kScores || recipe.has_maps();
}
inline bool is_turned(const void* recipe) {
  const auto& r = as<Recipe>(recipe);
  return r.head.is_by_columns != has_usual_columns(r);
}
inline bool has_unusual_unit(const void* recipe) {
  return as<Recipe>(recipe).decoding.in_pixels != is_one_output(recipe);
}
// If one output holds everything, the recipe names it once.
inline Status take_one_output(const Arguments& arguments, Recipe& recipe) {
  constexpr Outputs kUsual;
  const std::size_t scores = recipe.outputs.scores;
  if ((scores != kUsual.scores && scores != recipe.outputs.boxes) || recipe.outputs.classes ||
      recipe.outputs.count)
    return arguments.error(arguments.at(),
                           "boxes, scores and classes are in one output there: outputs(boxes=0)");
  recipe.outputs.scores = recipe.outputs.boxes;
  return {};
}
// For heads with an output for each stride.
inline Status begin_maps(const Arguments& arguments, Recipe& recipe) {
  const FamilyRule& rule = *rule_of(recipe.head.family);
  if (recipe.maps.boxes.empty())
    return arguments.error(arguments.at(), "the outputs of " + std::string(rule.word) +
                                               " are named before it: maps(boxes=[…], scores=[…])");
  recipe.anchors.source = rule.word;
  recipe.maps.strides = rule.strides;
  recipe.maps.bins = rule.bins;
  if (rule.coder == Coder::kDistances) recipe.decoding.order = CodeOrder::kXyxy;
  return {};
}
inline Status begin_decoding(const Arguments& arguments, const Argument*, void* recipe) {
  auto& r = as<Recipe>(recipe);
  r.decoding.order =
      has_anchors(recipe) || is_one_output(recipe) ? CodeOrder::kCxcywh : CodeOrder::kXyxy;
  r.decoding.in_pixels = has_boxes(recipe) && is_one_output(recipe);
  r.head.is_by_columns = has_usual_columns(r);
  r.head.objectness = usual_objectness(r);
  if (has_maps(recipe)) return begin_maps(arguments, r);
  if (!r.maps.boxes.empty())
    return arguments.error(arguments.at(),
                           "maps(…) is for heads with an output for each stride: "
                           "outputs(…) in its place");
  if (is_apart(recipe)) return {};
  if (has_anchors(recipe)) r.anchors.source = "yolox";
  return take_one_output(arguments, r);
}
inline Status share_variance(const Arguments&, const Argument*, void* recipe) {
  Decoding& decoding = as<Recipe>(recipe).decoding;
  if (has_anchors(recipe)) decoding.size_variance = decoding.centre_variance;
  return {};
}
inline Status check_order(const Arguments& arguments, const Argument* given, void* recipe) {
  if (!given || !has_anchors(recipe) || has_distances(recipe) ||
      !is_of_corners(as<Recipe>(recipe).decoding.order))
    return {};
  return arguments.error(given->at, "codes of anchors are a centre and sides: order=cxcywh");
}
inline bool has_cells_of_one_stride(const void* recipe) {
  return as<Recipe>(recipe).head.family == Family::kCenternet;
}
inline constexpr int kMostStride = 1024, kMostBins = 64;
inline Status check_strides(const Arguments& arguments, const Argument* given, void* recipe) {
  const auto& strides = as<Recipe>(recipe).maps.strides;
  const bool is_good = !strides.empty() && strides.front() > 0 &&
                       std::is_sorted(strides.begin(), strides.end(), std::less_equal<>());
  if (given && is_good && has_cells_of_one_stride(recipe) && strides.size() != 1)
    return arguments.error(
        given->at, "this head has the cells of one stride: strides=[4] is those of 4 x 4 pixels");
  if (!given || is_good) return {};
  return arguments.error(given->at, "strides are pixels of a cell, the finest first: [8, 16, 32]");
}
inline constexpr std::array kLines{Word{"rows", false}, Word{"columns", true}};
inline constexpr std::array kUnits{
    Word{"shares", false, "takes boxes in pixels of the model's input for shares of it", 0}.planted(
        "boxes in pixels taken for shares", has_boxes),
    Word{"model_pixels", true, "takes boxes in shares of the model's input for pixels of it", 1}
        .planted("boxes in shares taken for pixels", has_boxes),
};
inline constexpr recipe::Field kUnit =
    recipe::word("unit", member<&Recipe::decoding, &Decoding::in_pixels>, kUnits)
        .only_if(has_boxes)
        .shown_if(has_unusual_unit);
inline constexpr std::array kObjectness{
    Word{"factor", Objectness::kFactor},
    Word{"root", Objectness::kRoot},
    Word{"ignored", Objectness::kIgnored,
         "leaves out the objectness: its score is that of the class", 0}
        .planted("objectness left out", has_objectness),
    Word{"alone", Objectness::kAlone, "takes the objectness for the score", 1}.planted(
        "objectness taken for the score", has_objectness),
};
inline constexpr std::array kDecode{
    recipe::word("coder", kCoder, kCoders)
        .needed("yolo8, yolo5, yolox, ssd, offset or none")
        .always()
        .and_then(begin_decoding),
    recipe::text("anchors", member<&Recipe::anchors, &Anchors::source>)
        .needed("ssd, ultraface, short_range, back_camera, full_range, yolox or a .npy file of "
                "anchors")
        .only_if(names_anchors)
        .always(),
    recipe::real("side", member<&Recipe::decoding, &Decoding::side>, 1, recipe::kMostSide)
        .needed("the side of the model's input in pixels")
        .only_if(is_offset)
        .always(),
    recipe::real("centre", member<&Recipe::decoding, &Decoding::centre_variance>, kLeastVariance,
                 kMostVariance)
        .positional()
        .only_if(names_anchors)
        .always()
        .and_then(share_variance),
    recipe::real("size", member<&Recipe::decoding, &Decoding::size_variance>, kLeastVariance,
                 kMostVariance)
        .positional()
        .only_if(names_anchors)
        .always(),
    recipe::word("order", member<&Recipe::decoding, &Decoding::order>, kOrders)
        .only_if(has_order)
        .always()
        .and_then(check_order),
    recipe::word("boxes", member<&Recipe::head, &Head::is_by_columns>, kLines)
        .only_if(has_lines)
        .shown_if(is_turned),
    recipe::ids("strides", member<&Recipe::maps, &Maps::strides>, kMostStride)
        .only_if(has_maps)
        .shown_if(has_unusual_strides)
        .and_then(check_strides),
    recipe::whole("bins", member<&Recipe::maps, &Maps::bins>, 1, kMostBins)
        .only_if(has_distances)
        .shown_if(has_unusual_bins),
    kUnit,
    recipe::whole("extra", member<&Recipe::head, &Head::extra>, 0, kMostLines)
        .only_if(is_one_output),
    recipe::word("objectness", member<&Recipe::head, &Head::objectness>, kObjectness)
        .only_if(has_objectness)
        .shown_if(has_unusual_objectness),
};

// Limit for the points of each box, and the angle of a rotated one.
inline constexpr int kMostPoints = 1000;
inline Status take_points(const Arguments& arguments, const Argument* given, void* recipe) {
  auto& r = as<Recipe>(recipe);
  const std::string& letters = r.keypoints.numbers;
  if (!are_numbers_of_point(letters))
    return arguments.error(given ? given->at : arguments.at(), kNumbersOfPoint);
  r.head.tail = r.keypoints.count * letters.size();
  return {};
}
inline Status check_shown(const Arguments& arguments, const Argument* given, void* recipe) {
  if (!given || as<Recipe>(recipe).keypoints.numbers.find('s') != std::string::npos) return {};
  return arguments.error(given->at, "points without a score, s, are all shown");
}
inline constexpr std::array kKeypoints{
    recipe::whole("count", member<&Recipe::keypoints, &Keypoints::count>, 1, kMostPoints)
        .needed("the number of points of a box: 17")
        .always(),
    recipe::text("numbers", member<&Recipe::keypoints, &Keypoints::numbers>)
        .needed("the numbers of one point: xys, xy")
        .always()
        .and_then(take_points),
    recipe::real("shown", member<&Recipe::keypoints, &Keypoints::shown>, -kLargestScore,
                 kLargestScore)
        .and_then(check_shown),
};
inline bool has_keypoints(const void* recipe) { return as<Recipe>(recipe).keypoints.count > 0; }
inline bool is_angled(const void* recipe) { return as<Recipe>(recipe).is_turned; }
inline Status begin_angle(const Arguments& arguments, void* recipe) {
  auto& r = as<Recipe>(recipe);
  if (is_apart(recipe) || has_maps(recipe))
    return arguments.error(arguments.at(), "an angle is read from one output that holds all");
  r.is_turned = true;
  r.head.tail = 1;
  return {};
}

inline constexpr std::array kRows{
    Word{"outputs", HeadKind::kApart},
    Word{"box_score_class", HeadKind::kBoxScoreClass},
    Word{"class_score_box", HeadKind::kClassScoreBox},
    Word{"batch_box_class_score", HeadKind::kBatchBoxClassScore},
};
inline Status take_detections(const Arguments& arguments, const Argument*, void* recipe) {
  auto& r = as<Recipe>(recipe);
  if (!r.maps.boxes.empty())
    return arguments.error(arguments.at(), "maps(…) is followed by decode(…)");
  r.suppression.rivals = Rivals::kNone;
  r.suppression.is_sorted = false;
  r.decoding.in_pixels = is_one_output(recipe);
  if (is_one_output(recipe)) return take_one_output(arguments, r);
  if (!r.outputs.classes) r.outputs = {0, 2, 1, 3, {}};
  return {};
}
inline constexpr std::array kDetections{
    recipe::word("order", member<&Recipe::decoding, &Decoding::order>, kOrders)
        .needed("the order of the numbers of a box: yxyx, xyxy")
        .always(),
    recipe::word("row", member<&Recipe::head, &Head::kind>, kRows).and_then(take_detections),
    kUnit,
};

}  // namespace edgeprobe::postprocess::detection::rows
