// SPDX-License-Identifier: Apache-2.0
#include "task/annotation.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace edgeprobe::task {

Annotation annotation_of(std::vector<int> classes) {
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  if (classes.size() == 1) return ClassLabel{classes.front()};
  return ClassSet{std::move(classes)};
}

bool is_coordinate(double value) { return std::fabs(value) <= 1e9; }

std::vector<int> classes_of(const Annotation& annotation) {
  if (const auto* label = std::get_if<ClassLabel>(&annotation)) return {label->index};
  if (const auto* set = std::get_if<ClassSet>(&annotation)) return set->indices;
  return {};
}

}  // namespace edgeprobe::task
