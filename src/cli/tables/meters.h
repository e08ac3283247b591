// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "meter/read_all.h"

namespace edgeprobe::cli {

/// The output of `doctor --meters`: every reading with its source, or the reason why it is missing.
std::string meters_text(const std::vector<meter::Group>& groups);
/// {"meters": {"memory": [{"name", "value", "unit", "source", "reason"?}, …], …}}
std::string meters_json(const std::vector<meter::Group>& groups);

}  // namespace edgeprobe::cli
