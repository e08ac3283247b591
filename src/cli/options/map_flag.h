// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/parser.h"
#include "compare/align/names.h"

namespace edgeprobe::cli {

/// --map FILE: corresponding tensors of the two sides.
void add_map(Parser& parser, std::string& file);
/// The pairs in the file; none without a file.
Result<std::vector<compare::MappedNames>> map_from(const std::string& file);

}  // namespace edgeprobe::cli
