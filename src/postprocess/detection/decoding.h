// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "postprocess/detection/anchors.h"
#include "postprocess/detection/box.h"

namespace edgeprobe::postprocess::detection {

/// Which of four numbers is which. The first three are corners, the others centre and sides.
enum class CodeOrder { kXyxy, kYxyx, kXxyy, kCxcywh, kCycxhw, kWhcxcy, kCxcyhw };
constexpr bool is_of_corners(CodeOrder order) { return order <= CodeOrder::kXxyy; }

/// How four numbers become a box.
enum class Coder {
  kBoxes,      ///< They are the box: corners, or centre and sides.
  kSsd,        ///< Centre as shares of the anchor's sides, sides as logarithms of their ratio.
  kLinear,     ///< As kSsd, with 1 + code in place of exp(code).
  kOffset,     ///< Centre as distance from the anchor's in pixels, sides in pixels.
  kDistances,  ///< Distances of the four edges from the anchor's centre, in its sides.
  kCells,      ///< Centre as distance from the anchor's, and sides, in the anchor's sides.
};

/// Decoding of a detector's box output.
struct Decoding {
  Coder coder = Coder::kBoxes;
  CodeOrder order = CodeOrder::kXyxy;
  double centre_variance = 1, size_variance = 1;  ///< Factors of the codes: 0.1 and 0.2.
  bool is_centred = true;                         ///< False: the centre is taken for the corner.
  double side = 1;         ///< kOffset: pixels that are one share of the input.
  bool in_pixels = false;  ///< kBoxes: numbers in pixels of the model's input, else shares of it.
  bool operator==(const Decoding&) const = default;
};

/// Four numbers in the order of corners or of centre and sides.
Numbers ordered(std::span<const double, 4> numbers, CodeOrder order);

/// One box, in shares of the model's input; `anchor` is not read with kBoxes. Logarithms of sides
/// are cut to +-80, where float32 ends: a fault
/// may hand on codes of any size.
Box decoded(std::span<const double, 4> numbers, const Anchor& anchor, const Decoding& decoding);

}  // namespace edgeprobe::postprocess::detection
