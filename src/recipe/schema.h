// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recipe/field.h"

/// The arguments of steps, for people and for programs that write recipes.
namespace edgeprobe::recipe {

/// "word", "whole", "real", "reals", "wholes" or "text".
const char* type_name(Form form);
/// Whether a recipe can say it.
bool is_written(const Field& field);
/// The words that a recipe can say.
std::vector<std::string> words_of(const Field& field);
/// The value of an argument that is left out; nothing where it depends on other arguments.
std::optional<std::string> usual_text(const Field& field);

}  // namespace edgeprobe::recipe
