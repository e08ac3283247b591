// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/text.h"
#include "preprocess/picture/state.h"
#include "preprocess/recipe/picture_words.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::preprocess {
namespace {

std::string upper_case(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = char(c - 'a' + 'A');
  return text;
}

std::string note_of(const State& state) {
  const Raster& raster = state.raster;
  const auto [least, most] = std::minmax_element(raster.values.begin(), raster.values.end());
  std::string note =
      std::to_string(raster.height) + "x" + std::to_string(raster.width) + "x" +
      std::to_string(raster.channels) + ", " +
      (raster.channels == 1 ? "gray" : upper_case(recipe::word_of(kOrderWords, state.order)));
  if (state.nchw) note += ", stored channel by channel (NCHW)";
  note += ", " + (state.stored ? std::string(name(*state.stored)) : std::string("real")) +
          " values " + number(double(*least)) + ".." + number(double(*most));
  return note;
}

Explained explained(std::string step, const State& state) {
  return {std::move(step), state.raster, note_of(state), state.low, state.high};
}

}  // namespace

Result<std::vector<Explained>> explain(const Recipe& recipe, const Image& image,
                                       const TensorSpec& model_input) {
  if (image.height <= 0 || image.width <= 0 || image.pixels.empty()) {
    return Error{ErrorKind::kUsage, "the image has no pixels"};
  }
  State state;
  state.raster = to_raster(image);
  std::vector<Explained> out{explained("image", state)};
  std::size_t held = state.raster.values.size() * sizeof(float);
  for (std::size_t i = 0; i < recipe.steps.size(); ++i) {
    const std::string text = to_text(recipe.steps[i]);
    if (auto done = run_step(recipe.steps[i], model_input, state); !done) {
      return std::move(done).error().during("recipe step " + std::to_string(i + 1) + " \"" + text +
                                            "\"");
    }
    held += state.raster.values.size() * sizeof(float);
    if (held > kMostExplained) {
      return Error{ErrorKind::kLimit, "the pictures of all steps together pass " +
                                          bytes_text(double(kMostExplained)) +
                                          "; explain a smaller image"};
    }
    out.push_back(explained(text, state));
  }
  return out;
}

Image picture(const Explained& explained) {
  Raster raster = explained.after;
  const double span = explained.high - explained.low;
  for (float& v : raster.values)
    v = span > 0 ? float((double(v) - explained.low) / span * 255.0) : 0.0f;
  return to_image(raster);
}

}  // namespace edgeprobe::preprocess
