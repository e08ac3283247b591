// SPDX-License-Identifier: Apache-2.0
#include "core/file.h"
#include "core/text.h"
#include "model/properties.h"
#include "names/characters.h"
#include "postprocess/transcript/recipe.h"

namespace edgeprobe::postprocess::transcript {
namespace {

// RapidOCR's models have their dictionary in their metadata.
constexpr const char* kProperty = "character";

Result<names::Names> characters_of_model(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return std::move(file.error()).during("dictionary");
  const auto properties = model::properties(file->bytes());
  const auto found = properties.find(kProperty);
  const std::string title = "dictionary '" + sanitized(path) + "'";
  if (found == properties.end())
    return Error{ErrorKind::kCorrupt, title + ": the model's metadata has no \"" + kProperty +
                                          "\"; give a text file with one character per line"};
  auto all = names::characters(view_of(found->second), "");
  if (!all) return std::move(all.error()).during(title);
  return all;
}

}  // namespace

Status load_dictionary(Recipe& recipe) {
  const std::string& file = recipe.dictionary.file;
  EP_TRY(recipe.dictionary.characters, lower_case(file).ends_with(".onnx")
                                           ? characters_of_model(file)
                                           : names::read_characters(file));
  return {};
}

}  // namespace edgeprobe::postprocess::transcript
