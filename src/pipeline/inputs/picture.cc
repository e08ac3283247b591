// SPDX-License-Identifier: Apache-2.0
#include "pipeline/inputs/picture.h"

#include "kinds/input_kinds.h"

namespace edgeprobe::pipeline {
namespace {

Result<preprocess::Image> read_by(const preprocess::Decode& how, const dataset::Picture& picture) {
  const std::string step = "recipe step 1 \"" + to_text(preprocess::Step{how}) + "\"";
  if (picture.encoded.empty())
    return Error{
        ErrorKind::kUsage,
        step + ": it reads the recorded bytes, but only the pixels of this sample were recorded"};
  auto decoded = preprocess::read(dataset::source_of(picture), how);
  if (!decoded) return std::move(decoded.error()).during(step);
  return std::move(decoded->image);
}

Result<Tensor> made_of(const dataset::Picture& picture, const preprocess::Recipe& recipe,
                       const TensorSpec& spec) {
  const preprocess::Decode* how = preprocess::decode_step(recipe);
  if (!how) return preprocess::apply(recipe, picture.image, spec);
  EP_TRY(auto image, read_by(*how, picture));
  return preprocess::apply(preprocess::without_decode(recipe), image, spec);
}

Result<Tensor> made_of(const dataset::Arrays& recorded, const preprocess::Recipe& recipe,
                       const TensorSpec& spec) {
  if (kinds::kind_of(recipe).reads_arrays) {
    const auto series = dataset::readings_of(recorded);
    return series ? preprocess::apply(recipe, *series, spec) : series.error();
  }
  if (recorded.picture) return made_of(*recorded.picture, recipe, spec);
  return Error{ErrorKind::kUsage,
               "a recipe makes the model input of a picture, but recorded tensors were given"};
}

Result<Tensor> made_of(const dataset::Sound& sound, const preprocess::Recipe& recipe,
                       const TensorSpec& spec) {
  return preprocess::apply(recipe, sound.clip, spec);
}

Result<Tensor> made_of(const dataset::Readings& readings, const preprocess::Recipe& recipe,
                       const TensorSpec& spec) {
  return preprocess::apply(recipe, readings.series, spec);
}

Result<Tensor> made_of(const dataset::Text&, const preprocess::Recipe&, const TensorSpec&) {
  return Error{
      ErrorKind::kUsage,
      "the data is a text, and the recipe is of another kind: give one with tokenize, e.g. "
      "--recipe 'tokenize | special(cls=101, sep=102) | truncate(128) | pad(128) | mask' "
      "--tokenizer tokenizer.json (docs/reference/recipes.md)"};
}

}  // namespace

Result<preprocess::Image> picture_for(const preprocess::Recipe& recipe,
                                      const dataset::Picture& picture) {
  const preprocess::Decode* how = preprocess::decode_step(recipe);
  if (!how) return picture.image;
  return read_by(*how, picture);
}

Result<Tensor> model_input(const preprocess::Recipe& recipe, const dataset::Picture& picture,
                           const TensorSpec& spec) {
  return made_of(picture, recipe, spec);
}

Result<Tensor> model_input(const preprocess::Recipe& recipe, const dataset::RawInput& input,
                           const TensorSpec& spec) {
  return std::visit([&](const auto& kind) { return made_of(kind, recipe, spec); }, input);
}

}  // namespace edgeprobe::pipeline
