// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace edgeprobe::dataset {

/// The text without blanks and tabs at its ends.
std::string_view trimmed(std::string_view text);

/// The separator of a table's fields: ';' or a tab if the header contains it and no comma, else a
/// comma.
char separator_of(std::string_view header);

/// Splits one line into fields, without surrounding blanks and quotes: CSV's quotes, and single
/// quotes around a whole field (PhysioNet). Between semicolons, a comma is the decimal separator:
/// "0,126" is "0.126".
Result<std::vector<std::string>> fields_of(std::string_view line, char separator);

}  // namespace edgeprobe::dataset
