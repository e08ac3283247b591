// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "postprocess/detection/anchors.h"
#include "postprocess/detection/box.h"

namespace edgeprobe::postprocess::detection {

/// Order of the four numbers. The first three are corners, the others centre and sides.
enum class CodeOrder { kXyxy, kYxyx, kXxyy, kCxcywh, kCycxhw, kWhcxcy, kCxcyhw };
constexpr bool is_of_corners(CodeOrder order) { return order <= CodeOrder::kXxyy; }

/// How four numbers are decoded to a box.
enum class Coder {
  kBoxes,      ///< They are the box itself: corners, or centre and sides.
  kSsd,        ///< Centre in units of the anchor's sides, sides as logarithms of their ratio.
  kLinear,     ///< As kSsd, with 1 + code instead of exp(code).
  kOffset,     ///< Centre relative to the anchor's in pixels, sides in pixels.
  kDistances,  ///< Distances of the four edges from the anchor's centre, in units of its sides.
  kCells,      ///< Centre relative to the anchor's, and sides, in units of the anchor's sides.
};

/// Decoding of a detector's box output.
struct Decoding {
  Coder coder = Coder::kBoxes;
  CodeOrder order = CodeOrder::kXyxy;
  double centre_variance = 1, size_variance = 1;  ///< Factors of the codes: 0.1 and 0.2.
  bool is_centred = true;                         ///< False: the centre is mistaken for the corner.
  double side = 1;  ///< kOffset: number of pixels in one share of the input.
  /// kBoxes: numbers are pixels of the model's input; false: shares of it.
  bool in_pixels = false;
  bool operator==(const Decoding&) const = default;
};

/// Reorders four numbers to corners, or to centre and sides.
Numbers ordered(std::span<const double, 4> numbers, CodeOrder order);

/// One box, in shares of the model's input; kBoxes ignores `anchor`. Logarithms of sides are
/// clipped to +-80, the limit of float32: a fault may pass codes of any size.
Box decoded(std::span<const double, 4> numbers, const Anchor& anchor, const Decoding& decoding);

}  // namespace edgeprobe::postprocess::detection
