// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "recipe/field.h"

/// Prints a recipe as text and as sentences, from the rows of its steps; leaves defaults out.
namespace edgeprobe::recipe {

/// "name", or "name(a, b=c)".
std::string written(std::string_view name, const std::vector<std::string>& arguments);
std::string step_text(const Step& step, const void* recipe);
/// The present steps, joined by " | ".
std::string steps_text(Steps steps, const void* recipe);
std::vector<Spelled> spelled(Steps steps, const void* recipe);

/// Prints a value of an argument without its own text function; "" if absent.
std::string value_text(const Field& field, const Value& value);
/// The value of one argument as printed, without its name; "" if absent.
std::string field_text(const Field& field, const void* recipe);
/// True if the argument is printed.
bool is_shown(const Field& field, const void* recipe);
/// Expands a step's `says`: {name} becomes an argument in words; the text in "[name|text]" appears
/// if that argument is printed.
std::string sentence(const Step& step, const void* recipe);

/// The shortest text that parses to the same double.
std::string exact_text(double value);
/// "0.5" or "[1, 2, 3]".
std::string list_text(const std::vector<double>& values);
/// A factor in readable form: as a fraction 1/n if it is one.
std::string factor_text(double factor);

}  // namespace edgeprobe::recipe
