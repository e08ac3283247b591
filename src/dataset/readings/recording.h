// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "sensor/series.h"

namespace edgeprobe::dataset {

/// A sensor's readings in a file, with the file's data about each step.
struct Recording {
  sensor::Series series;
  std::vector<std::string> axes;  ///< Names of the series' axes, from the file's header.
  std::vector<int> classes;       ///< Class of each step, -1 if unknown; empty: no classes.
  std::string note;               ///< A sentence about irregular time steps; may be empty.
};

/// The most frequent class of the steps from `begin` on; -1 if none is known, or for a tie.
int majority(const Recording& recording, std::size_t begin, std::size_t steps);

/// True if a table is a recording, judged by its header and first row: it has numbers, and no
/// column of texts (`text`, `text_a`) or files (`file`).
bool is_recording(std::string_view text);

/// Reads a recording from a CSV table (RFC 4180): a header line with the names of the axes, one
/// step per row. Columns named x, y and z (with any prefix: "acc_x") are put into this order if the
/// file has no other axes; other axes keep the file's order. Optional columns are `label` (a class
/// number, or a name in `classes`; empty: unknown) and a time column, from which the rate is
/// derived: time, timestamp or t, with _s, _ms, _us or _ns; seconds_elapsed. Without a unit,
/// seconds are assumed if that means more than one step per second. kUsage names the line and the
/// problem, prefixed with `title`.
Result<Recording> read_recording(std::string_view text, const std::string& title,
                                 const std::vector<std::string>& classes);

}  // namespace edgeprobe::dataset
