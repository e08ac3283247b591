// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "preprocess/picture/values.h"

namespace edgeprobe::preprocess {
namespace {

double curved(const Tone& step, double x) {
  const double share = std::clamp(x, 0.0, 255.0) / 255.0;
  switch (step.curve) {
    case Tone::Curve::kGamma: return 255.0 * std::pow(share, step.gamma);
    case Tone::Curve::kSrgbToLinear:
      return 255.0 * (share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4));
    case Tone::Curve::kLinearToSrgb:
      return 255.0 *
             (share <= 0.0031308 ? share * 12.92 : 1.055 * std::pow(share, 1.0 / 2.4) - 0.055);
    case Tone::Curve::kLinear:
    case Tone::Curve::kRgb565:
    case Tone::Curve::kRgb565Filled: break;
  }
  return x;
}

/// The value of a pixel when only its upper bits are stored.
float in_bits(float value, int bits, bool filled) {
  const unsigned pixel = unsigned(std::clamp(value, 0.0f, 255.0f)),
                 kept = pixel >> (8 - bits) << (8 - bits);
  return float(filled ? kept | kept >> bits : kept);
}

}  // namespace

double whole(double value) { return std::clamp(std::floor(value + 0.5), 0.0, 255.0); }

Status tone(Raster& raster, const Tone& step) {
  const std::size_t channels = std::size_t(raster.channels);
  const bool rounds = step.rounding == Rounding::kUint8;
  if (step.curve == Tone::Curve::kRgb565 || step.curve == Tone::Curve::kRgb565Filled) {
    if (channels != 3)
      return Error{
          ErrorKind::kUsage,
          "16-bit pixels (rgb565) have three channels, this image has " + std::to_string(channels)};
    for (std::size_t i = 0; i < raster.values.size(); ++i)
      raster.values[i] =
          in_bits(raster.values[i], i % 3 == 1 ? 6 : 5, step.curve == Tone::Curve::kRgb565Filled);
    return {};
  }
  if (step.curve != Tone::Curve::kLinear) {
    // Whole-number pixels are the usual case, and pow() is slow.
    std::array<float, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i)
      table[i] = float(rounds ? whole(curved(step, double(i))) : curved(step, double(i)));
    for (float& v : raster.values) {
      const bool is_pixel = v >= 0.0f && v <= 255.0f && v == std::floor(v);
      if (is_pixel) v = table[std::size_t(v)];
      else v = float(rounds ? whole(curved(step, double(v))) : curved(step, double(v)));
    }
    return {};
  }
  for (const auto* values : {&step.gain, &step.offset}) {
    if (values->size() != 1 && values->size() != channels) {
      return Error{ErrorKind::kUsage, std::to_string(values->size()) + " values for an image of " +
                                          std::to_string(channels) + " channels"};
    }
  }
  for (std::size_t i = 0; i < raster.values.size(); ++i) {
    const std::size_t c = i % channels;
    const double gain = step.gain[step.gain.size() == 1 ? 0 : c],
                 offset = step.offset[step.offset.size() == 1 ? 0 : c];
    const double value = gain * std::clamp(double(raster.values[i]), 0.0, 255.0) + offset;
    raster.values[i] = float(rounds ? whole(value) : std::clamp(value, 0.0, 255.0));
  }
  return {};
}

Moments standardize(Raster& raster, const Standardize& step) {
  const std::size_t channels = std::size_t(raster.channels),
                    groups = step.by_channel ? channels : 1;
  Moments widest;
  for (std::size_t g = 0; g < groups; ++g) {
    double sum = 0, squares = 0;
    const std::size_t members = raster.values.size() / groups;
    const double n = double(members);
    for (std::size_t i = g; i < raster.values.size(); i += groups) sum += double(raster.values[i]);
    const double mean = sum / n;
    for (std::size_t i = g; i < raster.values.size(); i += groups) {
      const double d = double(raster.values[i]) - mean;
      squares += d * d;
    }
    const Moments by{mean, std::max(std::sqrt(squares / n), 1.0 / std::sqrt(n))};
    for (std::size_t i = g; i < raster.values.size(); i += groups)
      raster.values[i] = float((double(raster.values[i]) - by.mean) / by.deviation);
    if (g == 0 || by.deviation < widest.deviation) widest = by;
  }
  return widest;
}

}  // namespace edgeprobe::preprocess
