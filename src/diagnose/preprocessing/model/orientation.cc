// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/model/orientation.h"

#include <array>

namespace edgeprobe::diagnose {
namespace {

template <class Picture, class Values>
Picture lay(const Picture& in, Orientation orientation, Values values) {
  const int h = in.height, w = in.width, c = in.channels;
  Picture out;
  const bool swap = swaps_sides(orientation);
  out.height = swap ? w : h;
  out.width = swap ? h : w;
  out.channels = c;
  auto& to = values(out);
  const auto& from = values(in);
  to.resize(from.size());
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      int sy = y, sx = x;
      switch (orientation & 3) {
        case 1:
          sy = h - 1 - x;
          sx = y;
          break;
        case 2:
          sy = h - 1 - y;
          sx = w - 1 - x;
          break;
        case 3:
          sy = x;
          sx = w - 1 - y;
          break;
        default: break;
      }
      if (orientation & 4) sx = w - 1 - sx;
      for (int k = 0; k < c; ++k)
        to[(std::size_t(y) * out.width + x) * c + k] = from[(std::size_t(sy) * w + sx) * c + k];
    }
  }
  return out;
}

}  // namespace

bool swaps_sides(Orientation orientation) { return (orientation & 1) != 0; }

// A 2x2 picture of four different pixels distinguishes all eight orientations.
Orientation then(Orientation first, Orientation second) {
  const preprocess::Image start{2, 2, 1, {0, 1, 2, 3}};
  const auto both = laid_as(laid_as(start, first), second);
  for (Orientation o = 0; o < kOrientations; ++o)
    if (laid_as(start, o).pixels == both.pixels) return o;
  return 0;
}

Orientation inverse(Orientation orientation) {
  for (Orientation o = 0; o < kOrientations; ++o)
    if (then(orientation, o) == 0) return o;
  return 0;
}

std::vector<preprocess::Step> orientation_steps(Orientation orientation) {
  if (orientation == 6) return {preprocess::Flip{false}};
  std::vector<preprocess::Step> steps;
  if (orientation & 4) steps.push_back(preprocess::Flip{true});
  if (orientation & 3) steps.push_back(preprocess::Rotate{90 * (orientation & 3)});
  return steps;
}

std::optional<Orientation> orientation_of(const preprocess::Step& step) {
  if (const auto* rotate = std::get_if<preprocess::Rotate>(&step))
    return (rotate->degrees / 90) & 3;
  if (const auto* flip = std::get_if<preprocess::Flip>(&step)) return flip->horizontal ? 4 : 6;
  return std::nullopt;
}

std::string describe_orientation(Orientation orientation) {
  static const std::array<const char*, kOrientations> names = {
      "upright",
      "rotated by 90° clockwise",
      "rotated by 180°",
      "rotated by 270° clockwise",
      "mirrored left-right",
      "mirrored along the rising diagonal",
      "mirrored top-bottom",
      "with height and width swapped (transposed)"};
  return names[std::size_t(orientation)];
}

preprocess::Image laid_as(const preprocess::Image& image, Orientation orientation) {
  return lay(
      image, orientation, [](auto& p) -> auto& { return p.pixels; });
}

preprocess::Raster laid_as(const preprocess::Raster& raster, Orientation orientation) {
  return lay(
      raster, orientation, [](auto& p) -> auto& { return p.values; });
}

}  // namespace edgeprobe::diagnose
