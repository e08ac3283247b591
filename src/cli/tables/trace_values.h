// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compare/value_counts.h"

namespace edgeprobe::cli {

/// The lines below "values" of `trace info --values`: one row per tensor, by channel.
std::string values_text(const trace::Reader& reader,
                        const std::vector<std::optional<compare::ValueCounts>>& counts);
/// {values, least, most, nan, infinite, zeros, denormal, saturated, beyond_float16}; null for a
/// tensor without plain numbers.
nlohmann::ordered_json values_json(const std::optional<compare::ValueCounts>& counts);

}  // namespace edgeprobe::cli
