// SPDX-License-Identifier: Apache-2.0
#include "postprocess/segmentation/mask.h"

#include <algorithm>
#include <cmath>

#include "postprocess/classify.h"

namespace edgeprobe::postprocess::segmentation {
namespace {

using detection::Scale;
using preprocess::Align;

constexpr std::size_t kMostPixels = 100'000'000;
// Places in cells that float32 does not tell apart.
constexpr double kNearTie = 1e-4;

Error no_cells(const Recipe& recipe, const TensorSpec& spec) {
  const char* const wanted =
      recipe.decision == Decision::kArgmax
          ? recipe.is_channels_first ? "[1,C,H,W] of scores" : "[1,H,W,C] of scores"
          : "[1,H,W] or [1,H,W,1]";
  return Error{ErrorKind::kUsage, "output " + std::to_string(recipe.output) + " is " +
                                      edgeprobe::to_text(spec.shape) + ": a mask is made of " +
                                      wanted};
}

// Over the classes of each cell.
void activate_cells(const Recipe& recipe, const Cells& cells, std::vector<float>& values) {
  std::vector<double> scores(cells.classes);
  const auto index = [&cells](std::size_t y, std::size_t x, std::size_t c) {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(y) * cells.down +
                                    static_cast<std::ptrdiff_t>(x) * cells.right +
                                    static_cast<std::ptrdiff_t>(c) * cells.next_class);
  };
  for (std::size_t y = 0; y < cells.height; ++y)
    for (std::size_t x = 0; x < cells.width; ++x) {
      for (std::size_t c = 0; c < cells.classes; ++c) scores[c] = values[index(y, x, c)];
      for (const Activation activation : recipe.activations) activate(activation, scores);
      for (std::size_t c = 0; c < cells.classes; ++c)
        values[index(y, x, c)] = static_cast<float>(scores[c]);
    }
}

void transpose(Cells& cells) {
  std::swap(cells.height, cells.width);
  std::swap(cells.down, cells.right);
}

void mirror(Cells& cells) {
  cells.first += static_cast<std::ptrdiff_t>(cells.width - 1) * cells.right;
  cells.right = -cells.right;
}

void flip(Cells& cells) {
  cells.first += static_cast<std::ptrdiff_t>(cells.height - 1) * cells.down;
  cells.down = -cells.down;
}

// Cells of one axis that the picture covers: where they begin and how many there are.
struct Extent {
  double begin = 0, length = 0;
};

// Whole cells of an axis that the picture covers: an app cuts an array. `begin` and `end`: of the
// model's input, in pixels of the picture.
Extent covered(double cells, double begin, double end, double picture) {
  const double step = cells / (end - begin);
  const double first = std::clamp(std::nearbyint(-begin * step), 0.0, cells - 1);
  const double last = std::clamp(std::nearbyint((picture - begin) * step), first + 1, cells);
  return {first, last - first};
}

std::vector<Tap> taps(const Resizing& resizing, std::size_t to, Extent extent) {
  std::vector<Tap> out(to);
  const double least = extent.begin, most = extent.begin + extent.length - 1;
  const double count = static_cast<double>(to);
  // Steps that floats hold exactly tie alike in every library.
  const bool is_exact = std::fmod(65536 * extent.length, count) == 0;
  for (std::size_t i = 0; i < to; ++i) {
    const double place = static_cast<double>(i), step = extent.length / count;
    double at = 0;
    switch (resizing.align) {
      case Align::kHalfPixel: at = (place + 0.5) * step - (resizing.is_bilinear ? 0.5 : 0); break;
      case Align::kLegacy: at = place * step; break;
      case Align::kCorners: at = to > 1 ? place * (extent.length - 1) / (count - 1) : 0; break;
    }
    at += extent.begin;
    const double beyond = resizing.align == Align::kCorners ? at + 0.5 : at;
    const bool is_tie = !resizing.is_bilinear && !is_exact && at > least + 0.25 &&
                        at < most + 0.75 && std::fabs(beyond - std::nearbyint(beyond)) < kNearTie;
    if (!resizing.is_bilinear)
      at = resizing.align == Align::kCorners ? std::round(at) : std::floor(at + 1e-9);
    at = std::clamp(at, least, most);
    const double low = std::floor(at);
    double high = std::min(low + 1, most);
    if (is_tie && low == std::nearbyint(beyond)) high = low - 1;
    out[i] = {static_cast<std::size_t>(low), static_cast<std::size_t>(std::max(high, least)),
              at - low, is_tie};
  }
  return out;
}

template <class Value>
double between(const Plan& plan, std::size_t y, std::size_t x, Value value) {
  const Tap &row = plan.rows[y], &column = plan.columns[x];
  const auto along = [&](std::size_t at) {
    return (1 - column.weight) * value(at, column.low) + column.weight * value(at, column.high);
  };
  return (1 - row.weight) * along(row.low) + row.weight * along(row.high);
}

double score_of(const Recipe& recipe, const Cells& cells, const Plan& plan, std::size_t y,
                std::size_t x, std::size_t c) {
  const auto score = [&](std::size_t row, std::size_t column) {
    return static_cast<double>(cells.at(row, column, c));
  };
  const bool is_between =
      recipe.resizing && recipe.resizing->is_of_scores && recipe.resizing->is_bilinear;
  return is_between ? between(plan, y, x, score) : score(plan.rows[y].low, plan.columns[x].low);
}

template <class Score>
std::int32_t decide(const Recipe& recipe, std::size_t classes, Score score) {
  switch (recipe.decision) {
    case Decision::kIds: {
      const double id = score(0);
      return std::isnan(id) ? -1 : static_cast<std::int32_t>(std::clamp(id, -1e9, 1e9));
    }
    case Decision::kThreshold: return score(0) >= recipe.threshold;
    case Decision::kArgmax: break;
  }
  std::size_t best = 0;
  double most = score(0);
  for (std::size_t c = 1; c < classes; ++c)
    if (const double one = score(c); one > most) most = one, best = c;
  return static_cast<std::int32_t>(best);
}

}  // namespace

Result<Cells> cells_of(const Recipe& recipe, std::span<const TensorView> outputs) {
  if (recipe.output >= outputs.size())
    return Error{ErrorKind::kUsage, "output(" + std::to_string(recipe.output) +
                                        "): the model has " + std::to_string(outputs.size()) +
                                        " outputs, counted from 0"};
  const TensorView& output = outputs[recipe.output];
  Shape shape = output.spec->shape;
  if (shape.size() > 2 && shape.front() == 1) shape.erase(shape.begin());
  const bool has_classes = recipe.decision == Decision::kArgmax;
  if (!has_classes && shape.size() == 3 && shape.back() == 1) shape.pop_back();
  if (!has_classes && shape.size() == 3 && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() != (has_classes ? 3U : 2U)) return no_cells(recipe, *output.spec);
  std::size_t all = 1;
  for (const std::int64_t side : shape) {
    if (side <= 0 || static_cast<std::size_t>(side) > kMostPixels)
      return no_cells(recipe, *output.spec);
    all *= static_cast<std::size_t>(side);
    if (all > kMostPixels) return no_cells(recipe, *output.spec);
  }
  Cells cells;
  const bool is_planes = has_classes && recipe.is_channels_first;
  const auto side = [&shape](std::size_t i) { return static_cast<std::size_t>(shape[i]); };
  cells.height = side(is_planes ? 1 : 0), cells.width = side(is_planes ? 2 : 1);
  cells.classes = has_classes ? side(is_planes ? 0 : 2) : 1;
  const auto step = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
  cells.right = is_planes ? 1 : step(cells.classes);
  cells.down = step(cells.width) * cells.right;
  cells.next_class = is_planes ? step(cells.height * cells.width) : 1;
  auto read = read_values(recipe.reading, output);
  if (!read) return std::move(read.error());
  if (read->size() != all) return no_cells(recipe, *output.spec);
  std::vector<float> values(read->begin(), read->end());
  if (!recipe.activations.empty()) activate_cells(recipe, cells, values);
  cells.values = std::make_shared<const std::vector<float>>(std::move(values));
  return cells;
}

Cells as_seen(const Recipe& recipe, Cells cells) {
  const auto step = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
  switch (recipe.misreading) {
    case Misreading::kNone: break;
    case Misreading::kOtherLayout:
      if (recipe.is_channels_first) {
        cells.right = step(cells.classes), cells.next_class = 1;
      } else {
        cells.right = 1, cells.next_class = step(cells.height * cells.width);
      }
      cells.down = step(cells.width) * cells.right;
      break;
    case Misreading::kOverRows:
      std::swap(cells.height, cells.classes), std::swap(cells.down, cells.next_class);
      transpose(cells);
      break;
    case Misreading::kOverColumns:
      std::swap(cells.width, cells.classes), std::swap(cells.right, cells.next_class);
      break;
  }
  switch (recipe.turn) {
    case Turn::kNone: break;
    case Turn::kTransposed: transpose(cells); break;
    case Turn::kLeftRight: mirror(cells); break;
    case Turn::kUpsideDown: flip(cells); break;
    case Turn::kHalf: mirror(cells), flip(cells); break;
    case Turn::kQuarter: transpose(cells), flip(cells); break;
    case Turn::kThreeQuarters: transpose(cells), mirror(cells); break;
    case Turn::kAntiTransposed: transpose(cells), mirror(cells), flip(cells); break;
  }
  return cells;
}

Plan plan_of(const Recipe& recipe, const Cells& cells, Size picture, Size model) {
  Extent down{0, static_cast<double>(cells.height)}, right{0, static_cast<double>(cells.width)};
  if (recipe.frame != Scale::kStretched) {
    // The model's input in pixels of the picture, which lies at 0, 0.
    const detection::Box input =
        placed({0, 0, 1, 1}, {recipe.frame, {}, detection::Mirror::kNone, false}, picture, model);
    right = covered(right.length, input.x1, input.x2, picture.width);
    down = covered(down.length, input.y1, input.y2, picture.height);
  }
  // Without resizing a pixel is a cell.
  const Resizing resizing = recipe.resizing.value_or(Resizing{});
  Size to{right.length, down.length};
  if (recipe.resizing) to = resizing.to.value_or(picture);
  Plan plan{static_cast<std::size_t>(to.height), static_cast<std::size_t>(to.width), {}, {}};
  if (resizing.are_sides_exchanged) std::swap(plan.height, plan.width);
  plan.rows = taps(resizing, plan.height, down);
  plan.columns = taps(resizing, plan.width, right);
  return plan;
}

trace::Mask decided(const Recipe& recipe, const Cells& cells) {
  trace::Mask mask{
      static_cast<std::uint32_t>(cells.height), static_cast<std::uint32_t>(cells.width), {}};
  mask.classes.reserve(cells.height * cells.width);
  for (std::size_t y = 0; y < cells.height; ++y)
    for (std::size_t x = 0; x < cells.width; ++x)
      mask.classes.push_back(decide(recipe, cells.classes, [&](std::size_t c) {
        return static_cast<double>(cells.at(y, x, c));
      }));
  return mask;
}

std::int32_t class_at(const Recipe& recipe, const Cells& cells, const trace::Mask& classes,
                      const Plan& plan, std::size_t y, std::size_t x) {
  if (recipe.resizing && recipe.resizing->is_of_scores)
    return decide(recipe, cells.classes,
                  [&](std::size_t c) { return score_of(recipe, cells, plan, y, x, c); });
  const auto id = [&](std::size_t row, std::size_t column) {
    return classes.classes[row * cells.width + column];
  };
  if (!recipe.resizing || !recipe.resizing->is_bilinear)
    return id(plan.rows[y].low, plan.columns[x].low);
  const double value = between(plan, y, x, id);
  return static_cast<std::int32_t>(recipe.resizing->is_cut_down ? std::floor(value + 1e-6)
                                                                : std::nearbyint(value));
}

std::int32_t class_at_tie(const Recipe& recipe, const Cells& cells, const trace::Mask& classes,
                          const Plan& plan, std::size_t y, std::size_t x, bool rows, bool columns) {
  const auto other = [](Tap tap) {
    if (tap.is_tie) tap.low = tap.high;
    return tap;
  };
  Plan one{1, 1, {plan.rows[y]}, {plan.columns[x]}};
  if (rows) one.rows[0] = other(one.rows[0]);
  if (columns) one.columns[0] = other(one.columns[0]);
  return class_at(recipe, cells, classes, one, 0, 0);
}

double score_at(const Recipe& recipe, const Cells& cells, const Plan& plan, std::size_t y,
                std::size_t x) {
  return score_of(recipe, cells, plan, y, x, 0);
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
  auto read = cells_of(recipe, outputs);
  if (!read) return std::move(read.error());
  const Cells cells = as_seen(recipe, *std::move(read));
  const Plan plan = plan_of(recipe, cells, picture, model);
  if (plan.width != 0 && plan.height > kMostPixels / plan.width)
    return Error{ErrorKind::kLimit, "a mask of over 100 megapixels"};
  trace::Mask classes;
  if (!(recipe.resizing && recipe.resizing->is_of_scores)) classes = decided(recipe, cells);
  trace::Answer answer;
  answer.mask = trace::Mask{
      static_cast<std::uint32_t>(plan.height), static_cast<std::uint32_t>(plan.width), {}};
  answer.mask->classes.reserve(plan.height * plan.width);
  for (std::size_t y = 0; y < plan.height; ++y)
    for (std::size_t x = 0; x < plan.width; ++x) {
      const std::int32_t one = class_at(recipe, cells, classes, plan, y, x);
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
