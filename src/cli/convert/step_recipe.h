// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace edgeprobe::cli {

/// A scenario has one recipe for a model and for the result of its conversion. Changes --recipe
/// among a verb's words to suit `model`: with quantize(model) if its input is integer, without if
/// not. Other recipes, and unreadable models, are left unchanged.
Status fit_recipe(std::vector<std::string>& words, const std::filesystem::path& model);

}  // namespace edgeprobe::cli
