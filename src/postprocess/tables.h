// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "postprocess/recipe.h"

namespace edgeprobe::postprocess {

/// Names of a label file: one a line, blanks around it dropped; an empty line within is a class
/// without a name. kCorrupt names the line that is no UTF-8, kLimit a file that is too large.
Result<std::vector<std::string>> table_of(ByteView text);

/// Reads the label files that the recipe names.
Status load_tables(Classification& recipe);

/// The names in that order. kOther: `other`'s; kNumbers: "0", "1", …
std::vector<std::string> in_order(const Labels& labels, TableOrder order);

}  // namespace edgeprobe::postprocess
