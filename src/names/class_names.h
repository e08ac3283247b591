// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/bytes.h"
#include "core/result.h"
#include "names/names.h"

/// Class names from the common kinds of files (docs/reference/recipes.md, Label files).
namespace edgeprobe::names {

/// The names in a file. `column` is a column of a table; if "", the header decides. kNotFound;
/// kUsage for a missing or ambiguous column; kCorrupt with the line for text that is not UTF-8 or
/// does not match the rest of the file; kLimit.
Result<Names> read_class_names(const std::string& path, std::string_view column = {});

/// The names in a file's bytes; the extension of `path` helps to determine the kind of a text.
Result<Names> class_names(ByteView file, std::string_view path, std::string_view column = {});

}  // namespace edgeprobe::names
