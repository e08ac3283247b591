// SPDX-License-Identifier: Apache-2.0
#include "postprocess/segmentation/plan.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::postprocess::segmentation {
namespace {

using detection::Scale;
using preprocess::Align;

// Positions in cells that float32 cannot distinguish.
constexpr double kNearTie = 1e-4;

// Cells of one axis that the picture covers: first and number.
struct Extent {
  double begin = 0, length = 0;
};

// Whole cells of an axis that the picture covers: an app crops an array. `begin` and `end`: of the
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
  // Steps that floats represent exactly break ties equally in every library.
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

}  // namespace

Plan plan_of(const Recipe& recipe, const Grid& cells, Size picture, Size model) {
  Extent down{0, static_cast<double>(cells.height)}, right{0, static_cast<double>(cells.width)};
  if (recipe.frame != Scale::kStretched) {
    // The model's input in pixels of the picture, whose origin is 0, 0.
    const detection::Box input =
        placed({0, 0, 1, 1}, {recipe.frame, {}, detection::Mirror::kNone, false}, picture, model);
    right = covered(right.length, input.x1, input.x2, picture.width);
    down = covered(down.length, input.y1, input.y2, picture.height);
  }
  // Without resizing, each pixel is a cell.
  const Resizing resizing = recipe.resizing.value_or(Resizing{});
  Size to{right.length, down.length};
  if (recipe.resizing) to = resizing.to.value_or(picture);
  Plan plan{static_cast<std::size_t>(to.height), static_cast<std::size_t>(to.width), {}, {}};
  if (resizing.are_sides_exchanged) std::swap(plan.height, plan.width);
  plan.rows = taps(resizing, plan.height, down);
  plan.columns = taps(resizing, plan.width, right);
  return plan;
}

}  // namespace edgeprobe::postprocess::segmentation
