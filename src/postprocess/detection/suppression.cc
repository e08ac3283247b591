// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/suppression.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace edgeprobe::postprocess::detection {
namespace {

enum class Fate { kKept, kNear, kDropped };

Fate fate_of(const Detection& one, const std::vector<Detection>& kept, const Suppression& rule) {
  Fate fate = Fate::kKept;
  if (rule.rivals == Rivals::kNone) return fate;
  for (const Detection& better : kept) {
    if (rule.rivals == Rivals::kSameClass && better.id != one.id) continue;
    const double by = overlap(one.box, better.box, rule.of, rule.pixel_width, rule.pixel_height);
    if (std::abs(by - rule.limit) < rule.near) {
      fate = Fate::kNear;
    } else if (by > rule.limit) {
      return Fate::kDropped;
    }
  }
  return fate;
}

}  // namespace

std::vector<Detection> suppressed(std::span<const Detection> candidates, const Suppression& rule) {
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), 0);
  if (rule.is_sorted)
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return candidates[a].score > candidates[b].score;
    });
  std::vector<Detection> kept;
  std::size_t near = 0;
  for (const std::size_t index : order) {
    if (kept.size() >= rule.most + near) break;
    Detection one = candidates[index];
    const Fate fate = fate_of(one, kept, rule);
    if (fate == Fate::kDropped) continue;
    near += fate == Fate::kNear;
    one.is_optional = one.is_optional || fate == Fate::kNear || kept.size() >= rule.most;
    kept.push_back(one);
  }
  return kept;
}

}  // namespace edgeprobe::postprocess::detection
