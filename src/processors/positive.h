// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "meter/reading.h"

namespace edgeprobe::processors {

/// The whole number in a file, when it is above 0: a capacity, a frequency or a state of 0 says
/// nothing.
inline std::optional<std::int64_t> positive(const meter::Root& root, const std::string& inside) {
  const auto text = meter::read_text(root / inside);
  const auto value = text ? meter::whole_number(*text) : std::nullopt;
  return value && *value > 0 ? value : std::nullopt;
}

}  // namespace edgeprobe::processors
