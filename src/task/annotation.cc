// SPDX-License-Identifier: Apache-2.0
#include "task/annotation.h"

#include <algorithm>
#include <utility>

namespace edgeprobe::task {

Annotation annotation_of(std::vector<int> classes) {
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  if (classes.size() == 1) return ClassLabel{classes.front()};
  return ClassSet{std::move(classes)};
}

std::vector<int> classes_of(const Annotation& annotation) {
  if (const auto* label = std::get_if<ClassLabel>(&annotation)) return {label->index};
  if (const auto* set = std::get_if<ClassSet>(&annotation)) return set->indices;
  return {};
}

}  // namespace edgeprobe::task
