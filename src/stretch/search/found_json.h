// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "stretch/search/found.h"

namespace edgeprobe::stretch {

/// What a search found as one JSON object (docs/reference/plan.md), for `found` of a plan and for
/// people's own programs; without the plans themselves.
std::string to_json(const Found& found);

}  // namespace edgeprobe::stretch
