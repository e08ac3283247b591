// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "recipe/field.h"
#include "recipe/scanner.h"

/// Parses a recipe by the rows of its steps. `recipe` is the object that the rows refer to.
namespace edgeprobe::recipe {

/// True if one of the steps identifies the text as this kind; false for an unreadable text.
bool is_of_kind(std::string_view text, Steps steps);
bool is_of_kind(const RecipeText& text, Steps steps);

/// The step of that name; null if there is none.
const Step* find_step(Steps steps, std::string_view name);
std::vector<std::string> step_names(Steps steps);
/// The argument "step.argument"; null if there is none.
const Field* find_field(Steps steps, std::string_view name);
const Field* find_field(const Step& step, std::string_view name);

/// Writes the value of a given argument into its member.
Status read_value(Arguments& arguments, const Field& field, const Argument& given, void* recipe);
/// Reads the arguments of one step; unknown ones are an error.
Status read_step(Arguments& arguments, const Step& step, void* recipe);
/// Reads only the rows: other arguments remain.
Status read_fields(Arguments& arguments, std::span<const Field> fields, void* recipe);

/// kUsage if `step` may not follow `before` (null: it is the first), because steps run in the order
/// of their places, each once.
Status follows(const Arguments& arguments, const Step& step, const Step* before);

/// How a parser of whole recipes reports a misplaced step.
enum class Manner {
  kPlain,    ///< First a repetition, then an exclusion, then a wrong order.
  kByOrder,  ///< First a wrong order, then a repetition or exclusion, naming the later step first.
};
/// The error of an unknown step.
using Refusal = Error (*)(const Arguments&, const StepText&);

/// Reads all steps of a text into `recipe`, and returns the present ones in order. Of two steps
/// with the same name, the first applies until its place is passed.
Result<std::vector<const Step*>> read_steps(std::string_view text, Steps steps, void* recipe,
                                            Manner manner = Manner::kPlain,
                                            Refusal refusal = nullptr);

/// Other values that an app may have used: the argument's words, or numbers to try.
std::vector<Value> other_values(const Field& field);
/// Copies the members of a step from another recipe.
void copy_step(const Step& step, void* to, const void* from);

/// True if one of the steps has this name.
bool has_step(const std::vector<const Step*>& steps, std::string_view name);

}  // namespace edgeprobe::recipe
