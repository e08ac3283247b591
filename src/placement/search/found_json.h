// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "placement/search/found.h"

namespace edgeprobe::placement {

/// Seconds since 1970 as "2026-11-27T10:02:00Z".
std::string moment_text(std::int64_t seconds);

/// What a search found as one JSON object (docs/reference/plan.md), for `found` of a plan and for
/// people's own programs; without the plans themselves.
std::string to_json(const Found& found);

}  // namespace edgeprobe::placement
