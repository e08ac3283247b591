// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace edgeprobe::diagnose {

/// A line through the values of each channel: target = factor * reference + offset.
struct Relation {
  struct Line {
    double factor = 1, offset = 0;
  };
  std::vector<Line> lines;  ///< Of the channels with enough values.
  double spread = 0;        ///< Standard deviation of the reference's values.
  double explained = 0;     ///< Fraction of the squared difference that the lines explain.

  bool scales() const;  ///< Some factor is not 1.
  bool shifts() const;  ///< Some offset is not 0.
  /// "1.3 times the reference's values", "… plus 0.2", "… in 3 of 48 channels".
  std::string words() const;
};

/// Values of one layer, frame after frame in one layout.
struct LayerValues {
  std::vector<float> reference, target;
  std::size_t channels = 1, inner = 1;  ///< Value i is of channel i / inner % channels.
};

/// The lines; nothing if they leave a notable part of the difference or of the target's values.
/// Values at a bound that several values of both sides reach, such as the 0 of a ReLU, do not
/// count; nothing if the sides have different bounds.
std::optional<Relation> relation_of(const LayerValues& values);

}  // namespace edgeprobe::diagnose
