// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recipe/field.h"

/// The arguments of steps, for display and for programs that write recipes.
namespace edgeprobe::recipe {

/// "word", "whole", "real", "reals", "wholes" or "text".
const char* type_name(Form form);
/// True if a recipe can contain it.
bool is_written(const Field& field);
/// The words that a recipe can contain.
std::vector<std::string> words_of(const Field& field);
/// The default value of an omitted argument; empty if it depends on other arguments.
std::optional<std::string> usual_text(const Field& field);

}  // namespace edgeprobe::recipe
