// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "postprocess/recipe.h"

namespace edgeprobe::postprocess {

/// Loads the label files of the recipe.
Status load_tables(Classification& recipe);

/// The names in that order. kOther: `other`'s; kNumbers: "0", "1", …
std::vector<std::string> in_order(const Labels& labels, TableOrder order);

}  // namespace edgeprobe::postprocess
