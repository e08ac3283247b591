// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "core/text.h"
#include "postprocess/classify.h"
#include "postprocess/pose/recipe.h"
#include "postprocess/tables.h"

namespace edgeprobe::postprocess::pose {
namespace {

constexpr std::size_t kMostPoints = 100'000;

}  // namespace

Status load_names(Recipe& recipe) {
  if (!recipe.labels) return {};
  Classification holder;
  holder.labels = recipe.labels;
  EP_CHECK(load_tables(holder));
  recipe.labels = std::move(holder.labels);
  return {};
}

Result<std::vector<Point>> points_of(const Recipe& recipe, std::span<const TensorView> outputs,
                                     Size model) {
  if (recipe.output >= outputs.size())
    return Error{ErrorKind::kUsage, "output(" + std::to_string(recipe.output) +
                                        "): the model has " + std::to_string(outputs.size()) +
                                        " outputs, counted from 0"};
  const TensorView& output = outputs[recipe.output];
  EP_TRY(auto values, read_values(recipe.reading, output));
  const std::size_t numbers = recipe.numbers.size(), count = values.size() / numbers;
  const Shape& shape = output.spec->shape;
  const auto last = shape.empty() ? 1 : static_cast<std::size_t>(shape.back());
  if (count == 0 || last % numbers != 0 || values.size() % numbers != 0)
    return Error{ErrorKind::kUsage, "keypoints(" + recipe.numbers + "): output " +
                                        std::to_string(recipe.output) + " is " +
                                        edgeprobe::to_text(shape) + ", not points of " +
                                        std::to_string(numbers) + " numbers"};
  if (count > kMostPoints)
    return Error{ErrorKind::kLimit, "over " + std::to_string(kMostPoints) + " points"};
  const std::size_t x = recipe.numbers.find('x'), y = recipe.numbers.find('y');
  const std::size_t score = recipe.numbers.find('s');
  const Size unit = recipe.are_model_pixels ? model : Size{1, 1};
  std::vector<Point> points;
  std::vector<double> scores;
  for (std::size_t i = 0; i < count; ++i) {
    const double* const one = values.data() + i * numbers;
    points.push_back({one[x] / unit.width, one[y] / unit.height, 1});
    if (score != std::string::npos) scores.push_back(one[score]);
  }
  for (const Activation activation : recipe.activations) activate(activation, scores);
  for (std::size_t i = 0; i < scores.size(); ++i) points[i].score = scores[i];
  return points;
}

std::array<double, 3> placed_point(const Recipe& recipe, const Point& point, Size picture,
                                   Size model) {
  const detection::Box at =
      placed({point.x, point.y, point.x, point.y}, recipe.placement, picture, model);
  return recipe.is_y_first ? std::array{at.y1, at.x1, point.score}
                           : std::array{at.x1, at.y1, point.score};
}

Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> outputs, Size picture,
                          Size model) {
  EP_TRY(const auto points, points_of(recipe, outputs, model));
  const std::size_t names = recipe.labels ? recipe.labels->table.names.size() : points.size();
  if (names < points.size())
    return Error{ErrorKind::kUsage, "labels: '" + sanitized(recipe.labels->table.file) + "' has " +
                                        std::to_string(names) + " names for " +
                                        std::to_string(points.size()) + " points"};
  trace::Answer answer;
  answer.points.emplace();
  if (recipe.labels) answer.labels.emplace();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i < recipe.order.size() ? recipe.order[i] : i];
    const auto [x, y, score] = placed_point(recipe, point, picture, model);
    const bool is_shown = !recipe.threshold || score >= *recipe.threshold;
    constexpr float kNotShown = std::numeric_limits<float>::quiet_NaN();
    answer.points->push_back({is_shown ? static_cast<float>(x) : kNotShown,
                              is_shown ? static_cast<float>(y) : kNotShown,
                              static_cast<float>(score)});
    if (recipe.labels) answer.labels->push_back(recipe.labels->table.names[i]);
  }
  return answer;
}

}  // namespace edgeprobe::postprocess::pose
