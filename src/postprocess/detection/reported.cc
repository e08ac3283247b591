// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/reported.h"

#include <cmath>
#include <limits>

#include "postprocess/classify.h"
#include "postprocess/detection/maps.h"
#include "postprocess/detection/recipe.h"
#include "postprocess/detection/turned.h"

namespace edgeprobe::postprocess::detection {
namespace {

constexpr std::size_t kBoxNumbers = 4;

struct Point {
  double x = 0, y = 0, score = 1;
};

// Decodes points to shares of the model's input.
class PointDecoder {
 public:
  PointDecoder(const Recipe& recipe, Size model)
      : recipe_(recipe), rule_(rule_of(recipe.head.family)), model_(model) {}

  Point decoded(const double* numbers, std::size_t row) const {
    const std::string& letters = recipe_.keypoints.numbers;
    Point out;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (letters[i] == 'x') out.x = numbers[i];
      if (letters[i] == 'y') out.y = numbers[i];
      if (letters[i] == 's') out.score = numbers[i];
    }
    if (recipe_.decoding.coder == Coder::kBoxes) {
      if (!recipe_.decoding.in_pixels) return out;
      return {out.x / model_.width, out.y / model_.height, out.score};
    }
    const Anchor anchor = recipe_.anchors.list && row < recipe_.anchors.list->size()
                              ? (*recipe_.anchors.list)[row]
                              : Anchor{};
    const double by = factor();
    const bool in_pixels = recipe_.decoding.coder == Coder::kOffset;
    const double width = in_pixels ? 1 / recipe_.decoding.side : anchor.width;
    const double height = in_pixels ? 1 / recipe_.decoding.side : anchor.height;
    out.x = at(anchor.x, width) + out.x * by * width;
    out.y = at(anchor.y, height) + out.y * by * height;
    if (rule_ && rule_->family == Family::kYolo8) {
      std::vector<double> score{out.score};
      activate(Activation::kSigmoid, score);
      out.score = score.front();
    }
    return out;
  }

 private:
  double factor() const {
    if (rule_) return rule_->point_factor;
    return recipe_.decoding.centre_variance;
  }
  // Position of a point with code 0.
  double at(double anchor, double side) const {
    if (recipe_.keypoints.are_not_moved) return 0;
    return rule_ && rule_->family == Family::kYolo8
               ? anchor + (rule_->point_centre - rule_->centre) * side
               : anchor;
  }

  const Recipe& recipe_;
  const FamilyRule* rule_;
  Size model_;
};

// The mean of the boxes merged by a weighted suppression.
std::vector<Point> points_of(const Recipe& recipe, const Detection& one, const Codes& codes,
                             Size model) {
  const PointDecoder decoder(recipe, model);
  const std::size_t count = recipe.keypoints.count, width = recipe.keypoints.numbers.size();
  std::vector<Point> out(count, Point{0, 0, 0});
  double all = 0;
  const auto add = [&](std::size_t row, double weight) {
    if (row >= codes.boxes || codes.width < kBoxNumbers + count * width) return;
    std::vector<double> numbers(width);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < width; ++k)
        numbers[k] = codes.values[row * codes.width + kBoxNumbers + i * width + k];
      const Point point = decoder.decoded(numbers.data(), row);
      out[i].x += weight * point.x, out[i].y += weight * point.y;
      out[i].score += weight * point.score;
    }
    all += weight;
  };
  if (one.merged.empty()) add(one.row, 1);
  for (const auto& [row, weight] : one.merged) add(row, weight);
  if (all > 0)
    for (Point& point : out) point.x /= all, point.y /= all, point.score /= all;
  return out;
}

Placement placement_of_points(const Recipe& recipe) {
  Placement placement = recipe.placement;
  if (recipe.keypoints.scale) placement.scale = *recipe.keypoints.scale;
  return placement;
}

void add_keypoints(const Recipe& recipe, const Detection& one, const Codes& codes, Size picture,
                   Size model, std::vector<ReportedPoint>& to) {
  const Keypoints& keypoints = recipe.keypoints;
  const Placement placement = placement_of_points(recipe);
  const std::vector<Point> points = points_of(recipe, one, codes, model);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t from = i < keypoints.order.size() ? keypoints.order[i] : i;
    const Point& point = points[from];
    const Box at = placed({point.x, point.y, point.x, point.y}, placement, picture, model);
    const bool is_shown = !keypoints.shown || point.score >= *keypoints.shown;
    constexpr double kNotShown = std::numeric_limits<double>::quiet_NaN();
    const double first = keypoints.is_y_first ? at.y1 : at.x1;
    const double second = keypoints.is_y_first ? at.x1 : at.y1;
    to.push_back({is_shown ? first : kNotShown, is_shown ? second : kNotShown, point.score});
  }
}

// The corners of a rotated box in the picture; returns their bounding box.
Box add_corners(const Recipe& recipe, const Detection& one, Size picture, Size model,
                std::vector<ReportedPoint>& to) {
  const Box pixels{one.box.x1 * model.width, one.box.y1 * model.height, one.box.x2 * model.width,
                   one.box.y2 * model.height};
  Corners all = corners(turned(pixels, one.angle));
  for (Corner& corner : all) {
    const double x = corner[0] / model.width, y = corner[1] / model.height;
    const Box at = placed({x, y, x, y}, recipe.placement, picture, model);
    corner = {at.x1, at.y1};
    to.push_back({at.x1, at.y1, 1});
  }
  return around(all);
}

}  // namespace

bool has_points(const Recipe& recipe) { return points_a_box(recipe) > 0; }

std::size_t points_a_box(const Recipe& recipe) {
  return recipe.is_turned ? std::tuple_size_v<Corners> : recipe.keypoints.count;
}

Reported reported(const Recipe& recipe, const Detection& one, const Codes& codes, Size picture,
                  Size model) {
  Reported out;
  if (recipe.is_turned) {
    out.box = reported(add_corners(recipe, one, picture, model, out.points), recipe.report);
    return out;
  }
  out.box = reported(placed(one.box, recipe.placement, picture, model), recipe.report);
  if (recipe.keypoints.count > 0) add_keypoints(recipe, one, codes, picture, model, out.points);
  return out;
}

}  // namespace edgeprobe::postprocess::detection
