// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "picture.h"

/// How a picture becomes the model's input, in the order of the steps.
struct Preparation {
  bool mirror = false;  ///< Swaps left and right.
  int rotation = 0;     ///< Degrees clockwise: 0, 90, 180, 270.
  /// stretch; square: only the middle square; letterbox, corner: the whole picture, with bars
  /// around it or after it.
  std::string fit = "stretch";
  double crop = 0.875;               ///< The central fraction of each side that is kept.
  std::string resize = "antialias";  ///< See resize.h.
  std::uint8_t fill = 0;             ///< Level of the bars.
  std::string channels = "rgb";      ///< rgb, bgr, gray (three times).
  double gamma = 1;                  ///< Exponent for levels in 0..1; 2.2 makes them linear light.
  /// (level - mean) / std, a channel each.
  std::array<double, 3> mean = {127.5, 127.5, 127.5}, std = {127.5, 127.5, 127.5};
  std::string layout = "nhwc";  ///< nhwc: pixel by pixel; nchw: plane by plane.
};

/// The values of the model's input, height * width * 3 real numbers.
std::vector<float> prepare(const Picture& picture, int height, int width, const Preparation& how);
