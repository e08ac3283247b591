// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/keypoints.h"

#include <algorithm>

namespace edgeprobe::postprocess::detection {

bool are_numbers_of_point(std::string_view letters) {
  constexpr std::size_t kMostNumbers = 16;
  const auto count = [&](char c) { return std::count(letters.begin(), letters.end(), c); };
  return count('x') == 1 && count('y') == 1 && count('s') <= 1 && letters.size() <= kMostNumbers &&
         letters.find_first_not_of("xys_") == std::string_view::npos;
}

}  // namespace edgeprobe::postprocess::detection
