// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "measurements/measurements.h"

/// Statistics of lists of measurements.
namespace edgeprobe::measurements {

/// Statistics of a list, in its unit. The deviation divides by n, as in Kenning; quantiles are
/// linear between two values, as in numpy.percentile.
struct Spread {
  std::size_t count = 0;
  double mean = 0, std = 0, min = 0, max = 0, median = 0, p90 = 0, p99 = 0;
};
/// Empty for an empty list.
std::optional<Spread> spread_of(const std::vector<double>& values);

/// Mean over all CPUs at each moment.
std::vector<double> mean_cpu(const Machine& machine);

/// Quality of a classifier. Means cover the classes with frames; precision and F1 also those that
/// were answered (scikit-learn's "macro"). A class that was never answered has precision 0. Empty
/// if nothing was counted.
struct Quality {
  std::optional<double> accuracy, mean_precision, mean_recall, g_mean, macro_f1, top_5;
  std::optional<double> mean_auc;       ///< Over the classes with an area under the ROC curve.
  std::size_t classes = 0, absent = 0;  ///< Classes without frames.
};
Quality quality_of(const Classification& classification);
/// One class against all others.
struct ClassFigures {
  double frames = 0;
  std::optional<double> recall;         ///< Empty without frames.
  std::optional<double> precision, f1;  ///< Empty with neither frames nor answers.
  std::optional<double> auc, top_5;     ///< Empty if unknown (ClassScores); top_5 without frames.
};
/// In the order of the classes.
std::vector<ClassFigures> figures_by_class(const Classification& classification);
/// The class's name, or its number if it has none.
std::string class_name(const Measurements& measurements, std::size_t index);

/// Area under the precision-recall curve at 101 recalls, as in COCO and Kenning, for an overlap of
/// 0.5. Empty if there are no objects of the class.
std::optional<double> average_precision(const DetectedClass& found);
/// Mean over the classes with objects.
std::optional<double> mean_average_precision(const std::vector<DetectedClass>& classes);

}  // namespace edgeprobe::measurements
