// SPDX-License-Identifier: Apache-2.0
#include "prepare.h"

#include <algorithm>
#include <cmath>

#include "resize.h"

namespace {

Picture mirrored(const Picture& picture) {
  Picture out = blank(picture.height, picture.width);
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x)
      std::copy_n(picture.at(y, picture.width - 1 - x), 3, out.at(y, x));
  }
  return out;
}

Picture rotated(const Picture& picture, int degrees) {
  const bool sideways = degrees == 90 || degrees == 270;
  Picture out =
      sideways ? blank(picture.width, picture.height) : blank(picture.height, picture.width);
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      const int from_y = degrees == 90    ? picture.height - 1 - x
                         : degrees == 180 ? picture.height - 1 - y
                                          : x;
      const int from_x = degrees == 90    ? y
                         : degrees == 180 ? picture.width - 1 - x
                                          : picture.width - 1 - y;
      std::copy_n(picture.at(from_y, from_x), 3, out.at(y, x));
    }
  }
  return out;
}

Picture middle(const Picture& picture, int height, int width) {
  Picture out = blank(height, width);
  const int top = (picture.height - height) / 2, left = (picture.width - width) / 2;
  for (int y = 0; y < height; ++y)
    std::copy_n(picture.at(top + y, left), std::size_t(width) * 3, out.at(y, 0));
  return out;
}

Picture letterboxed(const Picture& picture, int height, int width, const Preparation& how) {
  const double scale = std::min(double(height) / picture.height, double(width) / picture.width);
  const Picture small = resize(picture, int(std::lround(picture.height * scale)),
                               int(std::lround(picture.width * scale)), how.resize);
  Picture out = blank(height, width, how.fill);
  const int top = how.fit == "corner" ? 0 : (height - small.height) / 2,
            left = how.fit == "corner" ? 0 : (width - small.width) / 2;
  for (int y = 0; y < small.height; ++y)
    std::copy_n(small.at(y, 0), std::size_t(small.width) * 3, out.at(top + y, left));
  return out;
}

Picture fitted(Picture picture, int height, int width, const Preparation& how) {
  if (how.mirror) picture = mirrored(picture);
  if (how.rotation != 0) picture = rotated(picture, how.rotation);
  const int shorter = std::min(picture.height, picture.width);
  const bool square = how.fit == "square";
  picture = middle(picture, int(std::lround((square ? shorter : picture.height) * how.crop)),
                   int(std::lround((square ? shorter : picture.width) * how.crop)));
  return how.fit == "letterbox" || how.fit == "corner" ? letterboxed(picture, height, width, how)
                                                       : resize(picture, height, width, how.resize);
}

}  // namespace

std::vector<float> prepare(const Picture& picture, int height, int width, const Preparation& how) {
  const Picture small = fitted(picture, height, width, how);
  const int pixels = height * width;
  std::vector<float> values(std::size_t(pixels) * 3);
  for (int i = 0; i < pixels; ++i) {
    const std::uint8_t* const rgb = small.rgb.data() + i * 3;
    for (int c = 0; c < 3; ++c) {
      double level = rgb[how.channels == "bgr" ? 2 - c : c];
      if (how.channels == "gray")
        level = std::round(0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]);
      if (how.gamma != 1) level = std::round(255 * std::pow(level / 255, how.gamma));
      const auto channel = std::size_t(c);
      values[std::size_t(how.layout == "nchw" ? c * pixels + i : i * 3 + c)] =
          float((level - how.mean[channel]) / how.std[channel]);
    }
  }
  return values;
}
