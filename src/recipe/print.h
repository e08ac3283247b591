// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "recipe/field.h"

/// From a recipe to text and to sentences, by the rows of its steps: what is as in an untouched
/// recipe is left out.
namespace edgeprobe::recipe {

/// "name", or "name(a, b=c)".
std::string written(std::string_view name, const std::vector<std::string>& arguments);
std::string step_text(const Step& step, const void* recipe);
/// The steps that are there, joined by " | ".
std::string steps_text(Steps steps, const void* recipe);
std::vector<Spelled> spelled(Steps steps, const void* recipe);

/// A value as an argument is written that has no text of its own; "" for an absent one.
std::string value_text(const Field& field, const Value& value);
/// The value of one argument as it is written, without its name; "" for an absent one.
std::string field_text(const Field& field, const void* recipe);
/// Whether the argument is printed.
bool is_shown(const Field& field, const void* recipe);
/// The sentence `says` of a step: {name} stands for an argument in words, "[name|text]" for a text
/// that is there where that argument is printed.
std::string sentence(const Step& step, const void* recipe);

/// The shortest text that reads back as the same double.
std::string exact_text(double value);
/// "0.5" or "[1, 2, 3]".
std::string list_text(const std::vector<double>& values);
/// A factor as people write it: one part of a whole number where it is one.
std::string factor_text(double factor);

}  // namespace edgeprobe::recipe
