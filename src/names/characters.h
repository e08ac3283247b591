// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/bytes.h"
#include "core/result.h"
#include "names/names.h"

/// Dictionaries of text recognisers (docs/reference/recipes.md, Text).
namespace edgeprobe::names {

/// The characters of a dictionary, by line: nothing but the end of a line is removed, since a blank
/// is a character too. A YAML file is PaddleOCR's, with PostProcess.character_dict. kNotFound;
/// kCorrupt with the line for text that is not UTF-8; kLimit.
Result<Names> read_characters(const std::string& path);

/// Same for bytes; the extension of `path` determines the kind.
Result<Names> characters(ByteView file, std::string_view path);

}  // namespace edgeprobe::names
