// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::sensor {

/// Readings of a sensor as the app got them, before any conversion.
struct Series {
  std::vector<float> values;  ///< [steps][axes], in the sensor's own unit.
  int axes = 1;
  double rate = 0;  ///< Hz; 0: not known.
  std::size_t steps() const { return values.size() / static_cast<std::size_t>(axes); }
};

/// Limits of a series (docs/reference/limits.md).
inline constexpr int kMostAxes = 64;
inline constexpr double kLeastRate = 0.001, kMostRate = 1'000'000;
inline constexpr std::size_t kMostValues = std::size_t{1} << 24;

/// The series that a tensor of steps x axes holds (a leading dimension of 1 may stand before; one
/// dimension alone is one axis). Stored values are taken as they are. kUsage for another shape,
/// kCorrupt for a value that is not finite.
Result<Series> series_from(const TensorView& tensor, double rate = 0);

}  // namespace edgeprobe::sensor
