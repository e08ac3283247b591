// SPDX-License-Identifier: Apache-2.0
#include "compare/outputs/changed_classes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "task/answers/answer_task.h"

namespace edgeprobe::compare {
namespace {

/// Tolerance, since 8-bit codes do not sum exactly to one.
constexpr double kSumsToOne = 0.05;
/// A healthy integer model changes the class in two of twelve frames.
constexpr std::size_t kLeastChanged = 3;

bool are_probabilities(const std::vector<float>& values) {
  if (values.size() < 2) return false;
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return std::fabs(sum - 1) < kSumsToOne &&
         std::all_of(values.begin(), values.end(), [](float p) { return p >= 0; });
}

std::ptrdiff_t first_class(const std::vector<float>& scores) {
  return std::max_element(scores.begin(), scores.end()) - scores.begin();
}

}  // namespace

std::size_t changed_classes(const std::vector<const Tensor*>& a,
                            const std::vector<const Tensor*>& b) {
  std::size_t changed = 0;
  for (std::size_t frame = 0; frame < a.size(); ++frame) {
    const auto of_a = to_float(*a[frame]), of_b = to_float(*b[frame]);
    if (!of_a || !of_b || of_a->size() != of_b->size() || !are_probabilities(*of_a)) return 0;
    changed += first_class(*of_a) != first_class(*of_b);
  }
  const double share = static_cast<double>(changed) / static_cast<double>(a.size());
  const bool too_many =
      changed >= kLeastChanged && share > task::answer_floor(task::kClasses, false, a.size());
  return too_many ? changed : 0;
}

}  // namespace edgeprobe::compare
