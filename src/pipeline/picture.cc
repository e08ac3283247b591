// SPDX-License-Identifier: Apache-2.0
#include "pipeline/picture.h"

namespace edgeprobe::pipeline {
namespace {

Result<preprocess::Image> read_by(const preprocess::Decode& how, const dataset::Loaded& loaded) {
  const std::string step = "recipe step 1 \"" + to_text(preprocess::Step{how}) + "\"";
  if (loaded.encoded.empty())
    return Error{
        ErrorKind::kUsage,
        step + ": it reads the recorded bytes, but only the pixels of this sample were recorded"};
  auto decoded = preprocess::read(dataset::source_of(loaded), how);
  if (!decoded) return std::move(decoded.error()).during(step);
  return std::move(decoded->image);
}

}  // namespace

Result<preprocess::Image> picture_for(const preprocess::Recipe& recipe,
                                      const dataset::Loaded& loaded) {
  const preprocess::Decode* how = preprocess::decode_step(recipe);
  if (!how) return loaded.image;
  return read_by(*how, loaded);
}

Result<Tensor> model_input(const preprocess::Recipe& recipe, const dataset::Loaded& loaded,
                           const TensorSpec& spec) {
  const preprocess::Decode* how = preprocess::decode_step(recipe);
  if (!how) return preprocess::apply(recipe, loaded.image, spec);
  auto picture = read_by(*how, loaded);
  if (!picture) return std::move(picture.error());
  return preprocess::apply(preprocess::without_decode(recipe), *picture, spec);
}

}  // namespace edgeprobe::pipeline
