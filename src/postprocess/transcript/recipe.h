// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "postprocess/recipe.h"
#include "recipe/steps.h"

/// Recipes for the text after a recogniser whose output has one row of scores per step: read |
/// activate | decode greedily by CTC's rule.
namespace edgeprobe::postprocess::transcript {

/// The class of "no character".
enum class Blank { kFirst, kLast };

/// A class for the space after the characters of the dictionary.
enum class Space {
  kNone,
  kLast,
  kDropped,  ///< It exists, but writes nothing: a fault.
};

/// Equal classes of neighbouring steps. All except the first are faults.
enum class Repeats {
  kMerged,
  kKept,
  kMergedAfter,  ///< Merged after blanks are dropped: "ll" becomes "l".
};

/// Steps with a blank. All except the first are faults, and write this text.
enum class Blanks { kDropped, kDash, kUnderscore, kSpace, kWord };

/// How the scores of steps are combined into one.
enum class Confidence {
  kMean,  ///< Over the steps that write a character, as in PaddleOCR; 0 if there are none.
  kAll,   ///< Over all steps.
  kProduct,
  kLeast,
};

/// A file with the characters in the order of the classes.
struct Dictionary {
  std::string file;
  std::vector<std::string> characters;  ///< Empty until loaded.
  bool operator==(const Dictionary&) const = default;
};

/// An app's processing of a text recogniser's output, as data.
struct Recipe {
  std::size_t output = 0;
  Reading reading = Reading::kCodes;
  std::vector<Activation> activations;
  Dictionary dictionary;
  Blank blank = Blank::kFirst;
  Space space = Space::kNone;
  Repeats repeats = Repeats::kMerged;
  Blanks blanks = Blanks::kDropped;
  Confidence confidence = Confidence::kMean;
  bool is_by_class = false;  ///< [classes, steps] instead of [steps, classes].
  int shift = 0;             ///< A class writes the character this many lines further.
  bool operator==(const Recipe&) const = default;
};

/// The steps in order, as rows.
recipe::Steps steps();

/// True if a text after "||" belongs to a recogniser: one of its steps is ctc.
bool is_transcript(std::string_view text);

/// Parses the text after "||":
///   dequantize | softmax | ctc(keys.txt, space=last)
/// kUsage names the step, the column and the nearest known word.
Result<Recipe> parse(std::string_view text);
/// The canonical text; parse(to_text(r)) returns r without the loaded dictionary.
std::string to_text(const Recipe& recipe);

/// Loads the dictionary of the recipe.
Status load_dictionary(Recipe& recipe);

}  // namespace edgeprobe::postprocess::transcript
