#pragma once

#include <string>
#include <vector>

#include "picture.h"

/// How a picture becomes the model's input.
struct Preparation {
  double crop = 0.875;                ///< The central part of each side that is kept.
  int rotation = 0;                   ///< Degrees clockwise: 0, 90, 180, 270.
  std::string resize = "antialias";   ///< antialias (bilinear over all pixels that it merges), bilinear, nearest, area
  bool bgr = false;                   ///< Blue first.
  double low = -1, high = 1;          ///< What 0 and 255 become.
};

Picture crop_center(const Picture& picture, double fraction);
Picture rotate(const Picture& picture, int degrees);
Picture resize(const Picture& picture, int height, int width, const std::string& kernel);

/// The values of the model's input, [height, width, 3], in real numbers.
std::vector<float> prepare(const Picture& picture, int height, int width, const Preparation& preparation);
