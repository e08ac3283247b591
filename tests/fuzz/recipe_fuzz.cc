// SPDX-License-Identifier: Apache-2.0
// Any text: no crash; what parses prints to a text that parses to the same text; small recipes run.
#include <cstdint>
#include <cstdlib>
#include <string_view>

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
  return true;
}

Image sample() {
  Image image{5, 7, 3, {}};
  for (int i = 0; i < 5 * 7 * 3; ++i) image.pixels.push_back(std::uint8_t(i * 37));
  return image;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto recipe = parse_recipe(text);
  if (!recipe) {
    if (recipe.error().what.empty()) std::abort();
    return 0;
  }
  const std::string canonical = to_text(*recipe);
  const auto again = parse_recipe(canonical);
  if (!again || to_text(*again) != canonical) std::abort();
  if (!is_small(*recipe)) return 0;

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
