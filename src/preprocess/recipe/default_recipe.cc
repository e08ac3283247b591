// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "core/text.h"
#include "preprocess/picture/values.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::preprocess {
namespace {

struct Frame {
  int height = 0, width = 0, channels = 0;
  bool nchw = false;
};

bool channels_like(std::int64_t n) { return n == 1 || n == 3; }
bool side_like(std::int64_t n) { return n > 3 && n <= kMostSide; }

/// Height, width, channels and layout if the shape is unambiguous.
std::optional<Frame> frame_of(Shape shape) {
  if (shape.size() == 4) {
    if (shape[0] != 1 && shape[0] != -1) return {};
    shape.erase(shape.begin());
  } else if (shape.size() == 3 && shape[0] == 1 && side_like(shape[1]) && side_like(shape[2])) {
    return Frame{int(shape[1]), int(shape[2]), 1, false};
  }
  if (shape.size() != 3) return {};
  if (channels_like(shape[2]) && side_like(shape[0]) && side_like(shape[1])) {
    return Frame{int(shape[0]), int(shape[1]), int(shape[2]), false};
  }
  if (channels_like(shape[0]) && side_like(shape[1]) && side_like(shape[2])) {
    return Frame{int(shape[1]), int(shape[2]), int(shape[0]), true};
  }
  return {};
}

/// The usual range that the codes of a quantised input represent. Any other range (-2.1..2.6, MFCC
/// features) means a pre-processing that the model does not declare.
Result<Scale> range_of(const TensorSpec& input) {
  const auto codes = *integer_range(input.dtype);
  const double scale = double(input.quantization.scale_at(0));
  const double zero = double(input.quantization.zero_point_at(0));
  const Scale exact{scale * (codes.least - zero), scale * (codes.most - zero)};
  constexpr std::array<Scale, 3> kUsual{{{0, 1}, {-1, 1}, {0, 255}}};
  for (const Scale& usual : kUsual) {
    // A tolerance of two steps of 255 accepts 0.992 for 1, which is -1..1 in codes of 1/128.
    const double slack = 2.0 * (usual.high - usual.low) / 255.0;
    if (std::abs(usual.low - exact.low) < slack && std::abs(usual.high - exact.high) < slack)
      return usual;
  }
  return Error{ErrorKind::kUsage,
               "the quantisation of the model's input represents " + number(exact.low) + ".." +
                   number(exact.high) +
                   ", which is not a usual range of pixels (0..1, -1..1, 0..255): "
                   "give a recipe"};
}

bool is_quantized(const TensorSpec& input) {
  if (!integer_range(input.dtype) || input.quantization.empty() || input.quantization.per_channel())
    return false;
  const float step = input.quantization.scale_at(0);
  return step > 0 && std::isfinite(step);
}

}  // namespace

std::optional<Scale> stated_range(const TensorSpec& model_input) {
  if (!is_quantized(model_input)) return std::nullopt;
  const auto range = range_of(model_input);
  return range ? std::optional<Scale>(*range) : std::nullopt;
}

Result<Recipe> default_recipe(const TensorSpec& model_input, const std::optional<Scale>& range) {
  const auto frame = frame_of(model_input.shape);
  if (!frame) {
    return Error{
        ErrorKind::kUsage,
        "the model's input has the shape " + edgeprobe::to_text(model_input.shape) +
            ", which is not a single image of known size (1xHxWx3, 1x3xHxW, or one channel): "
            "give a recipe that makes it from a picture, a recording, a text or a sensor's "
            "readings (docs/reference/recipes.md), or the inputs as they are: --data "
            "FILE.npz, or probe.describe(inputs=\"tensors\") in a recorded app "
            "(docs/guides/tensors.md)"};
  }
  Recipe recipe;
  recipe.steps.push_back(Resize{frame->height, frame->width, {}, Rounding::kFloat});
  if (frame->channels == 1) recipe.steps.push_back(Gray{});
  else recipe.steps.push_back(Color{});
  const auto scale_to = [&](const Scale& to) {
    if (to.low != 0 || to.high != 255) recipe.steps.push_back(to);
  };
  if (is_float(model_input.dtype)) {
    scale_to(range.value_or(Scale{0, 1}));
  } else if (!integer_range(model_input.dtype)) {
    return Error{ErrorKind::kUnsupported,
                 std::string("a model input of type ") + name(model_input.dtype) +
                     "; recipes make float32, float16, uint8, int8, uint16 and int16"};
  } else if (is_quantized(model_input)) {
    EP_TRY(const auto own, range_of(model_input));
    scale_to(own);
    recipe.steps.push_back(Quantize{});
  } else if (model_input.dtype == DType::kInt8) {
    recipe.steps.push_back(Scale{-128, 127});
    recipe.steps.push_back(Cast{DType::kInt8});
  } else {
    recipe.steps.push_back(Cast{model_input.dtype});
  }
  recipe.steps.push_back(Layout{frame->nchw});
  return recipe;
}

}  // namespace edgeprobe::preprocess
