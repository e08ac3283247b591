// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace edgeprobe {

/// True if the whole text matches the pattern: * matches any bytes, ? one byte, everything else
/// itself. Takes at most |pattern| * |text| steps.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace edgeprobe
