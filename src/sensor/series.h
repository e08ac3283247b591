// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::sensor {

/// A sensor's readings as the app received them, before any conversion.
struct Series {
  std::vector<float> values;  ///< [steps][axes], in the sensor's own unit.
  int axes = 1;
  double rate = 0;  ///< Hz; 0: unknown.
  std::size_t steps() const { return values.size() / static_cast<std::size_t>(axes); }
};

/// Limits of a series (docs/reference/limits.md).
inline constexpr int kMostAxes = 64;
inline constexpr double kLeastRate = 0.001, kMostRate = 1'000'000;
inline constexpr std::size_t kMostValues = std::size_t{1} << 24;

/// Reads a tensor of steps x axes as a series (a leading dimension of 1 is allowed; a single
/// dimension is one axis). Stored values are used unchanged. kUsage for another shape, kCorrupt for
/// a value that is not finite.
Result<Series> series_from(const TensorView& tensor, double rate = 0);

}  // namespace edgeprobe::sensor
