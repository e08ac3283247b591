// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "task/metrics/box.h"
#include "task/metrics/key_points.h"

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

/// One thing in a picture.
struct TrueBox {
  int label = -1;    ///< Number of its class.
  std::string name;  ///< Of the class; may be empty.
  Box box;
  double area = 0;     ///< Of the thing itself, in pixels: with an outline smaller than its box.
  bool crowd = false;  ///< Many of them without a border between.
  bool operator==(const TrueBox&) const = default;
};

/// All things in a picture, or none.
struct TrueBoxes {
  double width = 0, height = 0;  ///< Of the picture; 0: not known.
  std::vector<TrueBox> boxes;
  bool operator==(const TrueBoxes&) const = default;
};

/// Bodies in a picture, with equally many points each.
struct TruePoses {
  double width = 0, height = 0;
  std::vector<TruePose> poses;
  bool operator==(const TruePoses&) const = default;
};

/// A class for each pixel, row-major.
struct TrueMask {
  static constexpr std::uint8_t kIgnored = 255;  ///< Counts neither way: borders, what is not sure.
  std::uint32_t height = 0, width = 0;
  std::shared_ptr<const std::vector<std::uint8_t>> classes;  ///< height x width; not null.
  bool operator==(const TrueMask& other) const {
    return height == other.height && width == other.width && *classes == *other.classes;
  }
};

/// Whether something is wrong with what was measured.
struct TrueAnomaly {
  bool is_anomaly = false;
  bool operator==(const TrueAnomaly&) const = default;
};

/// The embedding that is right.
struct TrueVector {
  std::vector<float> values;
  bool operator==(const TrueVector&) const = default;
};

/// Who or what it is: those of one identity should be found by each other's embeddings.
struct Identity {
  std::string name;
  bool operator==(const Identity&) const = default;
};

/// What was said or written.
struct Transcript {
  std::string text;  ///< UTF-8.
  bool operator==(const Transcript&) const = default;
};

/// An annotation that no task of this version reads. It is kept, and counts in no score.
struct OtherAnnotation {
  std::string kind;
  std::string value;  ///< JSON.
  bool operator==(const OtherAnnotation&) const = default;
};

/// Truth about one sample, as people or another source gave it. A task scores answers against the
/// kinds that it knows (task.h); another kind is one more alternative here.
using Annotation = std::variant<ClassLabel, ClassSet, OtherAnnotation, TrueBoxes, TruePoses,
                                TrueMask, TrueAnomaly, TrueVector, Identity, Transcript>;

/// One class or a set, of indices in any order; there is at least one.
Annotation annotation_of(std::vector<int> classes);

/// Whether a number can be a place or a length in a picture, in pixels: finite and at most 1e9 away
/// from 0. Sums and areas of such numbers stay finite; what a file holds beyond is damage.
bool is_coordinate(double value);

/// Classes that the annotation accepts, for checks of their range; none for other kinds.
std::vector<int> classes_of(const Annotation& annotation);

}  // namespace edgeprobe::task
