// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "task/answers/statistic.h"

namespace edgeprobe::task {

/// Mean of one score for each frame; empty if no counted frame has a score.
inline std::optional<double> mean_score(const std::vector<std::optional<double>>& scores,
                                        Weights weights) {
  double sum = 0;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!scores[i]) continue;
    sum += *scores[i] * weights[i];
    count += weights[i];
  }
  return count ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

}  // namespace edgeprobe::task
