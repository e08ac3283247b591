// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace edgeprobe::dataset {

/// A time column, with its unit in seconds if the header states it.
struct TimeColumn {
  std::optional<double> unit;
};
/// Recognises a time column by its name in the header; empty for another column.
std::optional<TimeColumn> time_column(std::string_view header);

/// Rate derived from the times of steps.
struct Timing {
  double rate = 0;   ///< Hz, from steps without gaps.
  std::string note;  ///< Same as Recording::note.
};
/// `times`: of each step, in the column's unit, relative to the first. A rate within a
/// two-thousandth of an integer is rounded to it. kUsage, without a position, for times that
/// decrease, repeat, or have an undeterminable unit; `line_of` is the line of step 0.
Result<Timing> timing_of(const std::vector<double>& times, const TimeColumn& column,
                         const std::string& name, std::size_t line_of);

}  // namespace edgeprobe::dataset
