// SPDX-License-Identifier: Apache-2.0
#include "postprocess/segmentation/mask.h"

#include <cmath>

#include "postprocess/segmentation/decide.h"
#include "postprocess/segmentation/input_cells.h"

namespace edgeprobe::postprocess::segmentation {
namespace {

constexpr std::size_t kMostPixels = 100'000'000;

double between(const Tap& row, const Tap& column, double low_low, double low_high, double high_low,
               double high_high) {
  const auto along = [&column](double low, double high) {
    return (1 - column.weight) * low + column.weight * high;
  };
  return (1 - row.weight) * along(low_low, low_high) + row.weight * along(high_low, high_high);
}

// Scores of a class between four cells.
class Corners {
 public:
  Corners(const Cells& cells, const Tap& row, const Tap& column)
      : row_(row),
        column_(column),
        next_class_(cells.next_class),
        at_{cells.at(row.low, column.low), cells.at(row.low, column.high),
            cells.at(row.high, column.low), cells.at(row.high, column.high)} {}

  double operator()(std::size_t c) const {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(c) * next_class_;
    return between(row_, column_, at_[0][at], at_[1][at], at_[2][at], at_[3][at]);
  }

 private:
  const Tap &row_, &column_;
  std::ptrdiff_t next_class_;
  const float* at_[4];
};

bool is_between_scores(const Recipe& recipe) {
  return recipe.resizing && recipe.resizing->is_of_scores && recipe.resizing->is_bilinear;
}

}  // namespace

std::int32_t class_at(const Recipe& recipe, const DecidedCells& cells, const Tap& row,
                      const Tap& column) {
  const std::int32_t nearest = cells.classes.at(row.low, column.low);
  if (!recipe.resizing || !recipe.resizing->is_bilinear) return nearest;
  const std::int32_t right = cells.classes.at(row.low, column.high),
                     below = cells.classes.at(row.high, column.low),
                     across = cells.classes.at(row.high, column.high);
  // A class that wins in all four cells also wins between them: weights are the same for all
  // classes.
  const bool is_one = nearest == right && nearest == below && nearest == across;
  if (recipe.resizing->is_of_scores) {
    if (is_one && cells.cells.are_finite) return nearest;
    return decide(recipe, cells.cells.classes, Corners(cells.cells, row, column));
  }
  if (is_one) return nearest;
  const double value = between(row, column, nearest, right, below, across);
  return static_cast<std::int32_t>(recipe.resizing->is_cut_down ? std::floor(value + 1e-6)
                                                                : std::nearbyint(value));
}

double score_at(const Recipe& recipe, const Cells& cells, const Tap& row, const Tap& column) {
  return is_between_scores(recipe) ? Corners(cells, row, column)(0)
                                   : double{*cells.at(row.low, column.low)};
}

std::int32_t number_of(const Recipe& recipe, std::int32_t of_class) {
  std::int32_t number = of_class + recipe.shift;
  if (const auto other = recipe.renamed.find(of_class); other != recipe.renamed.end())
    number = other->second + recipe.shift;
  if (!recipe.colors) return number;
  const auto& numbers = recipe.colors->numbers;
  if (number < 0 || static_cast<std::size_t>(number) >= numbers.size()) return -1;
  const std::int32_t color = numbers[static_cast<std::size_t>(number)];
  return recipe.is_bgr ? (color & 0xff) << 16 | (color & 0xff00) | (color >> 16 & 0xff) : color;
}

Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> outputs, Size picture,
                          Size model) {
  EP_TRY(auto read, input_cells(recipe, outputs, model));
  const DecidedCells cells = turned(recipe.turn, decided(recipe, std::move(read)));
  const Plan plan = plan_of(recipe, cells.classes.grid, picture, model);
  if (plan.width != 0 && plan.height > kMostPixels / plan.width)
    return Error{ErrorKind::kLimit, "a mask of over 100 megapixels"};
  trace::Answer answer;
  answer.mask = trace::Mask{
      static_cast<std::uint32_t>(plan.height), static_cast<std::uint32_t>(plan.width), {}};
  answer.mask->classes.reserve(plan.height * plan.width);
  for (std::size_t y = 0; y < plan.height; ++y)
    for (std::size_t x = 0; x < plan.width; ++x) {
      const std::int32_t one = class_at(recipe, cells, plan.rows[y], plan.columns[x]);
      const std::int32_t number = number_of(recipe, one);
      if (number < 0 && recipe.colors)
        return Error{ErrorKind::kUsage, "colors: class " + std::to_string(one) + " has no line, '" +
                                            recipe.colors->file + "' has " +
                                            std::to_string(recipe.colors->numbers.size())};
      answer.mask->classes.push_back(number);
    }
  return answer;
}

}  // namespace edgeprobe::postprocess::segmentation
