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

/// True classes of a sample with several: any of them is correct.
struct ClassSet {
  std::vector<int> indices;  ///< Ascending, each once; at least two.
  bool operator==(const ClassSet&) const = default;
};

/// One object in a picture.
struct TrueBox {
  int label = -1;    ///< Number of its class.
  std::string name;  ///< Name of the class; may be empty.
  Box box;
  double area = 0;     ///< Area of the object in pixels; smaller than its box if it has an outline.
  bool crowd = false;  ///< Many objects without a border between them.
  bool operator==(const TrueBox&) const = default;
};

/// All objects in a picture, possibly none.
struct TrueBoxes {
  double width = 0, height = 0;  ///< Size of the picture; 0: unknown.
  std::vector<TrueBox> boxes;
  bool operator==(const TrueBoxes&) const = default;
};

/// Bodies in a picture, each with the same number of points.
struct TruePoses {
  double width = 0, height = 0;
  std::vector<TruePose> poses;
  bool operator==(const TruePoses&) const = default;
};

/// A class for each pixel, row-major.
struct TrueMask {
  static constexpr std::uint8_t kIgnored = 255;  ///< Not scored: borders and uncertain pixels.
  std::uint32_t height = 0, width = 0;
  std::shared_ptr<const std::vector<std::uint8_t>> classes;  ///< height x width; not null.
  bool operator==(const TrueMask& other) const {
    return height == other.height && width == other.width && *classes == *other.classes;
  }
};

/// Whether the measured sample is anomalous.
struct TrueAnomaly {
  bool is_anomaly = false;
  bool operator==(const TrueAnomaly&) const = default;
};

/// The expected embedding.
struct TrueVector {
  std::vector<float> values;
  bool operator==(const TrueVector&) const = default;
};

/// The identity: samples with the same identity should find each other by their embeddings.
struct Identity {
  std::string name;
  bool operator==(const Identity&) const = default;
};

/// The spoken or written text.
struct Transcript {
  std::string text;  ///< UTF-8.
  bool operator==(const Transcript&) const = default;
};

/// An annotation that no task of this version reads. It is kept, but not scored.
struct OtherAnnotation {
  std::string kind;
  std::string value;  ///< JSON.
  bool operator==(const OtherAnnotation&) const = default;
};

/// Ground truth for one sample, from people or another source. A task scores answers against the
/// kinds that it knows (task.h); another kind is one more alternative here.
using Annotation = std::variant<ClassLabel, ClassSet, OtherAnnotation, TrueBoxes, TruePoses,
                                TrueMask, TrueAnomaly, TrueVector, Identity, Transcript>;

/// One class or a set, from at least one index in any order.
Annotation annotation_of(std::vector<int> classes);

/// True if a number can be a position or length in a picture, in pixels: finite and within ±1e9.
/// Sums and areas of these numbers stay finite; anything beyond is damage in the file.
bool is_coordinate(double value);

/// Classes that the annotation accepts, for range checks; none for other kinds.
std::vector<int> classes_of(const Annotation& annotation);

}  // namespace edgeprobe::task
