// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "measurements/measurements.h"

/// What lists of measurements come to.
namespace edgeprobe::measurements {

/// Of a list, in its unit. The deviation is that of the list itself (n), as Kenning's; quantiles
/// are linear between two values, as numpy.percentile.
struct Spread {
  std::size_t count = 0;
  double mean = 0, std = 0, min = 0, max = 0, median = 0, p90 = 0, p99 = 0;
};
/// Nothing for an empty list.
std::optional<Spread> spread_of(const std::vector<double>& values);

/// Mean over all CPUs at each moment.
std::vector<double> mean_cpu(const Machine& machine);

/// How good a classifier is. Means go over the classes of which a frame is there; precision and F1
/// over those that were answered as well (scikit-learn's "macro"). A class that was never answered
/// has precision 0. Nothing where nothing was counted.
struct Quality {
  std::optional<double> accuracy, mean_precision, mean_recall, g_mean, macro_f1, top_5;
  std::size_t classes = 0, absent = 0;  ///< Of them without a frame.
};
Quality quality_of(const Classification& classification);
/// Of each class; nothing for one without a frame.
std::vector<std::optional<double>> recalls(const Classification& classification);
/// Of each class; nothing for one that was neither there nor answered.
std::vector<std::optional<double>> precisions(const Classification& classification);

/// Area under the curve of precision over recall at 101 recalls, as COCO and Kenning have it, for
/// an overlap of a half. Nothing where nothing of the class is there.
std::optional<double> average_precision(const DetectedClass& found);
/// Mean over the classes of which something is there.
std::optional<double> mean_average_precision(const std::vector<DetectedClass>& classes);

}  // namespace edgeprobe::measurements
