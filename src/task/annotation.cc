// SPDX-License-Identifier: Apache-2.0
#include "task/annotation.h"

namespace edgeprobe::task {

std::vector<int> classes_of(const Annotation& annotation) {
  if (const auto* label = std::get_if<ClassLabel>(&annotation)) return {label->index};
  return {};
}

}  // namespace edgeprobe::task
