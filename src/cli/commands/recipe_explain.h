// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "audio/spectrum.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe recipe explain RECIPE DATA [--out DIR]`: shows the effect of each step
/// on one picture (a PNG per step), recording, text or series of readings; for the post-processing
/// half, on the outputs in a trace.
struct RecipeExplainArgs {
  std::string recipe, image, out;
  std::string tokenizer, interpreter;  ///< Tokenizer and Python for text recipes.
  /// A .tflite file whose input the recipe feeds; alternative to `input`.
  std::string model;
  /// The input's spec, such as "1x224x224x3:float32". Without `model` and `input`, only the steps
  /// are shown.
  std::string input;
};
Result<Outcome> run(const RecipeExplainArgs& args, Terminal& terminal);

/// Shows the effect of each step on data other than pictures.
Result<Outcome> explain_text(const RecipeExplainArgs& args, const preprocess::Recipe& recipe,
                             const text::FrontEnd& front_end, Terminal& terminal);
Result<Outcome> explain_readings(const RecipeExplainArgs& args, const preprocess::Recipe& recipe,
                                 const sensor::FrontEnd& front_end, Terminal& terminal);
/// Shows the post-processing half on the outputs in a trace. `post`: its text without "||".
Result<Outcome> explain_behind(const RecipeExplainArgs& args, const std::string& post,
                               Terminal& terminal);

/// True if a file is a PNG, which `recipe explain` may overwrite.
bool is_png(const std::filesystem::path& path);
/// Draws rows as a picture in `folder`: time to the right, the first column at the bottom.
Status draw_rows(const audio::Rows& rows, const std::string& folder, const std::string& file,
                 Terminal& terminal);

}  // namespace edgeprobe::cli
