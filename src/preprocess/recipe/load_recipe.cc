// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "core/file.h"
#include "core/text.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::preprocess {
namespace {

constexpr std::size_t kLongestPath = 4096;

/// Replace comments by blanks, so that lines and columns in messages match the file.
std::string without_comments(std::string_view text) {
  std::string out(text);
  bool comment = false;
  for (char& c : out) {
    if (c == '\n') comment = false;
    else if (c == '#') comment = true;
    if (comment) c = ' ';
  }
  return out;
}

bool names_a_file(std::string_view text) {
  if (text.empty() || text.size() > kLongestPath ||
      text.find_first_of(std::string_view("\n\0", 2)) != text.npos) {
    return false;
  }
  std::error_code failure;
  return std::filesystem::exists(std::filesystem::path(text), failure);
}

}  // namespace

Result<Recipe> load_recipe(std::string_view text_or_path) {
  if (!names_a_file(text_or_path)) {
    // A single word with a slash or an extension is a mistyped path, not a step.
    const bool step = text_or_path.find_first_of("(|") != text_or_path.npos;
    if (!step && text_or_path.find_first_of("/.") != text_or_path.npos) {
      return Error{
          ErrorKind::kNotFound,
          "no recipe file \"" + sanitized(text_or_path) +
              "\"; a recipe is such a file, or text like \"resize(224x224, bilinear) | "
              "color(rgb) | scale(0..1)\" "
              "(docs/reference/recipes.md): x / 255 is scale(0..1), x / 127.5 - 1 is scale(-1..1)"};
    }
    return parse_recipe(text_or_path);
  }
  auto bytes = read_file(std::filesystem::path(text_or_path), kMostRecipeText);
  if (!bytes) return std::move(bytes).error().during("recipe file");
  auto recipe = parse_recipe(without_comments(ByteView(*bytes).text()));
  if (!recipe) return std::move(recipe).error().during("recipe file " + sanitized(text_or_path));
  return recipe;
}

}  // namespace edgeprobe::preprocess
