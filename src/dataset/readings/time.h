// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace edgeprobe::dataset {

/// A column of time: how many seconds one of its numbers is, where the header says it.
struct TimeColumn {
  std::optional<double> unit;
};
/// By its name in the header; nothing for another column.
std::optional<TimeColumn> time_column(std::string_view header);

/// What times of steps say of their rate.
struct Timing {
  double rate = 0;   ///< Hz, of the steps that are no gap.
  std::string note;  ///< As of a recording.
};
/// `times`: of each step, in the column's unit, from the first on. Whole numbers of Hz are taken as
/// such within a two thousandth. kUsage, without a place, for times that go back, stand still, or
/// have no unit and might be anything; `line_of` is the line of step 0.
Result<Timing> timing_of(const std::vector<double>& times, const TimeColumn& column,
                         const std::string& name, std::size_t line_of);

}  // namespace edgeprobe::dataset
