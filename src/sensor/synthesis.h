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

/// kUsage for numbers that no front end can have, whatever the readings are.
Status check(const FrontEnd& front_end);

/// Every column of the readings at the front end's rate. Linear as np.interp on the steps' times;
/// nearest: the step before, so that whole factors take every n-th; mean: of so many steps each;
/// poly, sinc and soxr as for sound (audio/resample.h). kUsage where the rate is not known.
Result<Table> at_rate(const Series& series, const FrontEnd& front_end);
/// Of that the window. kUsage where it does not fit and nothing says what fills it.
Result<Table> window_of(const Table& at_rate, const FrontEnd& front_end);
/// Of that the model's axes, scaled and normalised: [steps][axes].
Result<Table> values_of(const Table& window, const FrontEnd& front_end);
Result<Table> features(const Series& series, const FrontEnd& front_end);

/// Steps of the window that nothing is read for, by step (window_of fills them).
std::vector<bool> filled_steps(std::size_t steps, const FrontEnd& front_end);

}  // namespace edgeprobe::sensor
