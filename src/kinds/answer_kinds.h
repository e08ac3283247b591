// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/result.h"
#include "kinds/table.h"
#include "postprocess/anomaly/recipe.h"
#include "postprocess/detection/recipe.h"
#include "postprocess/embedding/recipe.h"
#include "postprocess/pose/recipe.h"
#include "postprocess/recipe.h"
#include "postprocess/segmentation/recipe.h"
#include "postprocess/transcript/recipe.h"
#include "trace/answer.h"

namespace edgeprobe::kinds {

/// Kinds of answers that an app derives from a model's outputs.
enum class AnswerId { kClasses, kBoxes, kMask, kPoints, kVector, kScore, kTranscript };
inline constexpr AnswerId kLastAnswer = AnswerId::kTranscript;

/// The parsed half of a recipe after "||"; alternatives are in the order of AnswerId.
using AnswerRecipe = std::variant<postprocess::Classification, postprocess::detection::Recipe,
                                  postprocess::segmentation::Recipe, postprocess::pose::Recipe,
                                  postprocess::embedding::Recipe, postprocess::anomaly::Recipe,
                                  postprocess::transcript::Recipe>;

/// A kind of answer; the rows of the table are in the order of AnswerId.
struct AnswerKind {
  AnswerId id{};
  const char* name = "";     ///< "boxes".
  const char* title = "";    ///< For sentences about the app's answers: "boxes", "answers".
  const char* other = "";    ///< A differing answer of the app: "other boxes".
  const char* pronoun = "";  ///< Pronoun for them: "them".
  /// True if a recipe's text has steps that only this kind has; null: the default kind.
  bool (*has_steps)(std::string_view text) = nullptr;
  Result<AnswerRecipe> (*parse)(std::string_view text) = nullptr;
  recipe::Steps (*steps)() = nullptr;  ///< Steps of its recipe.
  /// True if an app's answer is of this kind.
  bool (*is_in)(const trace::Answer& answer) = nullptr;
};
std::span<const AnswerKind> answer_kinds();
const AnswerKind& kind_of(AnswerId id);
/// Determined by the text after "||".
const AnswerKind& answer_kind_of(std::string_view text);
AnswerId id_of(const AnswerRecipe& recipe);

/// Parses the text after "||" as a recipe of its kind. kUsage names the step and the column.
Result<AnswerRecipe> parse_answer(std::string_view text);
/// Loads the label, name and colour files that a recipe names. Anchors are computed later, from the
/// outputs.
Status load_tables(AnswerRecipe& recipe);
/// The canonical text; parse_answer(to_text(r)) returns r, except for loaded files.
std::string to_text(const AnswerRecipe& recipe);

}  // namespace edgeprobe::kinds
