// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "postprocess/segmentation/recipe.h"

namespace edgeprobe::postprocess::segmentation {

/// The class at one position; `score` returns a class's score there.
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

}  // namespace edgeprobe::postprocess::segmentation
