// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/decoding.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace edgeprobe::postprocess::detection {

Numbers ordered(std::span<const double, 4> n, CodeOrder order) {
  switch (order) {
    case CodeOrder::kXyxy:
    case CodeOrder::kCxcywh: break;
    case CodeOrder::kYxyx:
    case CodeOrder::kCycxhw: return {n[1], n[0], n[3], n[2]};
    case CodeOrder::kXxyy: return {n[0], n[2], n[1], n[3]};
    case CodeOrder::kWhcxcy: return {n[2], n[3], n[0], n[1]};
    case CodeOrder::kCxcyhw: return {n[0], n[1], n[3], n[2]};
  }
  return {n[0], n[1], n[2], n[3]};
}

Box decoded(std::span<const double, 4> numbers, const Anchor& anchor, const Decoding& decoding) {
  const Numbers n = ordered(numbers, decoding.order);
  if (decoding.coder == Coder::kBoxes && is_of_corners(decoding.order))
    return {n[0], n[1], n[2], n[3]};
  if (decoding.coder == Coder::kDistances)
    return {anchor.x - n[0] * anchor.width, anchor.y - n[1] * anchor.height,
            anchor.x + n[2] * anchor.width, anchor.y + n[3] * anchor.height};
  double x = n[0], y = n[1], width = n[2], height = n[3];
  const double at = decoding.centre_variance, size = decoding.size_variance;
  const auto grown = [&](double code) {
    return decoding.coder == Coder::kSsd ? std::exp(std::clamp(code * size, -80.0, 80.0))
                                         : 1 + code * size;
  };
  if (decoding.coder == Coder::kOffset) {
    x = anchor.x + x * at / decoding.side, y = anchor.y + y * at / decoding.side;
    width *= size / decoding.side, height *= size / decoding.side;
  } else if (decoding.coder == Coder::kCells) {
    x = anchor.x + x * anchor.width, y = anchor.y + y * anchor.height;
    width *= anchor.width, height *= anchor.height;
  } else if (decoding.coder != Coder::kBoxes) {
    x = anchor.x + x * at * anchor.width, y = anchor.y + y * at * anchor.height;
    width = anchor.width * grown(width), height = anchor.height * grown(height);
  }
  if (!decoding.is_centred) return {x, y, x + width, y + height};
  return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
}

}  // namespace edgeprobe::postprocess::detection
