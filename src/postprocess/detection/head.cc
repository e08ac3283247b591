// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/head.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"

namespace edgeprobe::postprocess::detection {
namespace {

// Maximum boxes of a model that includes suppression: no exporter keeps more.
constexpr std::size_t kMostSuppressed = 1000;
constexpr std::size_t kBoxNumbers = 4;

struct Sides {
  std::size_t first = 0, second = 0;
};

// Sides of [1, A, B], [A, B] or [1, A, B, 1].
std::optional<Sides> sides_of(const Shape& shape) {
  std::size_t begin = 0, end = shape.size();
  while (end - begin > 2 && shape[begin] == 1) ++begin;
  while (end - begin > 2 && shape[end - 1] == 1) --end;
  if (end - begin != 2 || shape[begin] < 0 || shape[begin + 1] < 0) return std::nullopt;
  return Sides{static_cast<std::size_t>(shape[begin]), static_cast<std::size_t>(shape[begin + 1])};
}

// Number of boxes per cell, if there are as many boxes as cells, or three times as many, in
// adjacent maps of the model, the finest with stride 4, 8 or 16; 0 otherwise.
std::size_t boxes_a_cell(std::size_t boxes, Size model) {
  for (const std::size_t each : {std::size_t{1}, std::size_t{3}})
    for (const double first : {4, 8, 16}) {
      double cells = 0;
      for (double stride = first; stride <= 128; stride *= 2) {
        cells += std::ceil(model.width / stride) * std::ceil(model.height / stride);
        if (cells > 0 && cells * static_cast<double>(each) == static_cast<double>(boxes))
          return each;
      }
    }
  return 0;
}

// Numbers per point in Ultralytics' poses, and per mask.
constexpr std::size_t kPointNumbers = 3, kMaskNumbers = 32, kFewestPoints = 3;

// Number of points in that many extra numbers; 0: they are something else.
std::size_t points_of(std::size_t extra) {
  const bool are_points = extra != kMaskNumbers && extra % kPointNumbers == 0;
  return are_points && extra / kPointNumbers >= kFewestPoints ? extra / kPointNumbers : 0;
}

std::string numbers_words(std::size_t before, std::size_t classes, std::size_t extra) {
  const std::size_t points = points_of(extra);
  return " (" + std::to_string(before) + " + " + std::to_string(classes) +
         (classes == 1 ? " class" : " classes") +
         (points > 0  ? " + " + std::to_string(points) + " points"
          : extra > 0 ? " + " + std::to_string(extra)
                      : "") +
         ")";
}

// Numbers after those of the classes, whose count follows from the names.
std::size_t extra_of(std::size_t scores, std::size_t names, std::size_t least_extra) {
  return names > 0 && scores >= names + least_extra ? scores - names : 0;
}

std::string step_with(const std::string& step, std::size_t extra) {
  if (const std::size_t points = points_of(extra))
    return step + " | keypoints(" + std::to_string(points) + ", xys)";
  return extra > 0 ? step.substr(0, step.size() - 1) + ", extra=" + std::to_string(extra) + ")"
                   : step;
}

constexpr std::size_t kCocoClasses = 80, kCocoPoints = 17;

// For boxes in columns of `width` numbers. Only the number of COCO's classes reveals an objectness.
Look columns_look(std::size_t width, std::size_t names, std::size_t least_extra) {
  const std::size_t scores = width - kBoxNumbers;
  if (names == 0 && width == kCocoClasses + 5)
    return {"YOLOv8's head" + numbers_words(kBoxNumbers, scores, 0) + ", or YOLOX's by columns" +
                numbers_words(5, kCocoClasses, 0),
            "decode(yolo8), or decode(yolox, boxes=columns)", HeadKind::kScores, false, true};
  if (names == 0 && scores == 1 + kCocoPoints * kPointNumbers)
    return {"YOLOv8's head" + numbers_words(kBoxNumbers, scores, 0) + ", or a pose" +
                numbers_words(kBoxNumbers, 1, kCocoPoints * kPointNumbers),
            "decode(yolo8), or decode(yolo8) | keypoints(17, xys)", HeadKind::kScores, false, true};
  const std::size_t extra = extra_of(scores, names, least_extra);
  return {"YOLOv8's head" + numbers_words(kBoxNumbers, scores - extra, extra),
          step_with("decode(yolo8)", extra), HeadKind::kScores, true, true};
}

// For boxes in rows of `width` numbers. Without names, COCO's 80 classes reveal whether there is an
// objectness.
Look rows_look(std::size_t width, std::size_t each, std::size_t names, std::size_t least_extra) {
  const std::size_t classes = names > 0 ? names : kCocoClasses;
  if (each == 3) {
    const std::size_t extra = extra_of(width - 5, names, least_extra);
    return {"YOLOv5's head" + numbers_words(5, width - 5 - extra, extra),
            step_with("decode(yolo5)", extra), HeadKind::kObject};
  }
  const std::string object = "YOLOX's head" + numbers_words(5, width - 5, 0);
  const std::string decoded = "decode(yolox), or decode(yolo5) if the model decodes boxes";
  if (width == classes + 5) return {object, decoded, HeadKind::kObject};
  const std::string scores = numbers_words(kBoxNumbers, width - kBoxNumbers, 0);
  if (names == 0 && width > 5 && width != classes + 4)
    return {object + ", or YOLOv8's by rows" + scores,
            "decode(yolox), or decode(yolo8, boxes=rows)", HeadKind::kObject, false};
  const std::size_t extra = extra_of(width - kBoxNumbers, names, least_extra);
  return {"YOLOv8's head by rows" + numbers_words(kBoxNumbers, width - kBoxNumbers - extra, extra),
          step_with("decode(yolo8, boxes=rows)", extra), HeadKind::kScores};
}

// True if that many names fit an output with this many numbers per box. One name too few is an
// error in the file.
bool are_of(std::size_t width, bool is_by_columns, std::size_t names) {
  if (width == names + 5) return !is_by_columns;
  return width == names + 4 || width >= names + 4 + kLeastExtra;
}

// Sizes that fit two heads are accepted only if one of the two is certain.
template <class Refused>
Status check_without_names(const Head& head, const Look& look, std::size_t width, std::size_t each,
                           Refused refused) {
  // If both sides of the output may be the cells, the step decides.
  if (look.is_by_columns != head.is_by_columns || is_suppressed(look.kind)) return {};
  const bool has_coco = width == kBoxNumbers + kCocoClasses;
  if (look.is_certain && look.kind == HeadKind::kScores && head.tail + head.extra > 0 && has_coco)
    return refused("");
  // Heads with three boxes per cell have an objectness for each.
  const bool is_other = look.kind != head.kind && (look.is_certain || each == 3);
  if (!is_other) return {};
  Error error = refused("");
  error.what += "; if it is another head, name its classes with labels(FILE)";
  return error;
}

Error misfit(const TensorSpec& spec, const std::string& why) {
  return {ErrorKind::kUsage, "output '" + sanitized(spec.name, 60) + "' is " +
                                 edgeprobe::to_text(spec.shape) + ": " + why};
}

}  // namespace

Row row_of(HeadKind kind) {
  switch (kind) {
    case HeadKind::kApart:
    case HeadKind::kMaps:
    case HeadKind::kScores: return {0, kBoxNumbers, 0, 5};
    case HeadKind::kObject: return {0, 5, 0, 6};
    case HeadKind::kBoxScoreClass: return {0, 4, 5, 6};
    case HeadKind::kClassScoreBox: return {2, 1, 0, 6};
    case HeadKind::kBatchBoxClassScore: return {1, 6, 5, 7};
  }
  return {};
}

std::size_t tail_of(const Head& head, std::size_t width) {
  const std::size_t after = head.tail + head.extra;
  return is_suppressed(head.kind) ? row_of(head.kind).least : width - std::min(width, after);
}

HeadRows head_rows(const Head& head, const Shape& shape, std::vector<double> values) {
  HeadRows rows;
  const auto sides = sides_of(shape);
  if (!sides || sides->first * sides->second != values.size()) return rows;
  rows.boxes = head.is_by_columns ? sides->second : sides->first;
  rows.width = head.is_by_columns ? sides->first : sides->second;
  if (head.is_by_columns == head.is_taken_as_stored) {
    rows.values = std::move(values);
    return rows;
  }
  // From columns to rows.
  rows.values.resize(values.size());
  for (std::size_t k = 0; k < rows.width; ++k)
    for (std::size_t i = 0; i < rows.boxes; ++i)
      rows.values[i * rows.width + k] = values[k * rows.boxes + i];
  return rows;
}

std::optional<Look> look_of(const Shape& shape, Size model, std::size_t names,
                            std::size_t least_extra) {
  const auto sides = sides_of(shape);
  if (!sides || !(model.width > 0 && model.height > 0)) return std::nullopt;
  const auto [first, second] = *sides;
  const Look suppressed{"boxes that the model has suppressed, each with its score and class",
                        "detections(xyxy, row=box_score_class)", HeadKind::kBoxScoreClass};
  // 100 or 300 boxes, as exporters keep, may also be those of a map; names rule that out, too.
  if (second == 6 && first > 1 && first <= kMostSuppressed && (first % 100 == 0 || names > 2))
    return suppressed;
  // A map with one number per cell, such as depth, has the proportions of the model's input and
  // contains no boxes. A feature map has several numbers per cell: sides_of() has rejected it.
  if (first <= 1 || double(first) * model.width == double(second) * model.height)
    return std::nullopt;
  const std::size_t as_columns = boxes_a_cell(second, model), as_rows = boxes_a_cell(first, model);
  if (as_columns > 0 && first > kBoxNumbers && (second >= first || (names > 0 && as_rows == 0)))
    return columns_look(first, names, least_extra);
  if (as_rows > 0 && second > kBoxNumbers + (as_rows == 3 ? 1 : 0) &&
      (first >= second || names > 0))
    return rows_look(second, as_rows, names, least_extra);
  if (first > kMostSuppressed) return std::nullopt;
  if (second == 6) return suppressed;
  if (second == 7)
    return Look{"boxes that the model has suppressed, each after the number of its picture",
                "detections(xyxy, row=batch_box_class_score)", HeadKind::kBatchBoxClassScore};
  return std::nullopt;
}

Status check_head(const Head& head, const TensorSpec& spec, Size model, std::size_t names) {
  const auto sides = sides_of(spec.shape);
  if (!sides) return misfit(spec, "expected [1, N, numbers of a box] or [1, numbers of a box, N]");
  const std::size_t boxes = head.is_by_columns ? sides->second : sides->first;
  const std::size_t width = head.is_by_columns ? sides->first : sides->second;
  const Row row = row_of(head.kind);
  const auto look = look_of(spec.shape, model, names);
  const bool reads_rows = head.kind == HeadKind::kScores && !head.is_by_columns;
  const auto refused = [&](const std::string& why) -> Error {
    const std::string words = look ? "it looks like " + look->words + "; use " + look->step : "";
    return misfit(spec, why.empty() || words.empty() ? why + words : why + "; " + words);
  };
  const std::size_t after = head.tail + head.extra;
  if (width < row.least + after)
    return refused("a box has " + std::to_string(width) + " numbers there, expected at least " +
                   std::to_string(row.least + after));
  if (is_suppressed(head.kind))
    return look && !is_suppressed(look->kind) && width > row.least + after ? Status(refused(""))
                                                                           : Status{};
  if (const std::size_t each = boxes_a_cell(boxes, model); each > 0) {
    const std::size_t classes = width - row.score - after;
    const bool fits =
        are_of(width, head.is_by_columns, names) || are_of(boxes, !head.is_by_columns, names);
    if (head.is_mistaken) return {};
    if (look && names == 0) return check_without_names(head, *look, width, each, refused);
    if (!look || classes == names || !fits) return {};
    const bool is_other = look->kind != head.kind || width >= names + 4 + kLeastExtra;
    return is_other ? Status(refused("")) : Status{};
  }
  // A few rows may come from a model without suppression, such as RT-DETR, if the step states so.
  if (look && !(is_suppressed(look->kind) && reads_rows)) return refused("");
  if (boxes < width)
    return refused("so the step reads " + std::to_string(boxes) + " boxes of " +
                   std::to_string(width) + " numbers; " +
                   (head.is_by_columns ? "boxes=rows" : "boxes=columns") +
                   " reads the other side as boxes");
  return {};
}

}  // namespace edgeprobe::postprocess::detection
