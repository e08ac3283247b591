// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace edgeprobe::task {

/// True class of a sample.
struct ClassLabel {
  int index = -1;
  bool operator==(const ClassLabel&) const = default;
};

/// True classes of a sample that has several: any of them is right.
struct ClassSet {
  std::vector<int> indices;  ///< Ascending, each once; at least two.
  bool operator==(const ClassSet&) const = default;
};

/// An annotation that no task of this version reads. It is kept, and counts in no score.
struct OtherAnnotation {
  std::string kind;
  std::string value;  ///< JSON.
  bool operator==(const OtherAnnotation&) const = default;
};

/// Truth about one sample, as people or another source gave it. A task scores answers against the
/// kinds that it knows (task.h); another kind is one more alternative here.
using Annotation = std::variant<ClassLabel, ClassSet, OtherAnnotation>;

/// One class or a set, of indices in any order; there is at least one.
Annotation annotation_of(std::vector<int> classes);

/// Classes that the annotation accepts, for checks of their range; none for other kinds.
std::vector<int> classes_of(const Annotation& annotation);

}  // namespace edgeprobe::task
