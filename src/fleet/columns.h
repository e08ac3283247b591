// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/devices.h"

namespace edgeprobe::fleet {

/// Text facts that partition the devices identically: a column for each name. Every device has a
/// value; "(not stated)" if its traces do not state it.
struct TextColumn {
  std::vector<std::string> names;
  std::vector<std::vector<std::optional<std::string>>> values;  ///< One list for each name.
};

/// Numbers that order the devices identically, with all their names; NaN if not stated.
struct NumberColumn {
  std::vector<std::string> names;
  std::string unit;
  std::vector<double> values;
};

struct Columns {
  std::vector<TextColumn> texts;
  std::vector<NumberColumn> numbers;
  std::uint64_t same = 0, singular = 0, left_out = 0;  ///< Same meaning as in Study.
};

/// The facts that differ between some devices and are shared by some. Numbers with two distinct
/// values are treated as texts. Texts that are numbers, and mostly unique to one device, are also
/// treated as numbers.
Columns columns_of(const std::vector<Device>& devices);

}  // namespace edgeprobe::fleet
