// SPDX-License-Identifier: Apache-2.0
#include "preprocess/picture/geometry.h"

#include <algorithm>
#include <cmath>

#include "preprocess/picture/resize.h"

namespace edgeprobe::preprocess {
namespace {

Raster blank(int height, int width, int channels) {
  Raster out{height, width, channels, {}};
  out.values.resize(std::size_t(height) * width * channels);
  return out;
}

const float* pixel(const Raster& raster, int y, int x) {
  return raster.values.data() + (std::size_t(y) * raster.width + x) * raster.channels;
}

/// Fills `out`: `source` names the input pixel for each output pixel.
template <class Source>
Raster gathered(const Raster& in, int height, int width, Source source) {
  Raster out = blank(height, width, in.channels);
  float* target = out.values.data();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x, target += in.channels) {
      const auto [from_y, from_x] = source(y, x);
      std::copy_n(pixel(in, from_y, from_x), in.channels, target);
    }
  }
  return out;
}

int part(int side, double fraction) {
  return std::clamp(int(std::floor(side * fraction + 0.5)), 1, side);
}

}  // namespace

Raster rotate(const Raster& raster, const Rotate& step) {
  const int h = raster.height, w = raster.width;
  switch (step.degrees) {
    case 90: return gathered(raster, w, h, [&](int y, int x) { return std::pair(h - 1 - x, y); });
    case 180:
      return gathered(raster, h, w, [&](int y, int x) { return std::pair(h - 1 - y, w - 1 - x); });
    case 270: return gathered(raster, w, h, [&](int y, int x) { return std::pair(x, w - 1 - y); });
    default: return raster;
  }
}

Raster flip(const Raster& raster, const Flip& step) {
  const int h = raster.height, w = raster.width;
  if (step.horizontal)
    return gathered(raster, h, w, [&](int y, int x) { return std::pair(y, w - 1 - x); });
  return gathered(raster, h, w, [&](int y, int x) { return std::pair(h - 1 - y, x); });
}

Result<Extent> resized_extent(const Resize& step, int height, int width) {
  if (step.shorter == 0) return Extent{step.height, step.width};
  const std::int64_t longer =
      std::int64_t{step.shorter} * std::max(height, width) / std::min(height, width);
  if (longer > kMostSide || longer * step.shorter > std::int64_t{kMostPixels}) {
    return Error{ErrorKind::kUsage, "the image is " + std::to_string(height) + "x" +
                                        std::to_string(width) + " here: with a shorter side of " +
                                        std::to_string(step.shorter) + " the longer one has " +
                                        std::to_string(longer) + " pixels, which is too large"};
  }
  return height <= width ? Extent{step.shorter, int(longer)} : Extent{int(longer), step.shorter};
}

Window crop_window(const Crop& step, int height, int width) {
  if (step.kind == Crop::Kind::kWindow) return {step.top, step.left, step.height, step.width};
  if (step.kind == Crop::Kind::kSize) {
    const auto begin = [&](int rest) {
      const int half = rest / 2;
      return half +
             (rest % 2 != 0 && half % 2 != 0 && step.offset == Crop::Offset::kHalfEven ? 1 : 0);
    };
    const int down = height - step.height, right = width - step.width;
    return {down < 0 ? -1 : begin(down), right < 0 ? -1 : begin(right), step.height, step.width};
  }
  const bool square = step.kind == Crop::Kind::kSquare;
  const int shorter = std::min(height, width);
  const int h = part(square ? shorter : height, step.fraction);
  const int w = part(square ? shorter : width, step.fraction);
  const auto offset = [](int side, int kept, double move) {
    const int margin = (side - kept) / 2;
    const double shifted = margin + std::floor(move * kept + 0.5);
    return int(std::clamp(shifted, 0.0, double(side - kept)));
  };
  return {offset(height, h, step.down), offset(width, w, step.right), h, w};
}

Raster shift(const Raster& raster, const Shift& step) {
  const int h = raster.height, w = raster.width;
  const auto source = [&](int at, int side) {
    return step.edge == Shift::Edge::kWrap ? ((at % side) + side) % side
                                           : std::clamp(at, 0, side - 1);
  };
  Raster out = gathered(raster, h, w, [&](int y, int x) {
    return std::pair(source(y - step.down, h), source(x - step.right, w));
  });
  if (step.edge != Shift::Edge::kBlack) return out;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      if (y < step.down || y >= h + step.down || x < step.right || x >= w + step.right)
        std::fill_n(out.values.begin() + (std::ptrdiff_t(y) * w + x) * raster.channels,
                    raster.channels, 0.0f);
  return out;
}

Result<Raster> crop(const Raster& raster, const Crop& step) {
  const Window window = crop_window(step, raster.height, raster.width);
  if (window.top < 0 || window.left < 0 || window.height < 1 || window.width < 1 ||
      window.height > raster.height - window.top || window.width > raster.width - window.left) {
    return Error{ErrorKind::kUsage, "the window reaches outside of the image, which is " +
                                        std::to_string(raster.height) + "x" +
                                        std::to_string(raster.width) + " here"};
  }
  Raster out = blank(window.height, window.width, raster.channels);
  const std::size_t row = std::size_t(window.width) * raster.channels;
  for (int y = 0; y < window.height; ++y) {
    std::copy_n(pixel(raster, window.top + y, window.left), row,
                out.values.begin() + std::ptrdiff_t(y * row));
  }
  return out;
}

// Rounding tolerance for a side that is a whole number.
constexpr double kWholeSide = 1e-9;

Window letterbox_window(const Letterbox& step, int height, int width) {
  const double scale = std::min(double(step.height) / height, double(step.width) / width);
  // A side that fills the frame stays exact, regardless of how the product rounds.
  const auto whole = [&](int side, int frame) {
    const double exact = side * scale;
    const double near = std::floor(exact + 0.5);
    const double made = std::abs(exact - near) < kWholeSide ? near
                        : step.sides == WholeSides::kFloor  ? std::floor(exact)
                        : step.sides == WholeSides::kCeil   ? std::ceil(exact)
                                                            : near;
    return std::clamp(int(made), 1, frame);
  };
  const int h = whole(height, step.height), w = whole(width, step.width);
  if (!step.centered)
    return step.at_end ? Window{step.height - h, step.width - w, h, w} : Window{0, 0, h, w};
  const int odd = step.is_odd_first ? 1 : 0;
  return {(step.height - h + odd) / 2, (step.width - w + odd) / 2, h, w};
}

Result<Raster> letterbox(const Raster& raster, const Letterbox& step) {
  const Window window = letterbox_window(step, raster.height, raster.width);
  auto inside = resize(raster, window.height, window.width, step.resampling, step.rounding);
  if (!inside) return inside;
  Raster out = blank(step.height, step.width, raster.channels);
  if (!step.channel_fill.empty() && step.channel_fill.size() != std::size_t(raster.channels)) {
    return Error{ErrorKind::kUsage, std::to_string(step.channel_fill.size()) +
                                        " values to fill an image of " +
                                        std::to_string(raster.channels) + " channels"};
  }
  for (std::size_t i = 0; i < out.values.size(); ++i)
    out.values[i] =
        float(step.channel_fill.empty() ? step.fill
                                        : step.channel_fill[i % std::size_t(raster.channels)]);
  const std::size_t row = std::size_t(window.width) * raster.channels;
  for (int y = 0; y < window.height; ++y) {
    const std::size_t at =
        (std::size_t(window.top + y) * step.width + window.left) * raster.channels;
    std::copy_n(pixel(*inside, y, 0), row, out.values.begin() + std::ptrdiff_t(at));
  }
  return out;
}

}  // namespace edgeprobe::preprocess
