// SPDX-License-Identifier: Apache-2.0
#include "preprocess/picture/state.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "preprocess/picture/geometry.h"
#include "preprocess/picture/resize.h"
#include "preprocess/picture/values.h"

namespace edgeprobe::preprocess {
namespace {

struct Parameters {
  double scale = 1;
  std::int64_t zero_point = 0;
};

Result<Parameters> parameters(const Quantize& step, const TensorSpec& input) {
  if (!integer_range(input.dtype)) {
    return Error{ErrorKind::kUsage, std::string("the model's input is ") + name(input.dtype) +
                                        ", which is not quantised: leave this step out"};
  }
  if (step.scale && step.zero_point) return Parameters{*step.scale, *step.zero_point};
  if (input.quantization.per_channel()) {
    return Error{ErrorKind::kUnsupported,
                 "the model's input has one quantisation a channel: give scale= and zero_point="};
  }
  if (input.quantization.empty()) {
    return Error{ErrorKind::kUsage,
                 "the model's input has no quantisation parameters: give scale= and zero_point="};
  }
  const double scale = double(input.quantization.scale_at(0));
  if (!(scale > 0) || !std::isfinite(scale)) {
    return Error{ErrorKind::kCorrupt,
                 "the model's input has a quantisation scale that is not a positive number"};
  }
  return Parameters{scale, input.quantization.zero_point_at(0)};
}

struct Runner {
  const TensorSpec& input;
  State& state;

  Status replace(Result<Raster> made) const {
    if (!made) return std::move(made).error();
    state.raster = *std::move(made);
    return {};
  }

  Status operator()(const Decode&) const {
    return Error{ErrorKind::kUsage,
                 "this step reads the recorded bytes; here only their pixels are known"};
  }
  Status operator()(const Sound&) const {
    return Error{ErrorKind::kUsage,
                 "this is a recipe of sound, and the data is a picture: give recordings, or a "
                 "recipe of pictures"};
  }
  Status operator()(const Readings&) const {
    return Error{ErrorKind::kUsage,
                 "this is a recipe of a sensor's readings, and the data is a picture: give arrays "
                 "of steps x axes, or a recipe of pictures"};
  }
  Status operator()(const Text&) const {
    return Error{ErrorKind::kUsage,
                 "this is a recipe of text, and the data is a picture: give texts (.txt, .csv), or "
                 "a recipe of pictures"};
  }
  Status operator()(const Rotate& s) const { return replace(rotate(state.raster, s)); }
  Status operator()(const Flip& s) const { return replace(flip(state.raster, s)); }
  Status operator()(const Crop& s) const { return replace(crop(state.raster, s)); }
  /// Checks that the values at this step are pixels by type, whatever values this one image happens
  /// to have.
  Status check_pixels(Rounding rounding) const {
    if (!is_library(rounding) || !state.scaled || state.stored == DType::kUInt8) return {};
    return Error{
        ErrorKind::kUsage,
        "8-bit arithmetic (round=opencv, round=pillow) needs pixels in 0..255; an earlier step "
        "gave them another range"};
  }

  Status operator()(const Resize& s) const {
    EP_CHECK(check_pixels(s.rounding));
    if (s.rounding == Rounding::kFloat && s.resampling.kernel != Kernel::kNearest)
      state.stored.reset();
    EP_TRY(auto to, resized_extent(s, state.raster.height, state.raster.width));
    return replace(resize(state.raster, to.height, to.width, s.resampling, s.rounding));
  }
  Status operator()(const Letterbox& s) const {
    EP_CHECK(check_pixels(s.rounding));
    if (s.rounding == Rounding::kFloat && s.resampling.kernel != Kernel::kNearest)
      state.stored.reset();
    return replace(letterbox(state.raster, s));
  }
  Status operator()(const Color& s) const {
    reorder(state.raster, state.order, s.order);
    state.order = s.order;
    return {};
  }
  Status operator()(const Gray& s) const {
    EP_CHECK(check_pixels(s.rounding));
    if (s.rounding == Rounding::kFloat) state.stored.reset();
    return to_gray(state.raster, s, state.order);
  }
  Status operator()(const Scale& s) const {
    const double factor = (s.high - s.low) / 255.0;
    leave_pixels(state.low * factor + s.low, state.high * factor + s.low);
    return scale(state.raster, s);
  }
  Status operator()(const Normalize& s) const {
    EP_CHECK(normalize(state.raster, s));
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t c = 0; c < std::max(s.mean.size(), s.std.size()); ++c) {
      const double mean = s.mean[s.mean.size() == 1 ? 0 : c],
                   deviation = s.std[s.std.size() == 1 ? 0 : c];
      low = std::min(low, (state.low - mean) / deviation);
      high = std::max(high, (state.high - mean) / deviation);
    }
    leave_pixels(low, high);
    return {};
  }
  Status operator()(const Cast& s) const {
    cast(state.raster, s.dtype);
    state.stored = s.dtype;
    return {};
  }
  Status operator()(const Layout& s) const {
    state.nchw = s.nchw;
    state.memory = s.memory;
    return {};
  }
  Status operator()(const Quantize& s) const {
    EP_TRY(auto p, parameters(s, input));
    quantize(state.raster, p.scale, p.zero_point, s.round, input.dtype);
    if (s.sign_flipped) flip_sign(state.raster, input.dtype);
    leave_pixels(state.low / p.scale + double(p.zero_point),
                 state.high / p.scale + double(p.zero_point));
    state.stored = input.dtype;
    return {};
  }
  Status operator()(const Shift& s) const {
    state.raster = shift(state.raster, s);
    return {};
  }
  /// Curves and colour matrices work on pixels.
  Status check_levels(const char* step) const {
    if (!state.scaled) return {};
    return Error{
        ErrorKind::kUsage,
        std::string(step) + " works on pixels in 0..255; an earlier step gave them another range"};
  }
  Status operator()(const Tone& s) const {
    EP_CHECK(check_levels("tone"));
    if (s.rounding == Rounding::kFloat) state.stored.reset();
    return tone(state.raster, s);
  }
  Status operator()(const Recode& s) const {
    EP_CHECK(check_levels("recode"));
    if (s.round == Recode::Round::kFloat) state.stored.reset();
    recode(state.raster, s, state.order);
    return {};
  }
  Status operator()(const Matrix& s) const {
    EP_CHECK(check_levels("matrix"));
    if (state.raster.channels != 3 || state.order != ChannelOrder::kRgb)
      return Error{ErrorKind::kUsage,
                   "matrix() takes red, green and blue: put it before color() and gray, after "
                   "color(rgb) of a gray image"};
    if (s.rounding == Rounding::kFloat) state.stored.reset();
    return matrix(state.raster, s);
  }
  Status operator()(const Standardize& s) const {
    const Moments by = standardize(state.raster, s);
    leave_pixels((state.low - by.mean) / by.deviation, (state.high - by.mean) / by.deviation);
    return {};
  }

  void leave_pixels(double low, double high) const {
    state.low = low;
    state.high = high;
    state.scaled = true;
    state.stored.reset();
  }
};

}  // namespace

Status run_step(const Step& step, const TensorSpec& model_input, State& state) {
  return std::visit(Runner{model_input, state}, step);
}

}  // namespace edgeprobe::preprocess
