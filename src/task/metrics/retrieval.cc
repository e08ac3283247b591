// SPDX-License-Identifier: Apache-2.0
#include "task/metrics/retrieval.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace edgeprobe::task {

std::optional<double> cosine(std::span<const float> a, std::span<const float> b) {
  double both = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += double{a[i]} * double{b[i]};
    aa += double{a[i]} * double{a[i]};
    bb += double{b[i]} * double{b[i]};
  }
  if (!(aa > 0 && bb > 0) || !std::isfinite(aa) || !std::isfinite(bb)) return std::nullopt;
  return std::clamp(both / (std::sqrt(aa) * std::sqrt(bb)), -1.0, 1.0);
}

std::vector<std::optional<Retrieved>> retrieve(std::span<const std::span<const float>> embeddings,
                                               std::span<const std::string> identities) {
  std::vector<std::optional<Retrieved>> all;
  for (std::size_t query = 0; query < embeddings.size(); ++query) {
    // Similarity, and whether it has the same identity.
    std::vector<std::pair<double, bool>> others;
    std::size_t same = 0;
    bool any = false;
    for (std::size_t other = 0; other < embeddings.size(); ++other) {
      if (other == query) continue;
      const auto similarity = cosine(embeddings[query], embeddings[other]);
      any = any || similarity;
      const bool is_same = identities[other] == identities[query];
      same += is_same;
      others.emplace_back(similarity.value_or(-2), is_same);
    }
    if (same == 0) {
      all.emplace_back();
      continue;
    }
    Retrieved found;
    if (any) {
      // Of equally similar ones, other identities come first.
      std::sort(others.begin(), others.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
      });
      found.first = others.front().second;
      for (std::size_t i = 0; i < std::min<std::size_t>(5, others.size()); ++i)
        found.among_five = found.among_five || others[i].second;
      std::size_t right = 0;
      for (std::size_t i = 0; i < others.size();) {
        const std::size_t before = right, begin = i;
        for (; i < others.size() && others[i].first == others[begin].first; ++i)
          right += others[i].second;
        found.average_precision += static_cast<double>(right - before) / static_cast<double>(same) *
                                   static_cast<double>(right) / static_cast<double>(i);
      }
    }
    all.emplace_back(found);
  }
  return all;
}

}  // namespace edgeprobe::task
