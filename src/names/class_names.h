// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/bytes.h"
#include "core/result.h"
#include "names/names.h"

/// Names of classes from the files that people have (docs/reference/recipes.md, Label files).
namespace edgeprobe::names {

/// The names that a file lists. `column` of a table; "": the one that is meant by its header.
/// kNotFound; kUsage for a column that is not there or not clear; kCorrupt with the line for what
/// is not UTF-8 or not what the rest of the file is; kLimit.
Result<Names> read_class_names(const std::string& path, std::string_view column = {});

/// The same of bytes; `path` tells by its ending what else than its lines a text may be.
Result<Names> class_names(ByteView file, std::string_view path, std::string_view column = {});

}  // namespace edgeprobe::names
