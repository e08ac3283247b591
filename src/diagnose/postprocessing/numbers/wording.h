// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "postprocess/anomaly/recipe.h"
#include "postprocess/embedding/recipe.h"
#include "search/change.h"

namespace edgeprobe::diagnose::numbers {

/// Recipe step that a change concerns: "pool".
std::string_view step_of(const search::Change<postprocess::embedding::Recipe>& change);
std::string_view step_of(const search::Change<postprocess::anomaly::Recipe>& change);

/// Describes the app's deviation: "the app takes the first row; the reference's recipe has
/// pool(mean, mask=1)". Looks up `step` in the recipe's text.
std::string difference_words(const std::string& app, std::string_view step,
                             const std::string& recipe);

/// A line of NumPy for the step as in the reference; empty if there is no usual one.
std::string fix_line(std::string_view step, const postprocess::embedding::Recipe& reference);
std::string fix_line(std::string_view step, const postprocess::anomaly::Recipe& reference);

}  // namespace edgeprobe::diagnose::numbers
