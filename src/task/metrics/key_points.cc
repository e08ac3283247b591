// SPDX-License-Identifier: Apache-2.0
#include "task/metrics/key_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace edgeprobe::task {
namespace {

// Nose, eyes, ears, shoulders, elbows, wrists, hips, knees, ankles: constants of the dataset.
constexpr double kBodySpreads[] = {.026, .025, .025, .035, .035, .079, .079, .072, .072,
                                   .062, .062, .107, .107, .087, .087, .089, .089};
constexpr double kOtherSpread = .05;
constexpr double kTiny = std::numeric_limits<double>::epsilon();

}  // namespace

bool is_labelled(const TruePose& pose) {
  return std::any_of(pose.points.begin(), pose.points.end(),
                     [](const Point& point) { return point[2] > 0; });
}

std::vector<double> spreads_of(std::size_t count) {
  if (count == std::size(kBodySpreads)) return {std::begin(kBodySpreads), std::end(kBodySpreads)};
  return std::vector<double>(count, kOtherSpread);
}

double object_similarity(std::span<const Point> found, const TruePose& truth,
                         std::span<const double> spreads) {
  const bool any = is_labelled(truth);
  // Without a labelled point, use the distance of the detection from the box, doubled in size.
  const double left = truth.box.x - truth.box.width, right = truth.box.x + 2 * truth.box.width,
               top = truth.box.y - truth.box.height, bottom = truth.box.y + 2 * truth.box.height;
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < spreads.size(); ++i) {
    const Point& mark = truth.points[i];
    if (any && !(mark[2] > 0)) continue;
    ++count;
    const double x = found[i][0], y = found[i][1];
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    const double dx = any ? x - mark[0] : std::max(0.0, left - x) + std::max(0.0, x - right),
                 dy = any ? y - mark[1] : std::max(0.0, top - y) + std::max(0.0, y - bottom);
    const double variance = (2 * spreads[i]) * (2 * spreads[i]);
    sum += std::exp(-(dx * dx + dy * dy) / variance / (truth.area + kTiny) / 2);
  }
  return count ? sum / static_cast<double>(count) : 0;
}

std::optional<bool> is_correct_point(const Point& found, const TruePose& truth, std::size_t index,
                                     double fraction) {
  const Point& mark = truth.points[index];
  if (!(mark[2] > 0)) return std::nullopt;
  const double most = fraction * std::max(truth.box.width, truth.box.height);
  return std::hypot(found[0] - mark[0], found[1] - mark[1]) <= most;
}

}  // namespace edgeprobe::task
