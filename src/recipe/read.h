// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "recipe/field.h"
#include "recipe/scanner.h"

/// From text to a recipe, by the rows of its steps. `recipe` is the value that the rows are about.
namespace edgeprobe::recipe {

/// Whether one of the steps tells that the text is of this kind; false for one that cannot be read.
bool is_of_kind(std::string_view text, Steps steps);
bool is_of_kind(const RecipeText& text, Steps steps);

/// The step of that name; null when there is none.
const Step* find_step(Steps steps, std::string_view name);
std::vector<std::string> step_names(Steps steps);
/// The argument "step.argument"; null when there is none.
const Field* find_field(Steps steps, std::string_view name);
const Field* find_field(const Step& step, std::string_view name);

/// Writes the value of an argument that is there into its member.
Status read_value(Arguments& arguments, const Field& field, const Argument& given, void* recipe);
/// Reads the arguments of one step; all of them have to be known.
Status read_step(Arguments& arguments, const Step& step, void* recipe);
/// Reads only the rows: other arguments stay.
Status read_fields(Arguments& arguments, std::span<const Field> fields, void* recipe);

/// kUsage where `step` may not follow `before` (null: it is the first) because steps run in the
/// order of their places, each once.
Status follows(const Arguments& arguments, const Step& step, const Step* before);

/// How a parser of whole recipes words that a step stands at the wrong place.
enum class Manner {
  kPlain,    ///< Twice, then excluded, then in front of another.
  kByOrder,  ///< In front of another, then twice or excluded, the later step named first.
};
/// The error of an unknown step.
using Refusal = Error (*)(const Arguments&, const StepText&);

/// Reads all steps of a text into `recipe`, and gives those that are there, in order. Of two steps
/// with one name the first is meant until its place is passed.
Result<std::vector<const Step*>> read_steps(std::string_view text, Steps steps, void* recipe,
                                            Manner manner = Manner::kPlain,
                                            Refusal refusal = nullptr);

/// Values that an app may have given an argument: its words, or numbers that are tried.
std::vector<Value> other_values(const Field& field);
/// Makes the members that a step is about as in another recipe.
void copy_step(const Step& step, void* to, const void* from);

/// Whether one of them has this name.
bool has_step(const std::vector<const Step*>& steps, std::string_view name);

}  // namespace edgeprobe::recipe
