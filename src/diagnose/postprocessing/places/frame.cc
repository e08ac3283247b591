// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/places/frame.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::diagnose::places {

std::vector<std::pair<std::string, postprocess::detection::Size>> other_pictures(
    std::span<const Frame> frames) {
  bool is_upright = false, is_wide = false, is_square = false, is_known = false, is_one = true;
  for (const Frame& frame : frames) {
    const auto& [width, height] = frame.picture;
    is_known = is_known || width > 1 || height > 1;
    is_upright = is_upright || height > width;
    is_wide = is_wide || width > height;
    is_square = is_square || width == height;
    is_one =
        is_one && width == frames.front().picture.width && height == frames.front().picture.height;
  }
  std::vector<std::pair<std::string, postprocess::detection::Size>> out;
  if (!is_known) return out;
  if (!is_upright) out.push_back({"an upright picture", {360, 480}});
  if (!is_wide) out.push_back({"a wide picture", {480, 360}});
  if (!is_square) out.push_back({"a square picture", {400, 400}});
  if (is_one) {
    const auto [width, height] = frames.front().picture;
    const double scale = 400 / std::max(width, height);
    out.push_back({"a picture of another size",
                   {std::round(0.8 * scale * width + 1), std::round(0.8 * scale * height + 1)}});
  }
  out.push_back({"a picture with other proportions, such as 2 : 1", {640, 320}});
  out.push_back({"a picture with other proportions, such as 1 : 2", {320, 640}});
  return out;
}

}  // namespace edgeprobe::diagnose::places
