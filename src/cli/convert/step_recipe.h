// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace edgeprobe::cli {

/// A scenario has one recipe for a model and for the result of its conversion: sets --recipe among
/// the words of a verb to the one for `model`, with quantize(model) where its input is integers,
/// without where it is not. Other recipes, and models that cannot be read, stay as they are.
Status fit_recipe(std::vector<std::string>& words, const std::filesystem::path& model);

}  // namespace edgeprobe::cli
