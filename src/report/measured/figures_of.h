// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "report/measured/document.h"
#include "report/measured/named.h"

namespace edgeprobe::report {

/// Charts of measurements, in report order: lines over time for all sets together, and a confusion
/// matrix for each. Skips charts for which no set has data.
std::vector<Figure> time_figures(std::span<const NamedMeasurements> all);
std::vector<Figure> machine_figures(std::span<const NamedMeasurements> all);
std::vector<Figure> matrix_figures(std::span<const NamedMeasurements> all);

/// Units per second, and the unit's name: 1e3, "ms".
struct TimeUnit {
  double per_second = 1;
  const char* name = "s";
};
/// The unit in which the first set's median has at least one digit before the decimal point.
TimeUnit time_unit(std::span<const NamedMeasurements> all);

}  // namespace edgeprobe::report
