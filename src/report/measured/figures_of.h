// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "report/measured/document.h"
#include "report/measured/named.h"

namespace edgeprobe::report {

/// Charts of what was measured, in the order of a report: lines over time of all sets together, a
/// confusion matrix of each. Nothing for what none of them has.
std::vector<Figure> time_figures(std::span<const NamedMeasurements> all);
std::vector<Figure> machine_figures(std::span<const NamedMeasurements> all);
std::vector<Figure> matrix_figures(std::span<const NamedMeasurements> all);

/// Times in this many units a second, and its name: 1e3, "ms".
struct TimeUnit {
  double per_second = 1;
  const char* name = "s";
};
/// In which the median of the first set has at least one digit before the point.
TimeUnit time_unit(std::span<const NamedMeasurements> all);

}  // namespace edgeprobe::report
