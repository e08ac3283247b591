// SPDX-License-Identifier: Apache-2.0
#include "preprocess/picture/values.h"

#include <algorithm>
#include <cmath>

#include "core/integer_limits.h"
#include "preprocess/picture/resize.h"

namespace edgeprobe::preprocess {
namespace {

Status check_finite(const Raster& raster) {
  const bool finite = std::all_of(raster.values.begin(), raster.values.end(),
                                  [](float v) { return std::isfinite(v); });
  if (finite) return {};
  return Error{ErrorKind::kUsage, "the values leave the range of float32"};
}

/// Luma of one pixel of whole 8-bit values with integer weights that sum to 2^bits.
float fixed_luma(const float* rgb, int red, int green, int blue, int bits) {
  const int sum = int(rgb[0]) * red + int(rgb[1]) * green + int(rgb[2]) * blue;
  return float((sum + (1 << (bits - 1))) >> bits);
}

float weighted(const float* rgb, const Gray& step) {
  const double real = step.weights[0] * double(rgb[0]) + step.weights[1] * double(rgb[1]) +
                      step.weights[2] * double(rgb[2]);
  return step.rounding == Rounding::kFloat ? float(real)
                                           : float(std::clamp(std::floor(real + 0.5), 0.0, 255.0));
}

float luma(const float* rgb, Rounding rounding) {
  // OpenCV works with 15 fractional bits, Pillow with 16.
  if (rounding == Rounding::kOpencv) return fixed_luma(rgb, 9798, 19235, 3735, 15);
  if (rounding == Rounding::kPillow || rounding == Rounding::kPillow12)
    return fixed_luma(rgb, 19595, 38470, 7471, 16);
  const double real = 0.299 * double(rgb[0]) + 0.587 * double(rgb[1]) + 0.114 * double(rgb[2]);
  if (rounding == Rounding::kUint8) return float(std::clamp(std::floor(real + 0.5), 0.0, 255.0));
  return float(real);
}

}  // namespace

std::array<int, 3> channels_of(ChannelOrder order) {
  switch (order) {
    case ChannelOrder::kRgb: return {0, 1, 2};
    case ChannelOrder::kBgr: return {2, 1, 0};
    case ChannelOrder::kRbg: return {0, 2, 1};
    case ChannelOrder::kGrb: return {1, 0, 2};
    case ChannelOrder::kGbr: return {1, 2, 0};
    case ChannelOrder::kBrg: return {2, 0, 1};
  }
  return {0, 1, 2};
}

void reorder(Raster& raster, ChannelOrder from, ChannelOrder to) {
  if (raster.channels == 1) {
    std::vector<float> three(raster.values.size() * 3);
    for (std::size_t i = 0; i < three.size(); ++i) three[i] = raster.values[i / 3];
    raster.values = std::move(three);
    raster.channels = 3;
    return;
  }
  if (from == to) return;
  const auto have = channels_of(from), want = channels_of(to);
  std::array<std::size_t, 3> source{};
  for (std::size_t c = 0; c < 3; ++c)
    source[c] = std::size_t(std::find(have.begin(), have.end(), want[c]) - have.begin());
  for (std::size_t i = 0; i + 2 < raster.values.size(); i += 3) {
    const float old[3] = {raster.values[i], raster.values[i + 1], raster.values[i + 2]};
    for (std::size_t c = 0; c < 3; ++c) raster.values[i + c] = old[source[c]];
  }
}

Status to_gray(Raster& raster, const Gray& step, ChannelOrder order) {
  if (raster.channels == 3) {
    if (is_library(step.rounding) && !is_whole_8bit(raster)) {
      return Error{ErrorKind::kUsage,
                   "8-bit arithmetic needs whole numbers in 0..255; an earlier step made others"};
    }
    const std::size_t pixels = raster.values.size() / 3;
    const auto which = channels_of(order);
    for (std::size_t i = 0; i < pixels; ++i) {
      const float* in = raster.values.data() + 3 * i;
      float rgb[3] = {};
      for (std::size_t c = 0; c < 3; ++c) rgb[which[c]] = in[c];
      raster.values[i] = step.weights.empty() ? luma(rgb, step.rounding) : weighted(rgb, step);
    }
    raster.values.resize(pixels);
    raster.channels = 1;
  }
  if (step.keep_three) reorder(raster, ChannelOrder::kRgb, ChannelOrder::kRgb);
  return {};
}

Status scale(Raster& raster, const Scale& step) {
  const double factor = (step.high - step.low) / 255.0;
  for (float& v : raster.values) v = float(double(v) * factor + step.low);
  return check_finite(raster);
}

Status normalize(Raster& raster, const Normalize& step) {
  const std::size_t channels = std::size_t(raster.channels);
  for (const auto* values : {&step.mean, &step.std}) {
    if (values->size() != 1 && values->size() != channels) {
      return Error{ErrorKind::kUsage, std::to_string(values->size()) + " values for an image of " +
                                          std::to_string(channels) + " channels"};
    }
  }
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = step.mean[step.mean.size() == 1 ? 0 : c];
    const double deviation = step.std[step.std.size() == 1 ? 0 : c];
    for (std::size_t i = c; i < raster.values.size(); i += channels) {
      raster.values[i] = float((double(raster.values[i]) - mean) / deviation);
    }
  }
  return check_finite(raster);
}

std::optional<IntegerRange> integer_range(DType dtype) {
  const auto limits = code_limits(dtype);
  if (!limits) return {};
  return IntegerRange{double(limits->least), double(limits->most)};
}

void cast(Raster& raster, DType dtype) {
  const auto range = integer_range(dtype);
  if (!range) return;
  for (float& v : raster.values) {
    v = float(std::clamp(double(std::round(v)), range->least, range->most));
  }
}

void quantize(Raster& raster, double scale, std::int64_t zero_point, Quantize::Round round,
              DType dtype) {
  const auto range = integer_range(dtype);
  if (!range) return;
  for (float& v : raster.values) {
    // TFLite divides in float32; double would round exact halves differently.
    const float real = v / float(scale);
    const double whole = round == Quantize::Round::kHalfAway   ? std::round(real)
                         : round == Quantize::Round::kHalfEven ? std::nearbyint(real)
                                                               : std::floor(real);
    v = float(std::clamp(whole + double(zero_point), range->least, range->most));
  }
}

void flip_sign(Raster& raster, DType dtype) {
  if (dtype != DType::kInt8 && dtype != DType::kUInt8) return;
  const float middle = dtype == DType::kInt8 ? 0.0f : 128.0f;
  for (float& v : raster.values) v += v < middle ? 128.0f : -128.0f;
}

}  // namespace edgeprobe::preprocess
