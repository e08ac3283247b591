// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <variant>
#include <vector>

namespace edgeprobe::task {

/// True class of a sample.
struct ClassLabel {
  int index = -1;
  bool operator==(const ClassLabel&) const = default;
};

/// Truth about one sample, as people or another source gave it. A task scores answers against the
/// kinds that it knows (task.h); another kind is one more alternative here.
using Annotation = std::variant<ClassLabel>;

/// Classes that the annotation accepts, for checks of their range; none for other kinds.
std::vector<int> classes_of(const Annotation& annotation);

}  // namespace edgeprobe::task
