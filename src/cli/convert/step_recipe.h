// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace edgeprobe::cli {

/// Adapts --recipe in a verb's words to `model`: adds quantize(model) if its input is integer, and
/// removes it if not. A scenario has only one recipe, for a model and for the result of its
/// conversion. Other recipes, and unreadable models, are left unchanged.
Status fit_recipe(std::vector<std::string>& words, const std::filesystem::path& model);

}  // namespace edgeprobe::cli
