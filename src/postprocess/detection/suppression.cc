// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/suppression.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "postprocess/detection/turned.h"

namespace edgeprobe::postprocess::detection {
namespace {

enum class Fate { kKept, kNear, kDropped };

// Position of a box for comparisons.
Box compared(const Detection& one, const Suppression& rule) {
  if (rule.class_offset == 0) return one.box;
  const double right = one.id * rule.class_offset * rule.pixel_width,
               down = one.id * rule.class_offset * rule.pixel_height;
  return {one.box.x1 + right, one.box.y1 + down, one.box.x2 + right, one.box.y2 + down};
}

Turned in_pixels(const Box& box, double angle, const Suppression& rule) {
  const double x = rule.pixel_width > 0 ? rule.pixel_width : 1;
  const double y = rule.pixel_height > 0 ? rule.pixel_height : 1;
  return turned({box.x1 / x, box.y1 / y, box.x2 / x, box.y2 / y}, angle);
}

double overlap_of(const Detection& a, const Detection& b, const Suppression& rule) {
  if (is_of_turned(rule.of))
    return turned_overlap(in_pixels(compared(a, rule), a.angle, rule),
                          in_pixels(compared(b, rule), b.angle, rule), rule.of);
  return overlap(compared(a, rule), compared(b, rule), rule.of, rule.pixel_width,
                 rule.pixel_height);
}

Fate fate_of(const Detection& one, const std::vector<Detection>& better_ones,
             const Suppression& rule) {
  Fate fate = Fate::kKept;
  if (rule.rivals == Rivals::kNone) return fate;
  for (const Detection& better : better_ones) {
    if (rule.rivals == Rivals::kSameClass && better.id != one.id) continue;
    const double by = overlap_of(one, better, rule);
    if (std::abs(by - rule.limit) < rule.near) {
      fate = Fate::kNear;
    } else if (by > rule.limit) {
      return Fate::kDropped;
    }
  }
  return fate;
}

// Each candidate belongs to the first kept box that overlaps it by more than the limit, possibly
// itself.
std::vector<Detection> weighted(std::span<const Detection> candidates,
                                std::span<const std::size_t> order,
                                const std::vector<Detection>& kept, const Suppression& rule) {
  std::vector<Box> sums(kept.size(), Box{0, 0, 0, 0});
  std::vector<double> weights(kept.size());
  std::vector<Detection> out = kept;
  for (const std::size_t index : order) {
    const Detection& one = candidates[index];
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (rule.rivals == Rivals::kSameClass && kept[i].id != one.id) continue;
      if (overlap_of(one, kept[i], rule) <= rule.limit) continue;
      sums[i].x1 += one.score * one.box.x1, sums[i].y1 += one.score * one.box.y1;
      sums[i].x2 += one.score * one.box.x2, sums[i].y2 += one.score * one.box.y2;
      weights[i] += one.score;
      out[i].merged.emplace_back(one.row, one.score);
      break;
    }
  }
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (weights[i] > 0)
      out[i].box = {sums[i].x1 / weights[i], sums[i].y1 / weights[i], sums[i].x2 / weights[i],
                    sums[i].y2 / weights[i]};
  return out;
}

}  // namespace

std::vector<Detection> suppressed(std::span<const Detection> candidates, const Suppression& rule) {
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), 0);
  if (rule.is_sorted)
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return candidates[a].score > candidates[b].score;
    });
  std::vector<Detection> kept, before;
  std::size_t near = 0;
  for (const std::size_t index : order) {
    if (kept.size() >= rule.most + near) break;
    Detection one = candidates[index];
    const Fate fate = fate_of(one, rule.is_by_all ? before : kept, rule);
    if (rule.is_by_all) before.push_back(one);
    if (fate == Fate::kDropped) continue;
    near += fate == Fate::kNear;
    one.is_optional = one.is_optional || fate == Fate::kNear || kept.size() >= rule.most;
    kept.push_back(one);
  }
  if (rule.is_weighted && rule.rivals != Rivals::kNone)
    return weighted(candidates, order, kept, rule);
  return kept;
}

}  // namespace edgeprobe::postprocess::detection
