// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/devices.h"

namespace edgeprobe::fleet {

/// Texts of the devices that split them in one way: a column for each name. Every device has one;
/// where it does not state it, "(not stated)".
struct TextColumn {
  std::vector<std::string> names;
  std::vector<std::vector<std::optional<std::string>>> values;  ///< One list a name.
};

/// A number of the devices, under the names of which the order is the same; NaN where it is not
/// stated.
struct NumberColumn {
  std::vector<std::string> names;
  std::string unit;
  std::vector<double> values;
};

struct Columns {
  std::vector<TextColumn> texts;
  std::vector<NumberColumn> numbers;
  std::uint64_t same = 0, singular = 0, left_out = 0;  ///< As in Study.
};

/// The facts of all devices that differ between some and are shared by some. Numbers of two values
/// are texts. Texts that are numbers, and of which most are on one device alone, are numbers, too.
Columns columns_of(const std::vector<Device>& devices);

}  // namespace edgeprobe::fleet
