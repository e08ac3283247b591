// SPDX-License-Identifier: Apache-2.0
#include "report/page/heat.h"

#include <algorithm>

#include "report/page/picture_data.h"

namespace edgeprobe::report {

std::array<std::uint8_t, 3> heat_color(std::uint8_t level) {
  static constexpr std::array<std::array<int, 3>, 5> kStops{
      {{0, 0, 0}, {62, 28, 140}, {196, 38, 96}, {255, 142, 26}, {255, 248, 206}}};
  const int scaled = level * (int(kStops.size()) - 1), from = std::min(scaled / 255, 3);
  std::array<std::uint8_t, 3> out{};
  for (std::size_t c = 0; c < 3; ++c) {
    const int low = kStops[std::size_t(from)][c], high = kStops[std::size_t(from) + 1][c];
    out[c] = std::uint8_t(low + (high - low) * (scaled - from * 255) / 255);
  }
  return out;
}

preprocess::Image heat_picture(int height, int width, const std::vector<std::uint8_t>& levels) {
  preprocess::Image image{height, width, 3, {}};
  image.pixels.reserve(3 * levels.size());
  for (const std::uint8_t level : levels)
    for (const std::uint8_t value : heat_color(level)) image.pixels.push_back(value);
  return image;
}

std::string heat_scale(const std::string& most) {
  std::vector<std::uint8_t> levels(256);
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = std::uint8_t(i);
  return "<span class=\"scale\">0 <img alt=\"colours from dark to light\" width=\"256\" "
         "height=\"1\" src=\"data:image/png;base64," +
         png_base64(heat_picture(1, 256, levels)) + "\"> " + most + "</span>";
}

}  // namespace edgeprobe::report
