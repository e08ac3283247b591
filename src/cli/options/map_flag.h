// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/parser.h"
#include "compare/align/names.h"

namespace edgeprobe::cli {

/// --map FILE: tensors of both sides that belong together.
void add_map(Parser& parser, std::string& file);
/// What the file says; nothing where none is named.
Result<std::vector<compare::MappedNames>> map_from(const std::string& file);

}  // namespace edgeprobe::cli
