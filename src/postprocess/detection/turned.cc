// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/turned.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace edgeprobe::postprocess::detection {
namespace {

using Outline = std::vector<Corner>;

double area(const Outline& outline) {
  double twice = 0;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Corner &a = outline[i], &b = outline[(i + 1) % outline.size()];
    twice += a[0] * b[1] - b[0] * a[1];
  }
  return std::fabs(twice) / 2;
}

// The part of an outline on the inner side of the line from a to b.
Outline cut(const Outline& outline, const Corner& a, const Corner& b) {
  const auto side = [&](const Corner& p) {
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
  };
  Outline out;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Corner &from = outline[i], &to = outline[(i + 1) % outline.size()];
    const double here = side(from), there = side(to);
    if (here >= 0) out.push_back(from);
    if ((here >= 0) == (there >= 0)) continue;
    const double at = here / (here - there);
    out.push_back({from[0] + at * (to[0] - from[0]), from[1] + at * (to[1] - from[1])});
  }
  return out;
}

double common_area(const Turned& a, const Turned& b) {
  const Corners first = corners(a), second = corners(b);
  Outline outline(first.begin(), first.end());
  for (std::size_t i = 0; i < second.size() && !outline.empty(); ++i)
    outline = cut(outline, second[i], second[(i + 1) % second.size()]);
  return area(outline);
}

// Variances of a uniform distribution over the box.
struct Spread {
  double xx = 0, yy = 0, xy = 0;
};

Spread spread_of(const Turned& box) {
  const double along = box.width * box.width / 12, across = box.height * box.height / 12;
  const double c = std::cos(box.angle), s = std::sin(box.angle);
  return {along * c * c + across * s * s, along * s * s + across * c * c, (along - across) * c * s};
}

// The small constants are Ultralytics': without them, equal boxes would yield the square root of a
// rounding error.
double likeness(const Turned& a, const Turned& b) {
  constexpr double kSmall = 1e-7;
  const Spread p = spread_of(a), q = spread_of(b);
  const double xx = p.xx + q.xx, yy = p.yy + q.yy, xy = p.xy + q.xy;
  const double x = a.x - b.x, y = a.y - b.y, whole = xx * yy - xy * xy;
  const double apart =
      (xx * y * y + yy * x * x) / (whole + kSmall) / 4 - xy * x * y / (whole + kSmall) / 2;
  const double own =
      std::max(p.xx * p.yy - p.xy * p.xy, 0.0) * std::max(q.xx * q.yy - q.xy * q.xy, 0.0);
  const double unlike = std::log(whole / (4 * std::sqrt(own) + kSmall) + kSmall) / 2;
  const double distance = std::clamp(apart + unlike, kSmall, 100.0);
  return 1 - std::sqrt(1 - std::exp(-distance) + kSmall);
}

}  // namespace

Turned turned(const Box& box, double angle) {
  return {(box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2, box.x2 - box.x1, box.y2 - box.y1, angle};
}

Corners corners(const Turned& box) {
  const double c = std::cos(box.angle), s = std::sin(box.angle);
  const Corner along{box.width / 2 * c, box.width / 2 * s};
  const Corner across{-box.height / 2 * s, box.height / 2 * c};
  return {{{box.x - along[0] - across[0], box.y - along[1] - across[1]},
           {box.x + along[0] - across[0], box.y + along[1] - across[1]},
           {box.x + along[0] + across[0], box.y + along[1] + across[1]},
           {box.x - along[0] + across[0], box.y - along[1] + across[1]}}};
}

Box around(const Corners& corners) {
  Box out{corners[0][0], corners[0][1], corners[0][0], corners[0][1]};
  for (const Corner& one : corners) {
    out.x1 = std::min(out.x1, one[0]), out.x2 = std::max(out.x2, one[0]);
    out.y1 = std::min(out.y1, one[1]), out.y2 = std::max(out.y2, one[1]);
  }
  return out;
}

double turned_overlap(const Turned& a, const Turned& b, OverlapOf of) {
  if (!(a.width > 0 && a.height > 0 && b.width > 0 && b.height > 0)) return 0;
  if (of == OverlapOf::kGaussians) return likeness(a, b);
  const double common = common_area(a, b);
  return common / (a.width * a.height + b.width * b.height - common);
}

}  // namespace edgeprobe::postprocess::detection
