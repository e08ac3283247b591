// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/box.h"

#include <algorithm>

namespace edgeprobe::postprocess::detection {

double overlap(const Box& a, const Box& b, OverlapOf of, double pixel_width, double pixel_height) {
  const double wider = of == OverlapOf::kUnionOfPixels ? pixel_width : 0;
  const double higher = of == OverlapOf::kUnionOfPixels ? pixel_height : 0;
  const double area_a = (a.x2 - a.x1 + wider) * (a.y2 - a.y1 + higher);
  const double area_b = (b.x2 - b.x1 + wider) * (b.y2 - b.y1 + higher);
  const double width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1) + wider;
  const double height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1) + higher;
  const double common = std::max(width, 0.0) * std::max(height, 0.0);
  const double whole =
      of == OverlapOf::kSmallerArea ? std::min(area_a, area_b) : area_a + area_b - common;
  return area_a <= 0 || area_b <= 0 || whole <= 0 ? 0 : common / whole;
}

}  // namespace edgeprobe::postprocess::detection
