// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "sensor/series.h"

namespace edgeprobe::dataset {

/// Readings of a sensor as a file holds them, and what the file says of each step.
struct Recording {
  sensor::Series series;
  std::vector<std::string> axes;  ///< Names of the series' axes, by the file's header.
  std::vector<int> classes;       ///< Of each step, -1 where it is not known; empty: none.
  std::string note;               ///< A sentence on steps of time that are irregular; or empty.
};

/// The class that most of the steps from `begin` on have; -1 where none is known or several are as
/// frequent.
int majority(const Recording& recording, std::size_t begin, std::size_t steps);

/// Whether a table is a recording, by its header and first row: numbers, and neither texts (`text`,
/// `text_a`) nor files (`file`).
bool is_recording(std::string_view text);

/// A recording of a CSV table (RFC 4180): a header line with the names of the axes, one step a row.
/// Columns called x, y and z (whatever stands before: "acc_x") come in this order if the file has
/// no other axes, else axes are in the file's order. Beside them may stand `label` (a class number,
/// or a name of `classes`; empty: not known) and a column of time, which the rate is derived from:
/// time, timestamp or t, with _s, _ms, _us or _ns; seconds_elapsed. Without a unit they are
/// seconds, where that gives more than one step a second. kUsage names the line and what is wrong
/// with it, `title` in front.
Result<Recording> read_recording(std::string_view text, const std::string& title,
                                 const std::vector<std::string>& classes);

}  // namespace edgeprobe::dataset
