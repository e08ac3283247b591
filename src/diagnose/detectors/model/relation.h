// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace edgeprobe::diagnose {

/// A line through the values of each channel: target = factor * reference + offset.
struct Relation {
  std::vector<double> factors, offsets;  ///< By channel; 1 and 0 where too few values tell.
  double spread = 0;                     ///< Standard deviation of the reference's values.
  double explained = 0;  ///< Fraction of the squared difference that the lines explain.

  bool scales() const;  ///< Some factor is not 1.
  bool shifts() const;  ///< Some offset is not 0.
  /// "1.3 times the reference's values", "… plus 0.2", "… in 3 of 48 channels".
  std::string words() const;
};

/// Values of one layer over some frames, in one layout, with the channel of each.
struct LayerValues {
  std::vector<float> reference, target;
  std::vector<std::size_t> channel;
  std::size_t channels = 1;
};

/// The lines; nothing if they leave a notable part of the difference. Values at either side's
/// smallest or largest one do not count, since an activation may have cut them off.
std::optional<Relation> relation_of(const LayerValues& values);

}  // namespace edgeprobe::diagnose
