// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/text/fleet.h"

namespace edgeprobe::report {

/// The device part of a table of traces. Text and page are empty for fewer than three devices; text
/// has at most 100 columns.
std::string fleet_text(const Fleet& fleet);
std::string fleet_html(const Fleet& fleet);
nlohmann::ordered_json fleet_json(const Fleet& fleet);

}  // namespace edgeprobe::report
