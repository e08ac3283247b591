// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace edgeprobe {

/// The lines of a text, without "\n" or "\r\n" and without a leading byte order mark. A final line
/// end adds no empty line.
std::vector<std::string_view> lines_of(std::string_view text);

/// The fields of one line of a CSV table (RFC 4180, comma): a field in quotes may hold commas, and
/// two quotes stand for one. A record never spans lines. kCorrupt names the column when a quote is
/// left open or text follows a closing one.
Result<std::vector<std::string>> csv_fields(std::string_view line);

}  // namespace edgeprobe
