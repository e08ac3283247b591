// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagnose/tensors/axes.h"
#include "diagnose/tensors/pairs.h"

namespace edgeprobe::diagnose::tensors {

/// Where inputs differ from the reference's, if no change explains them.
struct Where {
  /// In the frames that differ: number of values, and of values equal to the reference's.
  std::size_t values = 0, equal = 0;
  std::size_t frames = 0, of_frames = 0;  ///< Number of frames that differ, and of those compared.
  std::uint32_t first = 0;                ///< The first frame that differs.
  std::size_t following = 0;              ///< Number of differing frames directly after it.
  std::size_t of_other_frames = 0;        ///< See of_other_frames(); 0 if not computed.
  struct Span {
    Axis axis;
    /// First and last slice with differences, and the number of slices with differences.
    std::size_t from = 0, to = 0, held = 0;
  };
  std::vector<Span> spans;  ///< One for each axis, outermost first.
  std::vector<bool> held;   ///< For each position, whether it differs in some frame.
};
Where where_of(const Pairs& pairs);
/// Number of differing frames that hold another frame's input; 0 if there are too many frames.
std::size_t of_other_frames(const Pairs& pairs);
/// " in 3 of 8 frames (first at frame 5)"; empty for all of them.
std::string in_frames(const Pairs& pairs);
/// Positions that differ: "columns 0 to 3 of 10 and row 7 of 49".
std::string place_of(const Where& where);
/// "41.2 % of its values are the reference's; the others are in columns 0 to 3 of 10; …".
std::string worded(const Where& where);

}  // namespace edgeprobe::diagnose::tensors
