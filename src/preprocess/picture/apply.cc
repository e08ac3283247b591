// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "preprocess/picture/geometry.h"
#include "preprocess/picture/resize.h"
#include "preprocess/picture/state.h"
#include "preprocess/picture/values.h"

namespace edgeprobe::preprocess {
namespace {

Error usage(std::string what) { return {ErrorKind::kUsage, std::move(what)}; }

/// The shapes in which these pixels may be stored, for this layout.
std::vector<Shape> candidates(const Raster& raster, bool nchw) {
  const std::int64_t h = raster.height, w = raster.width, c = raster.channels;
  std::vector<Shape> shapes;
  if (nchw) shapes = {{1, c, h, w}, {c, h, w}};
  else shapes = {{1, h, w, c}, {h, w, c}};
  if (c == 1) {
    // With one channel, both layouts hold the same bytes.
    shapes.insert(shapes.end(), {{1, h, w, 1}, {1, 1, h, w}, {1, h, w}, {h, w}, {h, w, 1}});
  }
  shapes.insert(shapes.end(), {{1, h * w * c}, {h * w * c}});
  return shapes;
}

std::optional<Shape> matching(const Raster& raster, bool nchw, const Shape& wanted) {
  for (const Shape& shape : candidates(raster, nchw)) {
    if (fits(shape, wanted)) return shape;
  }
  return {};
}

std::string shape_advice(const State& state, const Shape& wanted) {
  const Raster& raster = state.raster;
  if (matching(raster, !state.nchw, wanted)) {
    return state.nchw ? "change layout(nchw) to layout(nhwc)" : "add layout(nchw)";
  }
  Raster other{raster.height, raster.width, raster.channels == 1 ? 3 : 1, {}};
  if (matching(other, state.nchw, wanted) || matching(other, !state.nchw, wanted)) {
    return raster.channels == 1 ? "add color(rgb), which makes three channels of a gray image"
                                : "add gray";
  }
  return "change the last resize or letterbox so that it gives the model's height and width";
}

Result<Shape> final_shape(const State& state, const TensorSpec& input) {
  if (auto shape = matching(state.raster, state.nchw, input.shape)) return *shape;
  const Shape made = candidates(state.raster, state.nchw).front();
  return usage("the recipe makes " + edgeprobe::to_text(made) + " but the model's input is " +
               edgeprobe::to_text(input.shape) + ": " + shape_advice(state, input.shape));
}

Status check_dtype(const State& state, DType wanted) {
  const std::string made = state.stored ? name(*state.stored) : "real numbers";
  if (is_float(wanted)) return {};
  if (!integer_range(wanted)) {
    return Error{ErrorKind::kUnsupported,
                 std::string("a model input of type ") + name(wanted) +
                     "; recipes make float32, float16, uint8, int8, uint16 and int16"};
  }
  if (state.stored && *state.stored == wanted) return {};
  if (state.stored && integer_range(*state.stored)) {
    return usage("the recipe ends in " + made + " but the model's input is " + name(wanted) +
                 ": change its cast or quantize step");
  }
  // Raw pixels fit uint8 unchanged; other values would be clipped silently.
  if (wanted == DType::kUInt8) {
    const Raster& raster = state.raster;
    const bool whole = std::all_of(raster.values.begin(), raster.values.end(), [](float v) {
      return v >= 0.0f && v <= 255.0f && v == std::floor(v);
    });
    if (whole && !state.scaled) return {};
    return usage(
        "the model's input is uint8 and the recipe ends in real numbers: add quantize(model), or "
        "round=uint8 to the "
        "resize step or cast(uint8) when the model takes raw pixels");
  }
  return usage(std::string("the model's input is ") + name(wanted) +
               " and the recipe ends in real numbers: add quantize(model)");
}

/// Offset of channel c of pixel (y, x).
std::size_t place(const Raster& r, Memory memory, std::size_t y, std::size_t x, std::size_t c) {
  const std::size_t h = std::size_t(r.height), w = std::size_t(r.width),
                    n = std::size_t(r.channels);
  switch (memory) {
    case Memory::kNchw: return (c * h + y) * w + x;
    case Memory::kNhcw: return (y * n + c) * w + x;
    case Memory::kNwhc: return (x * h + y) * n + c;
    default: return (y * w + x) * n + c;
  }
}

template <class T>
void store(const Raster& raster, Memory memory, Bytes& bytes, T (*convert)(float)) {
  bytes.resize(raster.values.size() * sizeof(T));
  const float* from = raster.values.data();
  for (std::size_t y = 0; y < std::size_t(raster.height); ++y) {
    for (std::size_t x = 0; x < std::size_t(raster.width); ++x) {
      for (std::size_t c = 0; c < std::size_t(raster.channels); ++c) {
        const T value = convert(*from++);
        std::memcpy(bytes.data() + place(raster, memory, y, x, c) * sizeof(T), &value, sizeof(T));
      }
    }
  }
}

Status store(const State& state, DType dtype, Bytes& bytes) {
  const Raster& raster = state.raster;
  const Memory declared = state.nchw ? Memory::kNchw : Memory::kNhwc;
  const Memory memory = state.memory == Memory::kAsDeclared ? declared : state.memory;
  switch (dtype) {
    case DType::kFloat32: store<float>(raster, memory, bytes, [](float v) { return v; }); return {};
    case DType::kFloat16: store<std::uint16_t>(raster, memory, bytes, float_to_half); return {};
    case DType::kUInt8:
      store<std::uint8_t>(raster, memory, bytes, [](float v) { return std::uint8_t(v); });
      return {};
    case DType::kInt8:
      store<std::int8_t>(raster, memory, bytes, [](float v) { return std::int8_t(v); });
      return {};
    case DType::kUInt16:
      store<std::uint16_t>(raster, memory, bytes, [](float v) { return std::uint16_t(v); });
      return {};
    case DType::kInt16:
      store<std::int16_t>(raster, memory, bytes, [](float v) { return std::int16_t(v); });
      return {};
    default:
      return Error{ErrorKind::kUnsupported, std::string("a model input of type ") + name(dtype)};
  }
}

Status check_image(const Image& image) {
  const bool channels = image.channels == 1 || image.channels == 3;
  if (image.height > 0 && image.width > 0 && channels &&
      image.pixels.size() == std::size_t(image.height) * image.width * image.channels) {
    return {};
  }
  return usage("the image has no pixels, or not as many as its size says");
}

/// Takes the image as the first state, and returns the number of steps that this includes: a
/// library's resize at the start reads the 8-bit pixels, without a copy of them in floats.
Result<std::size_t> begin(const Recipe& recipe, const Image& image, State& state) {
  const Resize* const step =
      recipe.steps.empty() ? nullptr : std::get_if<Resize>(&recipe.steps.front());
  if (!step || !is_library(step->rounding)) {
    state.raster = to_raster(image);
    return std::size_t{0};
  }
  const auto resized = [&]() -> Result<Raster> {
    EP_TRY(const auto to, resized_extent(*step, image.height, image.width));
    return resize(image, to.height, to.width, step->resampling, step->rounding);
  }();
  if (!resized)
    return Error(resized.error()).during("recipe step 1 \"" + to_text(recipe.steps.front()) + "\"");
  state.raster = *resized;
  return std::size_t{1};
}

}  // namespace

Result<Tensor> apply(const Recipe& recipe, const Image& image, const TensorSpec& model_input) {
  EP_CHECK(check_image(image));
  State state;
  EP_TRY(const std::size_t done_before, begin(recipe, image, state));
  for (std::size_t i = done_before; i < recipe.steps.size(); ++i) {
    if (auto done = run_step(recipe.steps[i], model_input, state); !done) {
      return std::move(done).error().during("recipe step " + std::to_string(i + 1) + " \"" +
                                            to_text(recipe.steps[i]) + "\"");
    }
  }
  return finish(state, model_input);
}

Result<Tensor> finish(const State& state, const TensorSpec& model_input) {
  EP_TRY(auto shape, final_shape(state, model_input));
  EP_CHECK(check_dtype(state, model_input.dtype));
  Tensor tensor{model_input, {}};
  tensor.spec.shape = shape;
  EP_CHECK(store(state, model_input.dtype, tensor.bytes));
  return tensor;
}

}  // namespace edgeprobe::preprocess
