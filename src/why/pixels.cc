// SPDX-License-Identifier: Apache-2.0
#include "why/pixels.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::why {
namespace {

using diagnose::PictureLayout;
using diagnose::Range;

/// Mean distance from whole pixels, also for values rounded to 16 bits.
constexpr double kOnSteps = 0.02, kOnSteps16 = 0.1;
/// Minimum range of the values in pixels: a smaller one fits every range.
constexpr double kLeastReach = 16;
constexpr double kOutside = 0.6;

TensorSpec plain_spec(int channels) {
  return {"input", DType::kFloat32, {1, 64, 64, channels}, {}};
}

/// Whole pixels for a range, or empty.
struct Read {
  double off = 0, low = 1e300, high = -1e300;
};
constexpr std::size_t kFirstRead = 999;
/// `most`: the number of values to read, evenly spread; 0: all.
Read read_as(const std::vector<float>& rows, std::size_t channels, const Range& range,
             std::size_t most = 0) {
  Read out;
  const std::size_t step = most && rows.size() > most ? rows.size() / most | 1 : 1;
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.size(); i += step, ++count) {
    const std::size_t c = i % channels;
    const double x = (double(rows[i]) - range.offset[c]) / range.gain[c];
    out.off += std::abs(x - std::round(x));
    out.low = std::min(out.low, x);
    out.high = std::max(out.high, x);
  }
  out.off /= double(count);
  return out;
}

bool is_inside(const Read& read) {
  return read.low > -kOutside && read.high < 255 + kOutside && read.high - read.low > kLeastReach;
}

/// Ranges that the type allows: bytes are pixels.
std::vector<Range> ranges_for(const TensorSpec& spec, int channels) {
  auto ranges = usual_ranges(channels);
  if (!is_integer(spec.dtype)) return ranges;
  const bool is_signed = spec.dtype == DType::kInt8;
  std::erase_if(
      ranges, [&](const Range& range) { return range.name != (is_signed ? "x - 128" : "0..255"); });
  return ranges;
}

std::vector<std::vector<float>> frames_as_rows(const Side& side, const PictureLayout& layout,
                                               std::size_t frames) {
  std::vector<std::vector<float>> out;
  for (std::size_t f = 0; f < frames; ++f)
    out.push_back(as_rows(side.values.data() + f * layout.size(), layout));
  return out;
}

preprocess::Image image_of(const std::vector<float>& rows, const PictureLayout& layout,
                           const Range& range) {
  preprocess::Image image{int(layout.height), int(layout.width), int(layout.channels), {}};
  image.pixels.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t c = i % layout.channels;
    const double x = (double(rows[i]) - range.offset[c]) / range.gain[c];
    image.pixels.push_back(std::uint8_t(std::clamp(std::round(x), 0.0, 255.0)));
  }
  return image;
}

}  // namespace

std::vector<Range> usual_ranges(int channels) {
  preprocess::Recipe recipe;
  recipe.steps.push_back(preprocess::Resize{64, 64, {}});
  if (channels == 3) recipe.steps.push_back(preprocess::Color{});
  const TensorSpec spec = plain_spec(channels);
  const auto taken = diagnose::take_apart(recipe, spec, spec);
  if (!taken) return {};
  std::vector<Range> out = diagnose::known_ranges(*taken);
  std::erase_if(out, [](const Range& range) {
    return range.composed || range.per_picture || range.video_levels || range.quantize;
  });
  std::stable_partition(out.begin(), out.end(), [](const Range& range) { return !range.rare; });
  return out;
}

preprocess::Recipe plain_recipe(const TensorSpec& spec, const PictureLayout& layout,
                                const Range& range) {
  preprocess::Recipe recipe;
  recipe.steps.push_back(preprocess::Resize{int(layout.height), int(layout.width), {}});
  if (layout.channels == 1) recipe.steps.push_back(preprocess::Gray{});
  else recipe.steps.push_back(preprocess::Color{});
  if (spec.dtype == DType::kInt8) recipe.steps.push_back(preprocess::Scale{-128, 127});
  else recipe.steps.insert(recipe.steps.end(), range.steps.begin(), range.steps.end());
  if (is_integer(spec.dtype)) recipe.steps.push_back(preprocess::Cast{spec.dtype});
  if (layout.planar) recipe.steps.push_back(preprocess::Layout{true});
  return recipe;
}

std::optional<Pixels> pixels_of(const Side& side, const PictureLayout& layout, std::size_t frames) {
  if (layout.channels != 1 && layout.channels != 3) return std::nullopt;
  const auto rows = frames_as_rows(side, layout, frames);
  const double limit = side.spec.dtype == DType::kFloat16 ? kOnSteps16 : kOnSteps;
  for (const Range& range : ranges_for(side.spec, int(layout.channels))) {
    const bool fits = std::all_of(rows.begin(), rows.end(), [&](const std::vector<float>& frame) {
      // A few hundred pixels rule most ranges out.
      if (read_as(frame, layout.channels, range, kFirstRead).off > 4 * limit) return false;
      const Read read = read_as(frame, layout.channels, range);
      return is_inside(read) && read.off < limit;
    });
    if (!fits) continue;
    Pixels out;
    for (const std::vector<float>& frame : rows)
      out.images.push_back(image_of(frame, layout, range));
    out.range = range;
    out.recipe = plain_recipe(side.spec, layout, range);
    out.step = 0;
    for (const double gain : range.gain) out.step += std::abs(gain) / double(range.gain.size());
    return out;
  }
  return std::nullopt;
}

Range likely_range(const Side& side, const PictureLayout& layout) {
  const auto ranges = ranges_for(side.spec, int(layout.channels));
  const auto rows = as_rows(side.values.data(), layout);
  const Range* best = nullptr;
  double widest = 0;
  for (const Range& range : ranges) {
    const Read read = read_as(rows, layout.channels, range);
    // Kernels overshoot; among ranges that contain the values, choose the one that they fill.
    if (read.low < -40 || read.high > 295 || range.rare) continue;
    if (!best || read.high - read.low > widest + 24) {
      best = &range;
      widest = read.high - read.low;
    }
  }
  return best ? *best : ranges.empty() ? Range{} : ranges.front();
}

}  // namespace edgeprobe::why
