// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options/flags.h"
#include "cli/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe recipe show RECIPE|MODEL`: the canonical text and what each step does; for a model,
/// its default recipe.
struct RecipeShowArgs {
  std::string what;  ///< A recipe, a file with one, or a .tflite file.
  JsonFlag json;
};
Result<Outcome> run(const RecipeShowArgs& args, Terminal& terminal);

/// `edgeprobe recipe explain RECIPE DATA [--out DIR]`: what each step does to one picture (a PNG a
/// step), recording, text or series of readings; of the half behind the model, what it makes of the
/// outputs that a trace holds.
struct RecipeExplainArgs {
  std::string recipe, image, out;
  std::string tokenizer, interpreter;  ///< Of a recipe of text.
  std::string model;                   ///< A .tflite file whose input the recipe feeds, or
  /// that input itself: "1x224x224x3:float32". Without both only the steps are shown.
  std::string input;
};
Result<Outcome> run(const RecipeExplainArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
