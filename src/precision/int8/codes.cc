// SPDX-License-Identifier: Apache-2.0
#include "precision/int8/plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace edgeprobe::precision {

float Codes::stored(float value) const {
  if (std::isnan(value)) return value;
  const double code =
      std::clamp(std::nearbyint(double{value} / double{scale}) + zero, double(low), double(high));
  return static_cast<float>((code - zero) * double{scale});
}

Codes codes_of(float low, float high) {
  const double from = std::min(0.0F, low), to = std::max(0.0F, high);
  const auto scale = static_cast<float>((to - from) / 255);
  if (!(scale >= std::numeric_limits<float>::min())) return {};
  return {scale,
          static_cast<int>(std::clamp(std::nearbyint(-128 - from / double{scale}), -128.0, 127.0))};
}

Codes even_codes_of(float largest) {
  const float scale = largest / 127;
  if (!(scale >= std::numeric_limits<float>::min())) return {1, 0, -127, 127};
  return {scale, 0, -127, 127};
}

}  // namespace edgeprobe::precision
