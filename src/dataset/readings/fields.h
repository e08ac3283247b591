// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace edgeprobe::dataset {

/// Without blanks and tabs at its ends.
std::string_view trimmed(std::string_view text);

/// ';' or a tab where the header has one and no comma, else a comma.
char separator_of(std::string_view header);

/// The fields of one line, without blanks around them and without quotes: those of CSV, and single
/// ones where the whole field stands in them (PhysioNet). Between semicolons a comma is the decimal
/// one: "0,126" is "0.126".
Result<std::vector<std::string>> fields_of(std::string_view line, char separator);

}  // namespace edgeprobe::dataset
