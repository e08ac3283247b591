// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/result.h"
#include "sensor/front_end.h"
#include "sensor/series.h"

namespace edgeprobe::sensor {

/// Values of a series or a window, step by step.
struct Table {
  std::size_t steps = 0, axes = 0;
  std::vector<double> values;
  double at(std::size_t step, std::size_t axis) const { return values[step * axes + axis]; }
  double& at(std::size_t step, std::size_t axis) { return values[step * axes + axis]; }
};

/// kUsage for numbers that are invalid for any readings.
Status check(const FrontEnd& front_end);

/// All columns of the readings, resampled to the front end's rate. Linear as np.interp on the
/// steps' times; nearest: the previous step, so that integer factors take every n-th; mean: of that
/// many steps each; poly, sinc and soxr as for sound (audio/resample.h). kUsage if the rate is
/// unknown.
Result<Table> at_rate(const Series& series, const FrontEnd& front_end);
/// The window of the resampled readings. kUsage if it does not fit and no fill is given.
Result<Table> window_of(const Table& at_rate, const FrontEnd& front_end);
/// The model's axes of the window, scaled and normalised: [steps][axes].
Result<Table> values_of(const Table& window, const FrontEnd& front_end);
Result<Table> features(const Series& series, const FrontEnd& front_end);

/// Marks the steps of the window for which nothing is read (window_of() fills them).
std::vector<bool> filled_steps(std::size_t steps, const FrontEnd& front_end);

}  // namespace edgeprobe::sensor
