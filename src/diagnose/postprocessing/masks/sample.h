// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "trace/answer.h"

namespace edgeprobe::diagnose::masks {

/// Pixels of a recorded mask that a search examines: all of a small mask, else some at class
/// borders, where differences arise, and some elsewhere.
struct Sample {
  struct Pixel {
    std::uint32_t y = 0, x = 0;
    std::int32_t number = 0;  ///< The recorded number.
    double stands_for = 1;    ///< Number of mask pixels that this pixel represents.
    bool is_border = false;
  };
  std::vector<Pixel> pixels;
  double all = 0;           ///< Number of mask pixels.
  bool is_constant = true;  ///< The whole mask has one number.
};
Sample sample_of(const trace::Mask& mask);

}  // namespace edgeprobe::diagnose::masks
