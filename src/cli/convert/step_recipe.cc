// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/step_recipe.h"

#include <algorithm>

#include "cli/convert/converter.h"
#include "model/graph.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::cli {
namespace {

constexpr std::string_view kStep = " | quantize(model)";

/// The recipe's whole text, read from its file if it is one.
Result<std::string> text_of(const std::string& recipe) {
  EP_TRY(const auto read, preprocess::load_recipe(recipe));
  return preprocess::to_text(read);
}

}  // namespace

Status fit_recipe(std::vector<std::string>& words, const std::filesystem::path& model) {
  const auto flag = std::find(words.begin(), words.end(), "--recipe");
  if (flag == words.end() || flag + 1 == words.end()) return {};
  model::FileBytes file;
  const auto graph = model::load(model, file);
  if (!graph || graph->inputs.size() != 1) return {};
  std::string& recipe = *(flag + 1);
  const auto text = text_of(recipe);
  // The verb reports a syntax error itself, with its position.
  if (!text) return {};
  const std::string with = recipe_for(*text, *graph);
  if (with != *text) {
    recipe = with;
    return {};
  }
  const TensorSpec& input = graph->tensors[static_cast<std::size_t>(graph->inputs.front())].spec;
  const std::size_t at = text->find(kStep);
  if (at != std::string::npos && input.quantization.empty())
    recipe = text->substr(0, at) + text->substr(at + kStep.size());
  return {};
}

}  // namespace edgeprobe::cli
