// SPDX-License-Identifier: Apache-2.0
// Any text: no crash; what parses prints to a text that parses to the same text; small recipes run,
// in front of the model and behind it.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "names/class_names.h"
#include "postprocess/anomaly/score.h"
#include "postprocess/classify.h"
#include "postprocess/embedding/vector.h"
#include "postprocess/pose/recipe.h"
#include "postprocess/segmentation/mask.h"
#include "postprocess/transcript/decode.h"
#include "preprocess/recipe/recipe.h"

using namespace edgeprobe;
using namespace edgeprobe::preprocess;

namespace {

/// Sizes beyond this only cost time.
bool is_small(const Recipe& recipe) {
  for (const Step& step : recipe.steps) {
    if (const auto* resize = std::get_if<Resize>(&step)) {
      if (std::int64_t(resize->height) * resize->width > 4096) return false;
    }
    if (const auto* box = std::get_if<Letterbox>(&step)) {
      if (std::int64_t(box->height) * box->width > 4096) return false;
    }
  }
  if (const auto* readings = readings_of(recipe)) return readings->length <= 4096;
  return true;
}

/// The result may be any numbers, but no crash.
void on_readings(const Recipe& recipe) {
  const sensor::Series series{{0, 1, -2, 3, 4, -5, 6, 7, -8, 9, 10, -11, 12, 13, -14}, 3, 50};
  for (const DType dtype : {DType::kFloat32, DType::kInt8}) {
    const auto tensor = apply(recipe, series, {"input", dtype, {-1}, {{0.05f}, {1}, 0}});
    if (!tensor && tensor.error().what.empty()) std::abort();
  }
}

Image sample() {
  Image image{5, 7, 3, {}};
  for (int i = 0; i < 5 * 7 * 3; ++i) image.pixels.push_back(std::uint8_t(i * 37));
  return image;
}

/// A vector or a score from small tensors.
void numbers_behind(std::string_view text) {
  const Tensor rows = make_tensor("rows", {2, 3}, {1e30f, -2, 0.5f, 0, 7, NAN}),
               mask = make_tensor("mask", {2}, {1, 0});
  const std::array<TensorView, 2> inputs{rows, mask};
  if (const auto recipe = postprocess::embedding::parse(text)) {
    const std::string canonical = postprocess::embedding::to_text(*recipe);
    const auto again = postprocess::embedding::parse(canonical);
    if (!again || !(*again == *recipe)) std::abort();
    const auto answer = postprocess::embedding::run(*recipe, inputs, inputs);
    if (answer && (!answer->vector || answer->vector->size() > 6)) std::abort();
  }
  if (const auto recipe = postprocess::anomaly::parse(text)) {
    const std::string canonical = postprocess::anomaly::to_text(*recipe);
    const auto again = postprocess::anomaly::parse(canonical);
    if (!again || !(*again == *recipe)) std::abort();
    const auto answer = postprocess::anomaly::run(*recipe, inputs, inputs);
    if (answer && (!answer->score || answer->alarm.has_value() != recipe->threshold.has_value()))
      std::abort();
  }
}

/// A text, of a small output and two characters.
void texts_behind(std::string_view text) {
  auto recipe = postprocess::transcript::parse(text);
  if (!recipe) return;
  const auto again = postprocess::transcript::parse(postprocess::transcript::to_text(*recipe));
  if (!again || !(*again == *recipe)) std::abort();
  recipe->dictionary.characters = {"a", "é"};
  for (const std::int64_t classes : {3, 4}) {
    const Tensor rows = make_tensor("rows", {1, 12 / classes, classes},
                                    {1e30f, -2, 0.5f, 0, 7, NAN, 1, 2, 3, 3, 0, 0});
    const TensorView view = rows;
    const auto answer = postprocess::transcript::run(*recipe, std::span(&view, 1));
    if (answer && (!answer->text || answer->scores->size() != 1)) std::abort();
  }
}

/// Post-processing, on a float and on a quantised output.
void behind_the_model(std::string_view text) {
  numbers_behind(text);
  texts_behind(text);
  auto post = postprocess::parse(text);
  if (!post) {
    if (post.error().what.empty()) std::abort();
    return;
  }
  const std::string canonical = postprocess::to_text(*post);
  const auto again = postprocess::parse(canonical);
  if (!again || postprocess::to_text(*again) != canonical) std::abort();
  if (post->labels) {
    if (auto names = names::class_names(view_of(text), "labels.txt"))
      post->labels->table.names = *names;
  }
  Tensor codes{{"codes", DType::kInt8, {1, 4}, {{0.1f}, {-3}, 0}}, {}};
  for (const int code : {-128, 0, 127, 5}) codes.bytes.push_back(static_cast<std::byte>(code));
  for (const Tensor& output : {make_tensor("scores", {1, 4}, {1e30f, -2, 0.5f, 0}), codes}) {
    const TensorView view = output;
    const auto answer = postprocess::run(*post, std::span(&view, 1));
    if (answer && answer->scores->size() != answer->classes->size()) std::abort();
    if (answer && answer->labels && answer->labels->size() != answer->classes->size()) std::abort();
  }
}

/// The same for masks and key points, whose texts need no file.
void places_behind_the_model(std::string_view text) {
  Tensor cells{{"cells", DType::kInt8, {1, 2, 3, 2}, {{0.1f}, {-3}, 0}}, {}};
  for (int i = 0; i < 12; ++i) cells.bytes.push_back(static_cast<std::byte>(i * 37));
  const TensorView view = cells;
  if (auto mask = postprocess::segmentation::parse(text)) {
    const std::string canonical = postprocess::segmentation::to_text(*mask);
    const auto again = postprocess::segmentation::parse(canonical);
    if (!again || postprocess::segmentation::to_text(*again) != canonical) std::abort();
    const bool is_large = mask->resizing && mask->resizing->to &&
                          mask->resizing->to->width * mask->resizing->to->height > 4096;
    if (!is_large)
      if (const auto answer =
              postprocess::segmentation::run(*mask, std::span(&view, 1), {7, 5}, {3, 2});
          answer && answer->mask->classes.size() != answer->mask->height * answer->mask->width)
        std::abort();
  }
  if (auto points = postprocess::pose::parse(text)) {
    const std::string canonical = postprocess::pose::to_text(*points);
    const auto again = postprocess::pose::parse(canonical);
    if (!again || postprocess::pose::to_text(*again) != canonical) std::abort();
    (void)postprocess::pose::run(*points, std::span(&view, 1), {7, 5}, {3, 2});
  }
  if (const auto numbers = postprocess::segmentation::palette_of(view_of(text));
      numbers && numbers->empty())
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  behind_the_model(text);
  places_behind_the_model(text);
  const auto recipe = parse_recipe(text);
  if (recipe && !recipe->post.empty()) behind_the_model(recipe->post);
  if (!recipe) {
    if (recipe.error().what.empty()) std::abort();
    return 0;
  }
  const std::string canonical = to_text(*recipe);
  const auto again = parse_recipe(canonical);
  if (!again || to_text(*again) != canonical) std::abort();
  if (!is_small(*recipe)) return 0;
  if (readings_of(*recipe)) on_readings(*recipe);

  static const Image image = sample();
  for (const DType dtype : {DType::kFloat32, DType::kUInt8, DType::kInt8}) {
    const TensorSpec open{"input", dtype, {-1, -1, -1, -1}, {{0.0078125f}, {1}, 0}};
    const auto tensor = apply(*recipe, image, open);
    if (!tensor) continue;
    const auto values = stored_as_float(*tensor);
    if (!values) std::abort();
    for (const float v : *values) {
      if (!(v - v == 0.0f)) std::abort();
    }
  }
  return 0;
}
