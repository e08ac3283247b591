// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace edgeprobe::text {

/// Offset of the first byte that is not part of well-formed UTF-8 (Unicode 15, table 3-7); empty if
/// all are.
std::optional<std::size_t> first_bad_byte(std::string_view text);

}  // namespace edgeprobe::text
