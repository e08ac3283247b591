// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace edgeprobe {

/// Whether the whole text is as the pattern says: * stands for any bytes, ? for one; everything
/// else for itself. Takes at most |pattern| * |text| steps.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace edgeprobe
