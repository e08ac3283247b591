// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "diagnose/case/study.h"
#include "diagnose/input/input_evidence.h"

namespace edgeprobe::diagnose {

/// Recorded model inputs in which nothing of a picture can be: one value everywhere, or values that
/// are not finite, where the reference's input of the same frame is neither.
struct NoPicture {
  std::vector<std::uint32_t> frames;  ///< The target's, ascending.
  std::size_t all = 0;                ///< Frames whose model inputs both traces hold.
  /// "empty_input", "non_finite_input"; each says in how many frames.
  std::vector<InputFault> faults;
  /// RMS distance of the constant inputs from the reference's, in 255ths of its range.
  double residual = 0;

  bool everywhere() const { return all > 0 && frames.size() == all; }
  bool holds(std::uint32_t frame) const;
};
Result<NoPicture> no_picture(const Study& study, const Control& control);

/// The causes "nothing of the picture arrives" and "the app feeds NaN" alone, of all frames that
/// both traces hold: those without it are the ones that the diagnosis is not for.
InputEvidence evidence_of(const NoPicture& found, const Study& study);

}  // namespace edgeprobe::diagnose
