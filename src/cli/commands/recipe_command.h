// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe recipe show RECIPE|MODEL`: the canonical text and what each step does; for a model,
/// its default recipe.
struct RecipeShowArgs {
  std::string what;  ///< A recipe, a file with one, or a .tflite file.
  JsonFlag json;
};
Result<Outcome> run(const RecipeShowArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
